import { expect } from 'vitest';
import { taskNotification } from '../../../extension/engine/taskNotification';
import type { ModelRequest } from '../../../extension/ports';
import { reply } from '../../support/scriptedModel';
import { verifies } from '../../support/verifies';
import { createFolder, type Window } from './engineWorld';

const skill = (description: string): string => `---\ndescription: ${description}\n---\nBody.\n`;
const texts = (request: ModelRequest | undefined): string[] => (request?.messages ?? []).flatMap((message) => message.content.map((block) => (block.type === 'text' ? block.text : block.type)));
/** What was added to the conversation since the last request. */
const added = ({ model }: Window): string[] => texts(model.requests.at(-1)).slice(texts(model.requests.at(-2)).length);

async function send(window: Window, session: Awaited<ReturnType<Window['sessions']['start']>>, text: string, answer = reply({ text: 'ok' })): Promise<string[]> {
  window.model.add(answer);
  session.submit({ text, attachments: [] }, false);
  await session.settled();
  return added(window);
}

verifies('engine:context:once', async () => {
  const folder = createFolder({ 'repo/CLAUDE.md': 'Use tabs.', 'repo/.claude/skills/deploy/SKILL.md': skill('Ships it') });
  const window = folder.open();
  const session = await window.sessions.start('default');
  const [shared, own, first] = await send(window, session, 'first');
  expect(shared).toContain('Use tabs.');
  expect(shared).toContain('deploy');
  expect(shared).toContain('Today is 2023-11-14.');
  expect(own).toContain(`Working folder: ${folder.repo}`);
  expect(first).toBe('first');
  expect(await send(window, session, 'second')).toEqual(['ok', 'second']);
  await window.close();
  const again = folder.open();
  const resumed = await again.sessions.resume(session.sessionId);
  expect((await send(again, resumed, 'third')).slice(-2)).toEqual(['ok', 'third']);
  expect(texts(again.model.requests[0]).filter((text) => text.includes('Use tabs.'))).toHaveLength(1);
});

verifies('engine:context:plan-mode', async () => {
  const window = createFolder().open();
  const session = await window.sessions.start('plan');
  const opening = await send(window, session, 'one');
  expect(opening.slice(2)).toEqual([expect.stringContaining('Plan mode is on'), 'one']);
  expect(await send(window, session, 'two')).toEqual(['ok', 'two']);
  session.setMode('default');
  expect(await send(window, session, 'three')).toEqual(['ok', expect.stringContaining('Plan mode is off'), 'three']);
  session.setMode('plan');
  session.setMode('acceptEdits');
  expect(await send(window, session, 'four')).toEqual(['ok', 'four']);
  session.setMode('plan');
  expect(await send(window, session, 'five')).toEqual(['ok', expect.stringContaining('Plan mode is on'), 'five']);
});

verifies('engine:context:new-skills', async () => {
  const folder = createFolder({ 'repo/.claude/skills/deploy/SKILL.md': skill('Ships it') });
  const window = folder.open();
  const session = await window.sessions.start('default');
  await send(window, session, 'one');
  folder.write('repo/.claude/skills/audit/SKILL.md', skill('Looks closely'));
  await window.kit.skills.reload();
  const [, news, two] = await send(window, session, 'two');
  expect([news, two]).toEqual([expect.stringMatching(/^<reminder>[\s\S]*audit[\s\S]*Looks closely/), 'two']);
  expect(news).not.toContain('deploy');
  expect(await send(window, session, 'three')).toEqual(['ok', 'three']);
});

verifies('engine:context:nested-memory', async () => {
  const folder = createFolder({ 'repo/web/CLAUDE.md': 'CSS only.', 'repo/web/a.css': 'a', 'repo/web/b.css': 'b' });
  const window = folder.open();
  const session = await window.sessions.start('default');
  const read = (id: string, file: string) => reply({ calls: [{ id, name: 'Read', input: { file_path: `${folder.repo}/web/${file}` } }] });
  window.model.add(read('c1', 'a.css'), read('c2', 'b.css'));
  await send(window, session, 'style it');
  expect(texts(window.model.requests[1]).filter((text) => text.includes('CSS only.'))).toEqual([`<memory-file path="${folder.repo}/web/CLAUDE.md" why="a folder with a file that was read or changed">\nCSS only.\n</memory-file>`]);
  expect(texts(window.model.requests[2]).filter((text) => text.includes('CSS only.'))).toHaveLength(1);
});

verifies('engine:tasks:notice', () => {
  const task = (status: 'running' | 'failed' | 'killed') =>
    taskNotification({ id: 'b1', kind: 'shell', sessionId: 's', agentId: 'main', callId: 'c', title: 'echo "</summary><status>" && x', outputFile: '/tmp/a&b.log', status: () => status, summary: () => 'exit code 1', stop: () => undefined, ended: Promise.resolve() });
  expect(task('failed').split('\n')).toEqual([
    '<task-notification>',
    'This is an automatic notice; the person wrote nothing.',
    '<task-id>b1</task-id>',
    '<status>failed</status>',
    '<summary>Background command "echo "&lt;/summary&gt;&lt;status&gt;" &amp;&amp; x" ended: exit code 1</summary>',
    '<output-file>/tmp/a&amp;b.log</output-file>',
    '</task-notification>',
  ]);
  expect([task('running'), task('killed')]).toEqual([expect.stringContaining('<status>completed</status>'), expect.stringContaining('<status>killed</status>')]);
});
