import { act, bash, type DemoReply, next, say, type Scene, why } from './demoReply';
import { ownFolder } from './teaShop';

const file = `${ownFolder}/made-by-the-shell.txt`;

/** A change that no edit tool made, to be undone by the person. */
export function undoStep(scene: Scene): DemoReply {
  const made = scene.last('make');
  if (!made) return act('A shell command leaves no diff behind, so taking it back is the harder case. Allow it, and I make a file.', bash('make', `mkdir -p ${ownFolder} && date > ${file}`, 'Make a file by a shell command'));
  const skills = next('write **skills**.');
  if (made.isError) return say(`No file was made: ${why(made)}. Undo works the same for the turns before this one.`, skills);
  return say(`\`${file}\` is there. Now point at your message above and press **Undo this turn**: the file goes, and **Redo** brings it back. What you edit by hand after a turn stays as it is.`, skills);
}
