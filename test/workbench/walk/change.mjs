import assert from 'node:assert/strict';
import { lastText, read, recorded, requests, waitFor } from './stage.mjs';

/** 2. Ask for a change: streamed Markdown, tool lines that open, an edit with its diff, Stop, queue and steer. */
export async function askForAChange(stage) {
  const { sidebar, model, script } = stage;
  const { reply, say, callTool, hold } = script;
  const file = `${stage.repo}/src/tide.js`;
  model.script(
    reply(say('I read **the tide** first.'), hold('streaming'), say(' Then I change it.'), callTool('Read', { file_path: file })),
    reply(callTool('Edit', { file_path: file, old_string: 'hour % 12 < 6', new_string: 'hour % 12 < 5' })),
    say('The tide now turns at **five**.\n\n- `src/tide.js` changed'),
  );
  await sidebar.send('Make the tide turn at five');
  await sidebar.sees('the tide');
  assert.equal(requests(stage).length, 1, 'text is on screen before the reply has ended');
  model.release('streaming');
  const dock = await sidebar.dock();
  assert.match(await dock.innerText(), /tide\.js/);
  assert.match(await dock.innerText(), /hour % 12 < 5/, 'the ask shows the diff');
  await stage.shot('edit-ask');
  await sidebar.answer('Allow once');
  await sidebar.sees(/The tide now turns/);
  assert.match(read(stage, 'src/tide.js'), /hour % 12 < 5/, 'the file on disk changed');
  const strong = (await sidebar.frame()).locator('strong', { hasText: 'five' });
  await strong.waitFor();
  const row = await sidebar.row('tide.js');
  await row.click();
  await (await sidebar.frame()).locator('.tool .body').filter({ hasText: 'hour % 12 < 5' }).first().waitFor();
  await stage.shot('change-done');
}

/** 2b. Stop with Esc, go on by Resume; typing while it works queues, a second Enter steers. */
export async function stopQueueSteer(stage) {
  const { sidebar, model, script } = stage;
  const { reply, say, callTool, hold } = script;
  model.script(reply(say('Counting slowly'), hold('never')), say('Resumed and done.'));
  await sidebar.send('Count the berths');
  await sidebar.sees('Counting slowly');
  await sidebar.press('Escape');
  await sidebar.sees(/You stopped/);
  await stage.shot('stopped');
  await sidebar.click('Resume');
  await sidebar.sees('Resumed and done.');

  model.script(reply(say('First step.'), hold('step'), callTool('Read', { file_path: `${stage.repo}/src/berth.js` })), say('Heard you.'));
  await sidebar.send('Look at the berths');
  await sidebar.sees('First step.');
  await sidebar.send('There are thirteen now');
  await (await sidebar.frame()).getByRole('group', { name: 'Queued messages' }).waitFor();
  await stage.shot('queued');
  await sidebar.press('Enter');
  await waitFor('the second Enter to reach the host', () => recorded(stage, '"type":"turn/queued"') === 2);
  model.release('step');
  await sidebar.sees('Heard you.');
  await waitFor('the steering message to reach the model', () => /There are thirteen now/.test(JSON.stringify(requests(stage).at(-1)?.body.messages ?? [])));
  assert.match(lastText(stage), /There are thirteen now/, 'it went in with the results of the running step');
  await sidebar.sees(/There are thirteen now/);
}
