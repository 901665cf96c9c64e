import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { ensureSample } from '../../start/sampleRepository.mjs';
import { focusView, installTestbed, openWorkbench, screenshot, startServer, waitFor } from '../workbench.mjs';
import { Sidebar } from './sidebar.mjs';

/** Answers every ask of the dock until these words stand on screen. @returns the asks, as the dock showed them */
async function allowUntil(sidebar, words, shoot) {
  const asked = [];
  await waitFor(`"${words}" after the asks`, async () => {
    const frame = await sidebar.frame();
    if (await frame.getByText(words).last().isVisible().catch(() => false)) return true;
    const dock = frame.locator('section.dock');
    const text = await dock.innerText({ timeout: 500 }).catch(() => '');
    if (text === '') return false;
    if (asked.at(-1) !== text) asked.push(text);
    await shoot?.(asked.length, text);
    await dock.getByRole('button', { name: 'Allow once', exact: true }).first().click({ timeout: 1_000 }).catch(() => undefined);
    return false;
  }, 180_000);
  return asked;
}

/** 3.5. Without any model: the demo is one click away and each of its parts works, with real tools on the sample repository. */
export async function playTheDemo(stage) {
  const { folder: repo } = await ensureSample(path.join(stage.temp, 'tea-shop'));
  const at = (name) => path.join(repo, name);
  const git = (...args) => execFileSync('git', args, { cwd: repo, encoding: 'utf8' });
  const config = path.join(stage.temp, 'demo-config');
  const server = await startServer({ testbed: await installTestbed(), dir: path.join(stage.temp, 'demo'), env: { CLAUDE_CONFIG_DIR: config, ANTHROPIC_API_KEY: '', ANTHROPIC_BASE_URL: '', ANTHROPIC_AUTH_TOKEN: '', GIT_AUTHOR_NAME: 'Walk', GIT_AUTHOR_EMAIL: 'walk@example.org', GIT_COMMITTER_NAME: 'Walk', GIT_COMMITTER_EMAIL: 'walk@example.org' } });
  let page;
  try {
    page = await openWorkbench({ browser: stage.browser, server, folder: repo, extensionPath: stage.root });
    const sidebar = new Sidebar(page);
    const shot = (name) => screenshot(page, stage.shotFile(name));
    await focusView(page, 'troupe.chat');
    await sidebar.sees('Choose a model to start', 60_000);
    await shot('demo-offered');
    await sidebar.click(/Try the demo/);
    await sidebar.sees('Demo: scripted, no model');
    await sidebar.click(/Start the demo/);
    await sidebar.sees(/Your words don’t matter/, 90_000);
    assert.equal(git('status', '--porcelain'), '', 'looking around changed nothing');
    await shot('demo-looks');

    await sidebar.send('go on');
    const fixing = await allowUntil(sidebar, /all 5 tests pass/, async (count) => count === 1 && shot('demo-edit-ask'));
    assert.match(fixing[0], /money\.js/);
    assert.match(fixing.join('\n'), /npm test/);
    assert.match(readFileSync(at('src/money.js'), 'utf8'), /Math\.round\(\(cents/);

    await sidebar.send('go on');
    const deep = await allowUntil(sidebar, /Half a cent is lost|That is right/, async (count) => count === 1 && screenshot(page, path.join(stage.root, 'test/golden/screens/demo-agents-ask.png')));
    assert.match(deep.join('\n'), /node src\/receipt\.js/);
    assert.match(deep.join('\n'), /node --test test\/saving\.test\.js/);
    await sidebar.sees(/open the/, 60_000);
    assert.ok(existsSync(at('.claude/worktrees/saving/test/saving.test.js')), 'the work waits in its worktree');
    assert.equal(existsSync(at('test/saving.test.js')), false, 'and is not in the person’s files');
    await sidebar.click(/^Agents/, 'tab');
    await sidebar.sees('price-checker');
    await shot('demo-agents');

    await sidebar.click(/^Review/, 'tab');
    await sidebar.click('Merge saving…');
    const sheet = (await sidebar.frame()).getByRole('dialog', { name: 'Take in saving' });
    await sheet.waitFor();
    await shot('demo-merge');
    await sheet.getByRole('button', { name: /^(Merge|Apply)/ }).last().click();
    await waitFor('the merge to be on disk', () => existsSync(at('test/saving.test.js')));
    assert.match(readFileSync(at('src/money.js'), 'utf8'), /Math\.round\(\(cents/, 'the uncommitted change is still there');

    await sidebar.click(/^Chat/, 'tab');
    await sidebar.send('go on');
    await allowUntil(sidebar, /Merged:/);
    await sidebar.send('go on');
    await allowUntil(sidebar, /Now point at your message/);
    assert.ok(existsSync(at('troupe-demo/made-by-the-shell.txt')));
    const mine = (await sidebar.frame()).locator('.ask').last();
    await mine.hover();
    await mine.getByRole('button', { name: 'Undo this turn' }).click();
    await waitFor('the file of the shell to be gone', () => !existsSync(at('troupe-demo/made-by-the-shell.txt')));
    await sidebar.sees(/^Undone:/);
    await shot('demo-undone');

    await sidebar.send('skills');
    await allowUntil(sidebar, /is written, as the skill asks/);
    assert.ok(existsSync(at('notes/1.3.0.md')));
    await sidebar.send('plan');
    await sidebar.sees('Plan of the demo', 90_000);
    await shot('demo-plan');
    await sidebar.click(/^Approve/);
    await allowUntil(sidebar, /Done as planned/);
    assert.ok(existsSync(at('test/empty.test.js')));
    await sidebar.send('go on');
    await sidebar.sees(/That was the demo/, 60_000);
    await sidebar.click('Set up…');
    await sidebar.sees('Anthropic API key');
  } catch (error) {
    if (page) await screenshot(page, path.join(stage.root, 'test/.out/walk-demo-failed.png'));
    throw error;
  } finally {
    await page?.close();
    await server.stop();
  }
}
