import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { exists, focusView, killExtensionHost, newSession, read, reload, requests, runCommand, waitFor } from './stage.mjs';

const processes = (mark) => execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' }).split('\n').filter((line) => line.includes(mark) && !line.includes('ps -eo'));

/** 5. The window reloads while an ask waits: chat and ask are back, the answer counts and the work goes on. */
export async function reloadWithAnAsk(stage) {
  const { sidebar, model, script, page } = stage;
  const { reply, say, callTool } = script;
  await newSession(stage);
  await sidebar.pickMode('Ask first').catch(() => undefined);
  model.script(reply(say('I need a file.'), callTool('Bash', { command: 'cp README.md copied.md' })), say('Went on after the reload.'));
  await sidebar.send('Copy the readme');
  await sidebar.dock();
  const before = requests(stage).length;
  await reload(page);
  await focusView(page, 'troupe.chat');
  await sidebar.sees('I need a file.', 90_000);
  const dock = await sidebar.dock();
  assert.match(await dock.innerText(), /cp README\.md copied\.md/, 'the ask is back');
  assert.equal(requests(stage).length, before, 'nothing was sent again by itself');
  await stage.shot('ask-is-back');
  await sidebar.answer('Allow once');
  await sidebar.sees('Went on after the reload.');
  assert.equal(read(stage, 'copied.md'), read(stage, 'README.md'), 'the permitted call ran, once');
}

/** 5b. The extension host is killed in the middle of a command: no process stays, the turn says so and can go on. */
export async function killInMidCall(stage) {
  const { sidebar, model, script, page } = stage;
  const { reply, say, callTool } = script;
  const seconds = `9${process.pid % 1000}`;
  model.script(reply(say('This takes long.'), callTool('Bash', { command: `sleep ${seconds} && touch never.txt` })), say('I checked and went on.'));
  await sidebar.send('Wait for the tide');
  await sidebar.answer('Allow once');
  await waitFor('the command to run', () => processes(`sleep ${seconds}`).length > 0);
  await killExtensionHost(stage.server);
  await waitFor('the command to end with its owner', () => processes(`sleep ${seconds}`).length === 0);
  await reload(page);
  await focusView(page, 'troupe.chat');
  await sidebar.sees('Went on after the reload.', 90_000);
  await sidebar.sees('This takes long.');
  await sidebar.sees(/The window was closed while/);
  await stage.shot('interrupted');
  await sidebar.click('Resume');
  await sidebar.sees('I checked and went on.');
  assert.equal(exists(stage, 'never.txt'), false, 'the call was not run again by itself');
}

/** 5c. Earlier sessions are listed and resumed. */
export async function resumeAnOldSession(stage) {
  const { sidebar, model, script } = stage;
  await newSession(stage);
  await sidebar.seesNot('Went on after the reload.');
  await runCommand(stage.page, 'Troupe: Resume Session…');
  const row = stage.page.locator('.quick-input-list .monaco-list-row').filter({ hasText: 'Copy the readme' }).first();
  await row.waitFor();
  await stage.shot('sessions');
  await row.click();
  await sidebar.sees('Went on after the reload.');
  model.script(script.say('Still here.'));
  await sidebar.send('Are you there?');
  await sidebar.sees('Still here.');
  assert.match(JSON.stringify(requests(stage).at(-1)?.body.messages[0]), /harbour/);
  assert.ok(requests(stage).at(-1)?.body.messages.length >= 5, 'the whole conversation went with it');
}
