import { act, bash, type DemoReply, next, read, say, type Scene } from './demoReply';
import { isTeaShop } from './lookAround';
import { teaShop } from './teaShop';

const goOn = next('write **undo**: I change something by a shell command, and you take it back.');

/** Looks at what the person has done with the worktree. */
export function reviewStep(scene: Scene): DemoReply {
  const status = scene.last('status');
  const receipt = scene.last('receipt');
  if (!status) return act('I look at what became of the agent’s work.', bash('status', 'git status --short', 'Show what is changed'), ...(isTeaShop(scene) ? [read('receipt', scene.at(teaShop.receipt))] : []));
  if (status.isError) return say('This folder is in no git repository, so there are no worktrees to review and nothing was kept apart.', goOn);
  if (receipt?.text.includes(teaShop.saved)) return say(`Merged: \`${teaShop.receipt}\` in your folder says what was saved, and what you had changed yourself is still there. A conflict would have been named before anything was touched.`, goOn);
  return say('It is not merged. If it waits in the **Review** tab, take your time: **Merge** brings it in, **Discard** puts it in the Trash, where **Restore** finds it again. An agent that changes nothing leaves nothing to review.', goOn);
}
