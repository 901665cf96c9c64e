import { act, bash, type DemoReply, fileText, firstLine, glob, read, say, type Scene, testCounts, why, write } from './demoReply';
import { briefFor, type DemoTask, taskOf } from './demoBriefs';
import { ownFile } from './lookAround';
import { ownFolder, teaShop } from './teaShop';

/** A sub-agent's part, chosen by its brief. */
export function demoAgent(scene: Scene, brief: string): DemoReply {
  const task = taskOf(brief);
  if (scene.talk.turns.length > 1) return say('My part of the demo is over, and I am a script: I can’t understand what you write. An agent with a model would go on from here.');
  if (!task) return say('The demo has no script for this brief, so nothing was done. With a model set up, an agent would work on it.');
  return parts[task](scene);
}

const parts: Readonly<Record<DemoTask, (scene: Scene) => DemoReply>> = { saving, note, prices, look, receipt, version };

function saving(scene: Scene): DemoReply {
  const page = scene.last('receipt');
  if (!page) return act('I read the receipt and what it is made of.', read('receipt', scene.at(teaShop.receipt)), read('basket', scene.at('src/basket.js')));
  if (page.isError || !fileText(page.text).includes(teaShop.total)) return note(scene);
  const edit = scene.last('edit');
  const test = scene.last('test');
  if (!edit || !test) {
    return act(
      'The saved amount is the full price less what is paid. Both changes go into my worktree.',
      { label: 'edit', tool: 'Edit', input: { file_path: scene.at(teaShop.receipt), old_string: teaShop.total, new_string: teaShop.totalAndSaved } },
      write('test', scene.at(teaShop.savingTest), teaShop.savingTestText),
    );
  }
  if (edit.isError && test.isError) return say(`Nothing is changed: ${why(edit)}.`);
  const run = scene.last('run');
  if (!run) return act('Now the tests of the receipt.', bash('run', `node --test ${teaShop.savingTest} test/receipt.test.js`, 'Test the receipt'));
  const counts = testCounts(run.text);
  const checked = counts ? `${counts.passed} tests pass, ${counts.failed} fail` : `the tests did not run: ${why(run)}`;
  const changed = [edit.isError ? '' : `\`${teaShop.receipt}\``, test.isError ? '' : `\`${teaShop.savingTest}\``].filter((name) => name !== '');
  return say(`The receipt says what was saved (${changed.join(', ')}); ${checked}. Nothing is committed.`);
}

function note(scene: Scene): DemoReply {
  const call = ownFile(scene, { label: 'write', path: scene.at(`${ownFolder}/from-an-agent.md`), text: '# From an agent\n\nAn agent of the demo wrote this, apart from your files.\n', more: '- and again\n' });
  const written = scene.last('write');
  if (call || !written) return act(written ? '' : 'One file, and no other.', ...(call ? [call] : []));
  return say(written.isError ? `Nothing is written: ${why(written)}.` : `\`${ownFolder}/from-an-agent.md\` is written. Nothing is committed.`);
}

function prices(scene: Scene): DemoReply {
  const places = scene.last('places');
  if (!places) return act('I search for what works with prices.', { label: 'places', tool: 'Grep', input: { pattern: 'reduceBy|lineTotal' } });
  const checker = scene.last('checker');
  const input = { description: 'Check the receipt', prompt: briefFor('receipt', scene.talk.mark), ...(scene.talk.context.includes('- price-checker:') ? { subagent_type: 'price-checker' } : {}) };
  if (!checker && scene.talk.tools.has('Agent')) return act('Reading alone does not prove a sum, so I hand that on.', { label: 'checker', tool: 'Agent', input });
  const files = places.isError ? [] : places.text.split('\n').filter((line) => /\.js\b/.test(line));
  const tests = files.filter((line) => /\.test\.js\b/.test(line)).length;
  return say(`${files.length} files work with prices, ${tests} of them ${tests === 1 ? 'a test' : 'tests'}. ${checker && !checker.isError ? said(checker.text) : 'Nobody checked the sums.'}`);
}

function receipt(scene: Scene): DemoReply {
  const money = scene.last('money');
  if (!money) return act('First how it rounds.', read('money', scene.at(teaShop.money)));
  const print = scene.last('print');
  if (!print) return act('Now the receipt itself.', bash('print', 'node src/receipt.js', 'Print the receipt of the sample basket'));
  if (print.isError) return say(`The sums are not checked: ${why(print)}.`);
  const sum = /Sencha\s+([\d.]+)/.exec(print.text)?.[1];
  if (sum === undefined) return say('The receipt has no line I know, so the sums are not checked.');
  return say(`Sencha at 12.45 less 10 % is 11.205, so 11.21; the receipt says ${sum}. ${sum === '11.21' ? 'That is right.' : 'Half a cent is lost.'}`);
}

function look(scene: Scene): DemoReply {
  const top = scene.last('top');
  if (!top) return act('I look at the folder.', glob('top', '*'));
  const helper = scene.last('helper');
  if (!helper && scene.talk.tools.has('Agent')) return act('The rest I hand on.', { label: 'helper', tool: 'Agent', input: { description: 'Ask for Node’s version', prompt: briefFor('version', scene.talk.mark) } });
  const files = top.isError ? 0 : top.text.split('\n').filter((line) => /[/\\]/.test(line)).length;
  return say(`${files} ${files === 1 ? 'file lies' : 'files lie'} at the top of this folder. ${helper && !helper.isError ? said(helper.text) : 'Nobody looked further.'}`);
}

function version(scene: Scene): DemoReply {
  const print = scene.last('print');
  if (!print) return act('One command says it.', bash('print', 'node --version', 'Print Node’s version'));
  return say(print.isError ? `Node’s version is not known: ${why(print)}.` : `Node here is ${firstLine(print.text)}.`);
}

/** What an agent reported, without the line the engine adds. */
function said(text: string): string {
  return text.split('\n[')[0]?.trim() ?? '';
}
