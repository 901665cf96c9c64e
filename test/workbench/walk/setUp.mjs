import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { key, waitFor } from './stage.mjs';

/** 1. With no model the sidebar says so and a server is set up in it; the key lies in no file. */
export async function setUpModel(stage) {
  const { sidebar, model } = stage;
  await sidebar.sees('Choose a model to start');
  await sidebar.sees('Anthropic API key');
  await sidebar.sees('Use VS Code’s models');
  await sidebar.click(/Another server/);
  await (await sidebar.field('Address')).fill(model.url);
  await (await sidebar.field('Key')).fill('wrong-key');
  await sidebar.click('Find its models');
  await sidebar.sees(/refused|not accepted|401/i);
  await (await sidebar.field('Key')).fill(key);
  await sidebar.click('Find its models');
  const picker = (await sidebar.frame()).locator('.picker select');
  await picker.selectOption('test-model', { timeout: 30_000 });
  await stage.shot('set-up');
  await sidebar.click('Use this model');
  await (await sidebar.box()).waitFor({ timeout: 60_000 });
  assert.ok(model.requests.some((request) => request.path.startsWith('/v1/models')), 'the server was asked for its models');
  await waitFor('the choice to be saved', () => grep('test-model', stage.config) !== '');
  assert.equal(grep(key, stage.config), '', 'the key is in no file of the config folder');
}

function grep(text, folder) {
  try {
    return execFileSync('grep', ['-rl', text, folder], { encoding: 'utf8' });
  } catch (error) {
    if (error.status === 1) return '';
    throw error;
  }
}
