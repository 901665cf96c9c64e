import { act, bash, type DemoReply, next, read, say, type Scene, testCounts, why, write } from './demoReply';
import { isTeaShop, lookAround, ownFile } from './lookAround';
import { ownFolder, teaShop } from './teaShop';

const goOn = next('write **model**, to see how to set up a real one.');

/** Plans in the plan file, is approved or sent back, and then does it. */
export function planStep(scene: Scene): DemoReply {
  const { planFile, tools } = scene.talk;
  const exit = scene.last('exit');
  if (exit && !exit.isError) return carryOut(scene);
  if (planFile === undefined) {
    const entered = scene.last('enter');
    if (entered) return say(`Plan mode did not begin: ${why(entered)}.`, goOn);
    if (!tools.has('EnterPlanMode')) return say('Plan mode is turned off here.', goOn);
    return act('In plan mode I may look at everything and change nothing but the plan. You can switch it on yourself, in the mode menu below.', { label: 'enter', tool: 'EnterPlanMode', input: {} });
  }
  const look = lookAround(scene);
  if (look) return act('', look);
  const isShop = isTeaShop(scene);
  if (isShop && !scene.last('receipt')) return act('I look first.', read('receipt', scene.at(teaShop.receipt)));
  if (exit && wishes(scene).length < scene.count('exit')) return say('Nobody decided on the plan, so nothing is done.', goOn);
  if (scene.count('plan') <= scene.count('exit')) return act(exit ? 'Thank you, that goes into the plan.' : 'The plan:', write('plan', planFile, planText(isShop, wishes(scene))));
  const plan = scene.last('plan');
  if (plan?.isError) return say(`The plan was not written: ${why(plan)}.`, goOn);
  return act('Approve it, edit it, or send it back with a word; I can’t understand the word, but you see where it goes.', { label: 'exit', tool: 'ExitPlanMode', input: {} });
}

/** What the person said each time they sent the plan back. */
function wishes(scene: Scene): readonly string[] {
  return (scene.turn.done.get('exit') ?? []).flatMap(({ text }) => /says:\n([\s\S]*?)\nChange the plan file/.exec(text)?.[1] ?? []);
}

function planText(isShop: boolean, said: readonly string[]): string {
  const steps = isShop
    ? [`Add \`${teaShop.emptyTest}\`: a receipt without lines has a total of 0.00.`, 'Run `npm test`.']
    : [`Write \`${ownFolder}/planned.md\`, and touch nothing else.`];
  const notes = said.length === 0 ? [] : ['', '## You said', ...said.map((words) => `- ${words.replaceAll('\n', ' ')}`)];
  return ['# Plan of the demo', '', ...steps.map((step, i) => `${i + 1}. ${step}`), ...notes, ''].join('\n');
}

function carryOut(scene: Scene): DemoReply {
  const isShop = isTeaShop(scene);
  const file = isShop ? { path: teaShop.emptyTest, text: teaShop.emptyTestText, more: '\n// Planned and approved once more.\n' } : { path: `${ownFolder}/planned.md`, text: '# Planned\n\nThe demo planned this file, and you approved it.\n', more: '- and again\n' };
  const call = ownFile(scene, { ...file, label: 'do', path: scene.at(file.path) });
  const written = scene.last('do');
  if (call || !written) return act(written ? '' : 'Approved, so I begin.', ...(call ? [call] : []));
  const test = scene.last('test');
  if (isShop && !written.isError && !test) return act('And the tests.', bash('test', 'npm test', 'Run the tests'));
  const counts = test ? testCounts(test.text) : undefined;
  const tested = counts ? ` ${counts.passed} tests pass, ${counts.failed} fail.` : '';
  return say(written.isError ? `The plan is approved, but the file is not written: ${why(written)}.` : `Done as planned.${tested}`, goOn);
}
