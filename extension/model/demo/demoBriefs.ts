/** What a sub-agent of the script is for. */
export type DemoTask = 'saving' | 'note' | 'prices' | 'look' | 'receipt' | 'version';

const words: Readonly<Record<DemoTask, string>> = {
  saving: 'Let the receipt of src/receipt.js say how much a discount saved, below the total and only when something was saved. Add a test for it and run the tests of the receipt. Commit nothing. Report what you changed and how the tests went.',
  note: 'Write a short note to troupe-demo/from-an-agent.md and touch no other file. Commit nothing. Report what you wrote.',
  prices: 'Find out where prices are worked out and which tests look at them. Change nothing. Have another agent check the sums of a printed receipt. Report both.',
  look: 'Say what lies in this folder. Change nothing. Have another agent find out which Node runs here. Report both.',
  receipt: 'Print the receipt of the sample basket and check its sums by hand: a discount that ends in half a cent is rounded up. Change nothing. Report the sums, right or wrong.',
  version: 'Find out which version of Node runs here. Change nothing. Report it.',
};

/** @param mark tells this run of the demo from others */
export function briefFor(task: DemoTask, mark: string): string {
  return `${words[task]}\n\n(Demo task ${task}, run ${mark})`;
}

const tasks = Object.keys(words);

export function taskOf(brief: string): DemoTask | undefined {
  const named = /\(Demo task ([a-z]+), run /.exec(brief)?.[1];
  return isTask(named) ? named : undefined;
}

function isTask(name: string | undefined): name is DemoTask {
  return name !== undefined && tasks.includes(name);
}
