import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { exists, lastText, planFile, read, requests, waitFor } from './stage.mjs';

/** 3. The dock: command, folder, risk, the exact rule and where it is saved; deny with words; acceptEdits. */
export async function answerPermissions(stage) {
  const { sidebar, model, script } = stage;
  const { reply, say, callTool } = script;
  model.script(reply(callTool('Bash', { command: 'mkdir -p log && ln README.md log/one' })), reply(callTool('Bash', { command: 'rm log/one' })), say('Adapted.'));
  await sidebar.send('Make a log folder');
  let dock = await sidebar.dock();
  const shown = await dock.innerText();
  assert.match(shown, /mkdir -p log && ln README.md log\/one/, 'the whole command is shown');
  assert.match(shown, /harbour/, 'the folder is named');
  await stage.shot('command');
  await sidebar.answer('Always…');
  dock = await sidebar.dock();
  const rules = await dock.locator('input.field').evaluateAll((inputs) => inputs.map((input) => input.value));
  assert.ok(rules.some((rule) => rule.startsWith('Bash(mkdir')), `the rule is shown before it is saved: ${rules}`);
  await dock.getByText(/This project/).first().click();
  await stage.shot('always');
  assert.equal(exists(stage, '.claude/settings.local.json'), false, 'nothing is saved before the person says so');
  await dock.getByRole('button', { name: 'Save rule and allow' }).click();
  await waitFor('the rule to be saved', () => exists(stage, '.claude/settings.local.json'));
  assert.deepEqual(JSON.parse(read(stage, '.claude/settings.local.json')).permissions.allow, rules, 'saved exactly as shown');
  await waitFor('the folder', () => exists(stage, 'log/one'));

  dock = await sidebar.dock();
  assert.match(await dock.innerText(), /rm log\/one/);
  await sidebar.answer('Deny and say what to do instead');
  dock = await sidebar.dock();
  await dock.getByRole('textbox').fill('Keep the log');
  await dock.getByRole('button', { name: 'Deny and send' }).click();
  await sidebar.sees('Adapted.');
  assert.match(lastText(stage), /Keep the log/, 'the model hears what the person said');
  assert.ok(exists(stage, 'log/one'), 'what was denied was not done');

  model.script(reply(callTool('Bash', { command: 'mkdir -p log && ln README.md log/two' })), say('Second log made.'));
  await sidebar.send('And another');
  await sidebar.sees('Second log made.');
  assert.ok(exists(stage, 'log/two'), 'the saved rule let it through without asking');

  await sidebar.pickMode('Accept edits');
  model.script(reply(callTool('Write', { file_path: `${stage.repo}/src/crane.js`, content: 'export const cranes = 2;\n' })), say('Crane written.'));
  await sidebar.send('Add a crane');
  await sidebar.sees('Crane written.');
  assert.equal(read(stage, 'src/crane.js'), 'export const cranes = 2;\n', 'edits need no asking in this mode');
  // The rule has done its work; kept, it would answer for the person in every later step.
  rmSync(path.join(stage.repo, '.claude/settings.local.json'));
}

/** 3b. Plan mode: nothing is changed, the plan is shown, sent back, edited and approved. */
export async function planFirst(stage) {
  const { sidebar, model, script } = stage;
  const { reply, say, callTool } = script;
  await sidebar.pickMode('Plan');
  const plan = planFile(stage);
  const write = (text) => callTool('Write', { file_path: plan, content: text });
  model.script(
    reply(callTool('Write', { file_path: `${stage.repo}/src/tide.js`, content: 'changed' }), write('# Plan\n\n1. Count the berths\n')),
    reply(callTool('ExitPlanMode', {})),
    reply(write('# Plan\n\n1. Count the berths\n2. Test it\n')),
    reply(callTool('ExitPlanMode', {})),
    reply(callTool('Read', { file_path: `${stage.repo}/src/berth.js` })),
    reply(callTool('Edit', { file_path: `${stage.repo}/src/berth.js`, old_string: '12', new_string: '13' })),
    say('The plan is carried out.'),
  );
  await sidebar.send('Plan the berths');
  await sidebar.sees(/proposes a plan/);
  assert.doesNotMatch(read(stage, 'src/tide.js'), /^changed/, 'nothing but the plan file is written');
  await stage.shot('plan');
  await sidebar.click('Send back…');
  await (await sidebar.frame()).locator('section.card vscode-text-area textarea').fill('Add a test');
  await sidebar.click('Send back');
  await sidebar.sees('Test it');
  assert.match(JSON.stringify(requests(stage).at(-2)?.body.messages ?? []) + JSON.stringify(requests(stage).at(-1)?.body.messages ?? []), /Add a test/);
  await sidebar.click('Edit the plan here');
  const box = (await sidebar.frame()).getByRole('textbox', { name: 'Plan', exact: true });
  await box.fill('# Plan\n\n1. Count the berths\n2. Test it twice\n');
  await sidebar.click('Finish editing');
  await sidebar.click('Approve and accept edits');
  await sidebar.sees('The plan is carried out.');
  assert.match(read(stage, 'src/berth.js'), /13/, 'after approval the work is done');
  assert.match(JSON.stringify(requests(stage).at(-1)?.body.messages), /Test it twice/, 'the model works by the plan as the person edited it');
}
