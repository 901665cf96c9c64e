import { act, bash, type DemoCall, type DemoReply, next, read, say, type Scene, testCounts, why } from './demoReply';
import type { Done } from './demoTalk';
import { isTeaShop, lookAround, ownFile } from './lookAround';
import { ownFolder, teaShop } from './teaShop';

const goOn = next('write **agents**. Two of them work side by side, one in a git worktree of its own.');

/** One edit with its diff, one command; each is asked for. */
export function fixStep(scene: Scene): DemoReply {
  const look = lookAround(scene);
  if (look) return act(scene.turn.done.size === 0 ? 'I look before I change.' : '', look);
  if (!isTeaShop(scene)) return anywhere(scene);
  const money = scene.last('money');
  if (!money) return act('I read before I change.', read('money', scene.at(teaShop.money)));
  return money.text.includes(teaShop.rounding.wrong) || scene.last('edit') ? mend(scene) : again(scene);
}

function mend(scene: Scene): DemoReply {
  const edit = scene.last('edit');
  const { wrong, right } = teaShop.rounding;
  const isReadAgain = edit !== undefined && scene.count('money') > scene.count('edit');
  if (!edit || isReadAgain) {
    return act(isReadAgain ? 'And once more:' : 'One word mends it. The card below shows the change: **Open diff** shows it in VS Code’s own editor, **Allow once** lets me make it.', {
      label: 'edit',
      tool: 'Edit',
      input: { file_path: scene.at(teaShop.money), old_string: wrong, new_string: right },
    });
  }
  if (edit.isError && !edit.isRefused && /was not read yet/.test(edit.text) && scene.count('edit') === 1) return act('The window was reloaded in between, so I read again.', read('money', scene.at(teaShop.money)));
  const test = scene.last('test');
  if (!test) return act(edit.isError ? `The file stays as it is: ${why(edit)}. I run the tests all the same; a command asks, too.` : 'Changed. Now the tests: a command asks, too.', bash('test', 'npm test', 'Run the tests'));
  return say(...outcome(edit, test), 'Everything of this turn can be taken back: **Undo this turn** at your message.', goOn);
}

function outcome(edit: Done, test: Done): readonly string[] {
  const counts = testCounts(test.text);
  const changed = edit.isError ? 'Nothing was changed' : `\`${teaShop.money}\` now rounds half a cent up`;
  if (test.isRefused) return [`${changed}. The tests did not run, since that was not allowed.`];
  if (!counts) return [`${changed}. The tests gave no result I can read; open the line above to see what they said.`];
  const { passed, failed } = counts;
  return [`${changed}, and ${failed === 0 ? `all ${passed} tests pass` : `${failed} of ${passed + failed} tests ${failed === 1 ? 'fails' : 'fail'}`}.`];
}

/** The bug is gone already: the script has been played here before. */
function again(scene: Scene): DemoReply {
  const test = scene.last('test');
  const call = note(scene);
  if (call) return act(scene.last('write') ? '' : 'The bug is mended here already. So that you see a change, I write a note of my own.', call);
  if (!test) return act('And the tests.', bash('test', 'npm test', 'Run the tests'));
  return say(`The note is ${scene.last('write')?.isError ? 'not written' : `in \`${ownFolder}/hello.md\``}. ${testWords(test)}`, goOn);
}

function testWords(test: Done): string {
  const counts = testCounts(test.text);
  if (!counts) return test.isRefused ? 'The tests did not run, since that was not allowed.' : 'The tests gave no result I can read.';
  return counts.failed === 0 ? `All ${counts.passed} tests pass.` : `${counts.failed} of ${counts.passed + counts.failed} tests fail.`;
}

/** Not the sample: the person's own files are left alone. */
function anywhere(scene: Scene): DemoReply {
  const call = note(scene);
  const written = scene.last('write');
  if (call) return act(written ? '' : 'This is not the sample repository, so I leave its files alone and make one of my own. The card below shows it; nothing happens before you say yes.', call);
  const command = scene.last('command');
  if (!command) return act(written?.isError ? `No file, then: ${why(written)}. A command asks, too.` : 'Written. A command asks, too.', bash('command', `mkdir -p ${ownFolder} && date >> ${ownFolder}/log.txt`, 'Note the time in a file of the demo'));
  return say(`${written?.isError ? 'I wrote no note' : `\`${ownFolder}/hello.md\` is there`}, and the command ${command.isError ? `did not run: ${why(command)}` : 'ran'}.`, goOn);
}

function note(scene: Scene): DemoCall | undefined {
  return ownFile(scene, { label: 'write', path: scene.at(`${ownFolder}/hello.md`), text: '# Hello\n\nThe demo of Troupe wrote this. Delete the folder when you like.\n', more: '- and again\n' });
}
