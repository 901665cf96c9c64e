import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { exists, focusView, newSession, reload, requests, waitFor } from './stage.mjs';

/** Folders of the worktrees there are now. */
export function worktreesOf(stage) {
  const folder = path.join(stage.repo, '.claude/worktrees');
  return existsSync(folder) ? readdirSync(folder) : [];
}

/** The one worktree whose name begins with these words, once it is there. */
export async function worktreeNamed(stage, start) {
  const name = await waitFor(`a worktree ${start}…`, () => worktreesOf(stage).find((one) => one.startsWith(start)));
  return { name, read: (file) => readFileSync(path.join(stage.repo, '.claude/worktrees', name, file), 'utf8'), has: (file) => existsSync(path.join(stage.repo, '.claude/worktrees', name, file)) };
}

/** Requests of the agent whose brief holds these words. */
export const asked = (stage, brief) => requests(stage).filter((request) => JSON.stringify(request.body.messages[0]).includes(brief));

const agent = (script, prompt, name, more = {}) => script.callTool('Agent', { description: `the work of ${name}`, prompt, name, ...more });

/** 1. Two agents side by side, one in a worktree, one that starts another: the live tree, a conversation, one stopped. */
export async function agentsAtWork(stage) {
  const { sidebar, model, script } = stage;
  const { reply, say, callTool, hold, when } = script;
  await newSession(stage);
  await sidebar.pickMode('Accept edits');
  model.script(
    when({ first: 'COUNT-BRIEF' }, [reply(say('I count the boats one by one.'), hold('never ends'))]),
    when({ first: 'TIDE-BRIEF' }, [callTool('Write', { file_path: 'src/table.js', content: 'export const table = [1, 2, 3];\n' }), reply(say('The table is written.'), hold('tide'), say(' All done.'))]),
    when({ first: 'SURVEY-BRIEF' }, [agent(script, 'COUNT-BRIEF', 'counter'), say('Surveyed without a count.')]),
    reply(say('Two at once.'), agent(script, 'TIDE-BRIEF', 'tide-coder', { isolation: 'worktree' }), agent(script, 'SURVEY-BRIEF', 'surveyor')),
    say('Both reports are in.'),
  );
  await sidebar.send('Write a tide table, and survey the harbour meanwhile');
  await waitFor('all three agents to work', () => asked(stage, 'COUNT-BRIEF').length === 1 && asked(stage, 'TIDE-BRIEF').length === 2);
  await sidebar.tab('Agents');
  await waitFor('the tree', async () => {
    const tree = await sidebar.tree();
    return ['1 lead', '2 tide-coder', '2 surveyor', '3 counter'].every((row) => tree.includes(row));
  });
  await stage.shot('tree');
  const { name, read: readThere } = await worktreeNamed(stage, 'tide-coder');
  assert.equal(readThere('src/table.js'), 'export const table = [1, 2, 3];\n', 'the work lies in the worktree');
  assert.equal(exists(stage, 'src/table.js'), false, 'and not among the person’s files');

  await (await sidebar.agentRow('counter')).click();
  await sidebar.sees('I count the boats one by one.');
  await sidebar.sees('Brief from surveyor');
  await stage.shot('conversation');
  await sidebar.tab('Agents');
  const row = await sidebar.agentRow('counter');
  await row.hover();
  await row.locator('.acts button').click();
  await waitFor('the surveyor to go on without its counter', () => asked(stage, 'SURVEY-BRIEF').length === 2);
  await waitFor('the tree to say so', async () => /stopped/.test(await row.innerText()));
  model.release('tide');
  await sidebar.tab('Chat');
  await sidebar.click('Back to lead');
  await sidebar.sees('Both reports are in.', 90_000);
  await stage.shot('reports');
  await sidebar.tab('Review');
  await (await sidebar.card(name)).getByText('table.js').first().waitFor();
}

