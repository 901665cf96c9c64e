import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { worktreeNamed, worktreesOf } from './agents.mjs';
import { exists, newSession, read, runCommand, waitFor } from './stage.mjs';

/** 3. Review: VS Code's multi-file diff, a merge beside uncommitted work, a conflict named, discard and back; the unchanged one is gone. */
export async function reviewAndMerge(stage) {
  const { sidebar, model, script, page, git, repo } = stage;
  const { reply, say, callTool, when } = script;
  const agent = (prompt, name) => callTool('Agent', { description: name, prompt, name, isolation: 'worktree' });
  git('add', '-A');
  git('commit', '-q', '--allow-empty', '-m', 'before the review');
  await newSession(stage);
  await sidebar.pickMode('Accept edits');
  model.script(
    when({ first: 'ALPHA-BRIEF' }, [
      callTool('Read', { file_path: 'CLAUDE.md' }),
      reply(callTool('Edit', { file_path: 'CLAUDE.md', old_string: 'plain English', new_string: 'very plain English' }), callTool('Write', { file_path: 'docs/the crew.md', content: '# The crew\n' })),
      say('Alpha is done.'),
    ]),
    when({ first: 'BETA-BRIEF' }, [callTool('Read', { file_path: 'README.md' }), callTool('Write', { file_path: 'README.md', content: '# Harbour of beta\n' }), say('Beta is done.')]),
    when({ first: 'GAMMA-BRIEF' }, [callTool('Read', { file_path: 'README.md' }), say('Gamma changed nothing.')]),
    reply(agent('ALPHA-BRIEF', 'alpha'), agent('BETA-BRIEF', 'beta'), agent('GAMMA-BRIEF', 'gamma')),
    say('Three reports are in.'),
  );
  await sidebar.send('Let three agents work apart');
  await sidebar.sees('Three reports are in.', 120_000);
  await waitFor('the unchanged worktree to go by itself', () => !worktreesOf(stage).some((name) => name.startsWith('gamma')));
  const alpha = await worktreeNamed(stage, 'alpha');
  const beta = await worktreeNamed(stage, 'beta');

  await sidebar.tab('Review');
  const card = await sidebar.card(alpha.name);
  await card.getByText('the crew.md').waitFor();
  await stage.shot('cards');
  await card.getByRole('button', { name: /^Review 2/ }).click();
  const diffs = page.locator('.multiDiffEditor');
  await waitFor('both files in the multi-file diff editor', async () => {
    const text = (await diffs.count()) > 0 ? (await diffs.first().innerText()).replaceAll('\u00a0', ' ') : '';
    return text.includes('CLAUDE.md') && text.includes('the crew.md') && text.includes('Write in plain English.') && text.includes('Write in very plain English.');
  }, 60_000);
  await stage.shot('multi-diff');
  await runCommand(page, 'View: Close All Editors');
  await card.locator('.fbtn').filter({ hasText: 'CLAUDE.md' }).click();
  await page.locator('.monaco-diff-editor .modified .view-line').filter({ hasText: 'very' }).first().waitFor();
  await runCommand(page, 'View: Close All Editors');

  writeFileSync(path.join(repo, 'src/berth.js'), 'export const berths = 99; // by hand\n');
  await card.getByRole('button', { name: /^Merge/ }).click();
  await sidebar.sees('You have uncommitted changes there.');
  await stage.shot('merge');
  assert.match(read(stage, 'CLAUDE.md'), /in plain English/, 'nothing happens before the button');
  await (await sidebar.frame()).getByRole('button', { name: 'Merge into main' }).click();
  await sidebar.sees(`Merged ${alpha.name} into main`, 60_000);
  assert.match(read(stage, 'CLAUDE.md'), /very plain English/, 'the change is in');
  assert.equal(read(stage, 'docs/the crew.md'), '# The crew\n');
  assert.match(read(stage, 'src/berth.js'), /by hand/, 'the uncommitted file was not touched');
  assert.match(git('status', '--porcelain'), /^ M src\/berth\.js/m);
  assert.doesNotMatch(git('status', '--porcelain'), /CLAUDE\.md|crew/, 'what was merged is committed');
  await stage.shot('merged');

  writeFileSync(path.join(repo, 'README.md'), '# Harbour of main\n');
  git('commit', '-qm', 'main goes on', 'README.md');
  const head = git('rev-parse', 'HEAD');
  const other = await sidebar.card(beta.name);
  await other.getByRole('button', { name: /^Merge/ }).click();
  await sidebar.sees(/README\.md: both sides changed it/);
  await stage.shot('conflict');
  await (await sidebar.frame()).getByRole('button', { name: 'Cancel' }).click();
  assert.equal(git('rev-parse', 'HEAD'), head, 'nothing was merged');
  assert.equal(read(stage, 'README.md'), '# Harbour of main\n');

  await other.getByRole('button', { name: `Discard ${beta.name}` }).click();
  await waitFor('the worktree to be gone', () => !exists(stage, `.claude/worktrees/${beta.name}`));
  await sidebar.sees(`Discarded ${beta.name}`);
  const restore = (await sidebar.frame()).getByRole('button', { name: `Restore ${beta.name}` }).first();
  await restore.waitFor();
  await stage.shot('trash');
  await restore.click();
  await waitFor('it to be back as it was', () => exists(stage, `.claude/worktrees/${beta.name}`) && beta.read('README.md') === '# Harbour of beta\n');
  await sidebar.card(beta.name);
  git('checkout', '-q', '--', 'src/berth.js');
}

