import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { extensionHosts, focusView, installTestbed, openWorkbench, screenshot, startServer, waitFor } from '../workbench.mjs';
import { Sidebar } from './sidebar.mjs';
import { key, lastText, newSession } from './stage.mjs';

/** A repository that brings an allow rule and hooks that leave a file behind. */
function writeWharf(repo) {
  const leave = (name) => ({ hooks: [{ type: 'command', command: `cat > /dev/null; touch ${path.join(repo, name)}` }] });
  const settings = { permissions: { allow: ['Bash(touch *)'] }, hooks: { SessionStart: [leave('start-ran')], PreToolUse: [leave('hook-ran')] } };
  mkdirSync(path.join(repo, '.claude'), { recursive: true });
  writeFileSync(path.join(repo, '.claude/settings.json'), JSON.stringify(settings));
  execFileSync('git', ['init', '-q', '-b', 'main'], { cwd: repo });
}

/** A folder nobody trusts runs nothing and says so; trusting it turns it on, in the same window. */
export async function trustAFolder(stage) {
  const { model, script } = stage;
  const { reply, say, callTool } = script;
  const repo = path.join(stage.temp, 'wharf');
  writeWharf(repo);
  const there = (name) => existsSync(path.join(repo, name));
  const settings = { 'security.workspace.trust.startupPrompt': 'never', 'security.workspace.trust.banner': 'never' };
  const server = await startServer({ testbed: await installTestbed(), dir: path.join(stage.temp, 'restricted'), workspaceTrust: true, settings, env: { CLAUDE_CONFIG_DIR: path.join(stage.temp, 'restricted-config'), ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: model.url, ANTHROPIC_MODEL: 'test-model' } });
  let page;
  try {
    page = await openWorkbench({ browser: stage.browser, server, folder: repo, extensionPath: stage.root, commandIds: ['troupe.newSession'] });
    const sidebar = new Sidebar(page);
    await focusView(page, 'troupe.chat');
    await sidebar.sees('You have not said that you trust the authors of this folder', 60_000);
    const [host] = extensionHosts(server);
    model.script(reply(callTool('Bash', { command: 'touch made' })), say('That did not run.'));
    await sidebar.send('Make a file');
    assert.match(await (await sidebar.dock()).innerText(), /no rule allows it/, 'an allow rule of the folder does not count');
    await sidebar.answer('Deny');
    await sidebar.sees('That did not run.', 60_000);
    assert.deepEqual(['made', 'start-ran', 'hook-ran'].filter(there), [], 'nothing of the folder ran');
    assert.match(lastText(stage), /refused/, 'the model is told');
    await sidebar.sees('Restricted mode: nothing of this folder runs by itself');
    await screenshot(page, stage.shotFile('restricted'));

    await sidebar.click('Manage trust');
    await page.getByRole('button', { name: 'Trust', exact: true }).first().click({ timeout: 60_000 });
    await sidebar.seesNot('Restricted mode: nothing of this folder runs by itself');
    model.script(reply(callTool('Bash', { command: 'touch made' })), say('Now it did.'));
    await focusView(page, 'troupe.chat');
    await sidebar.send('Make it now');
    await sidebar.sees('Now it did.', 60_000);
    await waitFor('the file and the hook', () => there('made') && there('hook-ran'));
    assert.equal(extensionHosts(server)[0]?.pid, host?.pid, 'without a reload');
    await screenshot(page, stage.shotFile('trusted'));
  } catch (error) {
    if (page) await screenshot(page, path.join(stage.root, 'test/.out/walk-trust-failed.png')).catch(() => undefined);
    throw error;
  } finally {
    await page?.close();
    await server.stop();
  }
}

/** A rule saved for the session stands on the page of permissions; taken back, the next call asks. */
export async function revokeAGrant(stage) {
  const { sidebar, model, script } = stage;
  const { reply, say, callTool } = script;
  const pier = (n) => path.join(stage.repo, `pier-${n}`);
  const ask = (n) => model.script(reply(callTool('Bash', { command: `mkdir pier-${n}` })), say(`Pier ${n} is dealt with.`));
  await newSession(stage);
  await sidebar.pickMode('Ask first');
  ask(1);
  await sidebar.send('Build a pier');
  await sidebar.answer('Always…');
  let dock = await sidebar.dock();
  const [rule] = await dock.locator('input.field').evaluateAll((inputs) => inputs.map((input) => input.value));
  await dock.getByText(/This session/).first().click();
  await dock.locator('input.field').first().fill('Bash(mkdir *)');
  await dock.getByRole('button', { name: 'Save rule and allow' }).click();
  await sidebar.sees('Pier 1 is dealt with.');
  ask(2);
  await sidebar.send('Another');
  await sidebar.sees('Pier 2 is dealt with.');
  assert.ok(existsSync(pier(1)) && existsSync(pier(2)), `the rule lets further ones through (${rule} was offered)`);

  await sidebar.send('/permissions');
  const frame = await sidebar.frame();
  const row = frame.getByRole('list', { name: 'Rules that count now' }).getByRole('listitem').filter({ hasText: 'Bash(mkdir *)' }).filter({ hasText: 'this session' });
  await row.waitFor({ timeout: 30_000 });
  await stage.shot('permissions');
  await row.getByRole('button', { name: 'Revoke' }).click();
  await row.waitFor({ state: 'hidden', timeout: 30_000 });
  await sidebar.click('Back to the chat');
  ask(3);
  await sidebar.send('One more');
  dock = await sidebar.dock();
  assert.match(await dock.innerText(), /mkdir pier-3/, 'the next call asks');
  await sidebar.answer('Deny');
  await sidebar.sees('Pier 3 is dealt with.');
  assert.equal(existsSync(pier(3)), false);
}