/** 2. An ask from two levels down: who, through whom and where; granted to that agent alone; back after a reload, answered once. */
export async function asksFromDepth(stage) {
  const { sidebar, model, script, page } = stage;
  const { reply, say, callTool, when } = script;
  await newSession(stage);
  await sidebar.pickMode('Ask first');
  model.script(
    when({ first: 'MATE-BRIEF' }, [callTool('Bash', { command: 'touch mate-1.txt' }), callTool('Bash', { command: 'touch mate-2.txt' }), say('The mate is done.')]),
    when({ first: 'MASTER-BRIEF' }, [agent(script, 'MATE-BRIEF', 'mate'), callTool('Bash', { command: 'touch master.txt' }), say('The master is done.')]),
    reply(say('The harbour master takes it.'), agent(script, 'MASTER-BRIEF', 'harbour-master', { isolation: 'worktree' })),
    say('Everything is in order.'),
  );
  await sidebar.send('Have the harbour master tidy up');
  let dock = await sidebar.dock();
  const shown = await dock.innerText();
  assert.match(shown, /mate wants to/);
  assert.match(shown, /lead[\s\S]*harbour-master[\s\S]*mate/, 'the whole path is shown');
  assert.match(shown, /touch mate-1\.txt/);
  const { name, has } = await worktreeNamed(stage, 'harbour-master');
  assert.match(shown, new RegExp(name), 'and the worktree it would happen in');
  await stage.shot('ask-from-depth');
  await sidebar.answer('Always…');
  dock = await sidebar.dock();
  await dock.getByRole('radio', { name: /^This agent/ }).check();
  await stage.shot('for-this-agent');
  await dock.getByRole('button', { name: 'Save rule and allow' }).click();
  await waitFor('both files of the mate: the second without another ask', () => has('mate-1.txt') && has('mate-2.txt'));

  dock = await sidebar.dock();
  await waitFor('the master’s own ask', async () => /touch master\.txt/.test(await dock.innerText()));
  assert.match(await dock.innerText(), /harbour-master wants to/, 'what the mate may, the master asks for');
  assert.equal(has('master.txt'), false);
  const before = requests(stage).length;
  await reload(page);
  await focusView(page, 'troupe.chat');
  dock = await sidebar.dock();
  await waitFor('the ask to be back', async () => /touch master\.txt/.test(await dock.innerText()), 90_000);
  assert.equal(requests(stage).length, before, 'nothing was sent again by itself');
  await stage.shot('ask-after-reload');
  await sidebar.answer('Allow once');
  await waitFor('the answered call to run', () => has('master.txt'));
  await waitFor('the master to end, asked once more', () => asked(stage, 'MASTER-BRIEF').length === 3);
  await sidebar.sees('Everything is in order.', 60_000);
  await waitFor('nobody to be asked again', async () => (await (await sidebar.frame()).locator('section.dock').count()) === 0);
}

/** 6. A reload in the middle of all of it: tree, ask and worktree are back, nothing runs twice. */
export async function reloadInMidWork(stage) {
  const { sidebar, model, script, page } = stage;
  const { reply, say, callTool, hold, when } = script;
  await newSession(stage);
  await sidebar.pickMode('Ask first');
  model.script(
    when({ first: 'ASKER-BRIEF' }, [callTool('Bash', { command: 'touch asker.txt' }), say('The asker is done.')]),
    when({ first: 'WRITER-BRIEF' }, [reply(say('Half a sentence'), hold('never comes')), say('The writer went on.')]),
    reply(agent(script, 'ASKER-BRIEF', 'asker', { isolation: 'worktree' }), agent(script, 'WRITER-BRIEF', 'writer')),
    say('Gone on after all.'),
  );
  await sidebar.send('Ask and write at once');
  await sidebar.dock();
  await waitFor('the writer to write', () => asked(stage, 'WRITER-BRIEF').length === 1);
  const { name, has } = await worktreeNamed(stage, 'asker');
  const before = requests(stage).length;
  await reload(page);
  await focusView(page, 'troupe.chat');
  const dock = await sidebar.dock();
  await waitFor('the ask', async () => /touch asker\.txt/.test(await dock.innerText()), 90_000);
  await sidebar.tab('Agents');
  await waitFor('the tree', async () => {
    const tree = await sidebar.tree();
    return ['1 lead', '2 asker', '2 writer'].every((row) => tree.includes(row));
  });
  await stage.shot('tree-after-reload');
  await sidebar.tab('Review');
  await sidebar.card(name);
  assert.equal(has('asker.txt'), false, 'the call waits for its answer');
  assert.equal(requests(stage).length, before, 'no request was sent by the reload itself');
  await stage.shot('worktree-after-reload');
  await sidebar.answer('Allow once');
  await waitFor('the answered call to run', () => has('asker.txt'));
  await waitFor('the asker to go on, once', () => asked(stage, 'ASKER-BRIEF').length === 2);
  assert.equal(asked(stage, 'WRITER-BRIEF').length, 1, 'what the reload interrupted is not sent again by itself');
}
