import { act, type DemoCall, type DemoReply, firstLine, next, read, say, type Scene } from './demoReply';
import type { Done } from './demoTalk';
import { briefFor } from './demoBriefs';
import { isTeaShop, lookAround } from './lookAround';
import { teaShop } from './teaShop';

const toReview = next('open the **Review** tab: see the files, open the diff, then **Merge** or **Discard** (Trash keeps what you discard). After that write **go on** here.');

/** Two agents at once, one of which starts a third: their asks come up into one dock. */
export function agentsStep(scene: Scene): DemoReply {
  const look = lookAround(scene);
  if (look) return act(scene.turn.done.size === 0 ? 'I look where I am.' : '', look);
  const isShop = isTeaShop(scene);
  const receipt = scene.last('receipt');
  if (!scene.talk.tools.has('Agent')) return say('Starting agents is turned off here (a rule denies the Agent tool), so this part is left out.', next('write **undo**.'));
  if (isShop && !receipt) return act('I hand out two tasks. To brief somebody I have to know what I ask for.', read('receipt', scene.at(teaShop.receipt)));
  const isNew = isShop && !(receipt?.text.includes(teaShop.saved) ?? true);
  const worker = scene.last('worker');
  const reader = scene.last('reader');
  if (!worker && !reader) return act(started(isNew), workerCall(scene, isNew, true), readerCall(scene, isShop));
  const apart = scene.last('worker-here');
  if (worker && !apart && noWorktree(worker)) {
    return act(`There is no worktree: ${firstSentence(worker.text)} So this agent works in your folder, on a file of its own.`, workerCall(scene, false, false));
  }
  return say(report('The agent with the change', apart ?? worker), report('The one that only reads', reader), apart ? next('write **undo**.') : worker?.isError ? next('write **go on**.') : toReview);
}

function started(isShop: boolean): string {
  const what = isShop ? 'One lets the receipt say how much was saved, in a **git worktree** of its own: your files stay as they are. The other only reads, and starts a third to check the sums.' : 'One writes a file in a **git worktree** of its own: your files stay as they are. The other only reads, and starts a third.';
  return `Two agents, side by side. ${what}\n\nWhat they ask comes up **here**, with who asks and from where. The **Agents** tab shows the tree; click one to read along.`;
}

function workerCall(scene: Scene, isShop: boolean, isApart: boolean): DemoCall {
  const kind = isShop ? 'saving' : 'note';
  const input = { description: isShop ? 'Say what was saved' : 'Write a note', prompt: briefFor(kind, scene.talk.mark), name: isShop ? 'saving' : 'note', ...(isApart ? { isolation: 'worktree' } : {}) };
  return { label: isApart ? 'worker' : 'worker-here', tool: 'Agent', input };
}

function readerCall(scene: Scene, isShop: boolean): DemoCall {
  return { label: 'reader', tool: 'Agent', input: { description: isShop ? 'Check the prices' : 'Look around', prompt: briefFor(isShop ? 'prices' : 'look', scene.talk.mark), name: isShop ? 'prices' : 'looker' } };
}

function noWorktree({ isError, isRefused, text }: Done): boolean {
  return isError && !isRefused && /worktree|not started/i.test(text) && !/was stopped/.test(text);
}

function firstSentence(text: string): string {
  return /^.*?\.(?=\s|$)/.exec(firstLine(text))?.[0] ?? firstLine(text);
}

function report(who: string, done: Done | undefined): string {
  if (!done) return `${who} was not started.`;
  const stopped = /^The agent \S+ was stopped/.test(done.text);
  if (stopped) return `${who} was stopped before it was done.`;
  if (done.isRefused) return `${who} was not allowed to start.`;
  return `${who} ${done.isError ? 'failed' : 'reports'}: ${done.text.split('\n[')[0]?.trim() ?? ''}`;
}
