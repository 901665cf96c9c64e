import assert from 'node:assert/strict';
import { lastText, runCommand, runCommandId, waitFor } from './stage.mjs';

/** 9. The same app as an editor tab: two views of one session stay in step. */
export async function openInEditor(stage) {
  const { page, model, script, sidebar } = stage;
  const apps = async () => {
    const found = [];
    for (const frame of page.frames()) if (await frame.locator('#root .app').count().catch(() => 0)) found.push(frame);
    return found;
  };
  await runCommandId(page, 'troupe.openInEditor', async () => (await apps()).length === 2);
  model.script(script.say('Seen in both.'));
  await sidebar.send('Show yourself twice');
  await waitFor('the reply in both views', async () => {
    const seen = await Promise.all((await apps()).map((frame) => frame.getByText('Seen in both.').count()));
    return seen.length === 2 && seen.every((count) => count > 0);
  });
  await stage.shot('two-views');
  await runCommand(page, 'View: Close All Editors');
  await waitFor('the tab to close', async () => (await apps()).length === 1);
}

/** 9b. "Ask Troupe" about a selection brings it into the message box as a chip. */
export async function askAboutASelection(stage) {
  const { page, sidebar, model, script } = stage;
  await page.keyboard.press('Control+P');
  const input = page.locator('.quick-input-widget input').first();
  await input.fill('tide.js');
  await page.locator('.quick-input-list .monaco-list-row').filter({ hasText: 'tide.js' }).first().waitFor();
  await input.press('Enter');
  await page.locator('.monaco-editor .view-line').first().waitFor();
  await page.locator('.monaco-editor .view-lines').first().click();
  await page.keyboard.press('Control+A');
  await runCommand(page, 'Troupe: Ask Troupe');
  await (await sidebar.frame()).getByRole('button', { name: /Remove .*tide\.js/ }).waitFor({ timeout: 30_000 });
  model.script(script.say('It is about tides.'));
  await sidebar.send('What is this?');
  await sidebar.sees('It is about tides.');
  assert.match(lastText(stage), /<selection path="[^"]*tide\.js"/, 'the selection went with the message');
}
