import assert from 'node:assert/strict';
import { requests, runCommand, waitFor } from './stage.mjs';

const lastUserText = (stage) => JSON.stringify(requests(stage).at(-1)?.body.messages.at(-1)?.content ?? '');

/** 4. A skill by `/name args`, from the palette, by keybinding, and called by the model. */
export async function runSkills(stage) {
  const { sidebar, model, script, page } = stage;
  const { reply, say, callTool } = script;
  model.script(say('Ahoy Ada.'));
  await sidebar.type('/gre');
  await (await sidebar.frame()).getByRole('option', { name: /greet/ }).first().waitFor();
  await stage.shot('slash-menu');
  await sidebar.send('/greet Ada');
  await sidebar.sees('Ahoy Ada.');
  assert.match(lastUserText(stage), /Greet Ada in one short line/, 'the model reads the skill with its argument');

  model.script(say('Ahoy Bo.'));
  await runCommand(page, 'Troupe: Run Skill…');
  const input = page.locator('.quick-input-widget input').first();
  await input.fill('greet');
  await page.locator('.quick-input-list .monaco-list-row').filter({ hasText: 'greet' }).first().waitFor();
  await stage.shot('palette');
  await input.press('Enter');
  await waitFor('the question for arguments', async () => (await page.locator('.quick-input-list .monaco-list-row').count()) === 0);
  await input.fill('Bo');
  await input.press('Enter');
  await sidebar.sees('Ahoy Bo.');
  assert.match(lastUserText(stage), /Greet Bo in one short line/);

  model.script(say('Ahoy Keys.'));
  await page.keyboard.press('Control+Alt+g');
  await sidebar.sees('Ahoy Keys.');
  assert.match(lastUserText(stage), /Greet Keys in one short line/);

  model.script(reply(callTool('Skill', { skill: 'greet', args: 'Model' })), say('Ahoy Model.'));
  await sidebar.send('Somebody arrives');
  await sidebar.sees('Ahoy Model.');
  assert.match(lastUserText(stage), /Greet Model in one short line/, 'the Skill tool brought the text in');
}