/** 4. Undo this turn: edits and what a shell did go back; what a hand changed since stays and is named; Redo. */
export async function undoATurn(stage) {
  const { sidebar, model, script, repo } = stage;
  const { reply, say, callTool } = script;
  await newSession(stage);
  await sidebar.pickMode('Accept edits');
  const tide = read(stage, 'src/tide.js');
  model.script(
    reply(callTool('Write', { file_path: `${repo}/src/gull.js`, content: 'export const gulls = 3;\n' }), callTool('Read', { file_path: `${repo}/src/tide.js` })),
    callTool('Edit', { file_path: `${repo}/src/tide.js`, old_string: 'falling', new_string: 'ebbing' }),
    callTool('Bash', { command: 'echo shell > by-shell.txt' }),
    say('Gulls and tides are done.'),
  );
  await sidebar.send('Mind the gulls');
  await sidebar.sees('Gulls and tides are done.', 90_000);
  await sidebar.sees('Idle'); // the turn's end is kept before the person can take up the files
  assert.ok(exists(stage, 'by-shell.txt') && exists(stage, 'src/gull.js') && /ebbing/.test(read(stage, 'src/tide.js')));
  writeFileSync(path.join(repo, 'src/gull.js'), 'export const gulls = 4; // counted again by hand\n');

  const frame = await sidebar.frame();
  await frame.locator('.ask').filter({ hasText: 'Mind the gulls' }).hover();
  await stage.shot('undo');
  await frame.getByRole('button', { name: 'Undo this turn' }).click();
  const undone = frame.getByRole('region', { name: 'This turn was undone' });
  await undone.waitFor({ timeout: 60_000 });
  const said = await undone.innerText();
  assert.match(said, /src\/tide\.js/);
  assert.match(said, /src\/gull\.js: edited since/, 'what was kept is named with the reason');
  assert.equal(read(stage, 'src/tide.js'), tide, 'the edit is taken back');
  assert.equal(exists(stage, 'by-shell.txt'), false, 'what the shell made is gone');
  assert.match(read(stage, 'src/gull.js'), /counted again by hand/, 'the hand-edited file is kept');
  await stage.shot('undone');
  await undone.locator('vscode-button').filter({ hasText: 'Redo' }).click();
  await waitFor('the turn’s work to be back', () => exists(stage, 'by-shell.txt') && /ebbing/.test(read(stage, 'src/tide.js')));
  await undone.waitFor({ state: 'detached' });
}
