import { act, type DemoReply, fileText, firstLine, lineOf, next, read, say, type Scene } from './demoReply';
import { isTeaShop, lookAround } from './lookAround';
import { teaShop } from './teaShop';

const hello = `Hello! I am the **demo**: a fixed script, no model. I can’t understand what you write, but everything I do here is real: I read your files, and each change or command waits for your yes.

First I look around. Reading asks nobody.`;

/** Says what it is and reads. */
export function startStep(scene: Scene): DemoReply {
  const look = lookAround(scene);
  const isFirst = scene.turn.done.size === 0;
  if (look) return act(isFirst ? (scene.talk.turns.length > 1 ? 'From the start, then. I look around.' : hello) : '', look);
  const money = scene.last('money');
  if (isTeaShop(scene)) {
    if (!money) return act('A tea shop. I read where it counts money, and what its tests expect.', read('money', scene.at(teaShop.money)), read('tests', scene.at('test/basket.test.js')));
    return say(aboutTheShop(money.text), next('write **go on**, and I mend it. Your words don’t matter: anything goes on.'));
  }
  const page = scene.last('page');
  const path = page ? undefined : firstText(scene);
  if (path !== undefined) return act('I don’t know this repository, so I only read what a newcomer would.', read('page', scene.at(path)));
  return say(page && !page.isError ? `That file begins: “${firstLine(fileText(page.text).replace(/^[\s#*>-]+/, ''))}”. More a script can’t say about it; a model would tell you what it is for.` : 'I found no text at the top of this folder that I could read.', next('write **go on**. I make one small file in `troupe-demo/`, and leave yours alone.'));
}

function aboutTheShop(money: string): string {
  const line = lineOf(money, teaShop.rounding.wrong);
  if (line === '') return 'This shop prices a basket of tea and prints a receipt. Its rounding has been mended already.';
  return `This shop prices a basket of tea and prints a receipt. One of its tests fails, and here is why: \`${teaShop.money}:${line}\` cuts half a cent off, while its comment and the test say it is rounded up.`;
}

/** A readme first, then anything a person can read. */
function firstText(scene: Scene): string | undefined {
  const top = scene.last('top');
  const files = top && !top.isError ? top.text.split('\n').map((line) => line.trim()) : [];
  return files.find((file) => /^readme(\.\w+)?$/i.test(file)) ?? files.find((file) => /^[^\s[]\S*\.(md|txt|rst|json|ya?ml|toml|js|ts|py|go|rs|java|rb|c|h)$/i.test(file));
}
