import { expect } from 'vitest';
import type { ModelRequest } from '../../../extension/ports';
import { contextParts } from '../../../extension/engine/contextReport';
import type { LiveSession } from '../../../extension/engine/liveSession';
import { broken, reply, tooLong } from '../../support/scriptedModel';
import { verifies } from '../../support/verifies';
import { createFolder, type Folder, type Window } from './engineWorld';

const draft = (text: string) => ({ text, attachments: [] });
const full = { inputTokens: 185_000, outputTokens: 50 };
const textOf = (request: ModelRequest | undefined): string => JSON.stringify(request?.messages ?? []);
const summaryAsked = (request: ModelRequest | undefined): boolean => textOf(request).includes('is about to be shortened');

function sendTo(session: LiveSession, text: string): Promise<unknown> {
  session.submit(draft(text), false);
  return session.settled();
}

async function started(folder: Folder = createFolder({ 'repo/CLAUDE.md': 'Write tests first.', 'repo/a.txt': 'alpha' })): Promise<{ folder: Folder; window: Window; session: LiveSession; say: (text: string) => Promise<unknown> }> {
  const window = folder.open();
  const session = await window.sessions.start('default');
  return { folder, window, session, say: (text) => sendTo(session, text) };
}

verifies('context:compact:auto', async () => {
  const { folder, window, session, say } = await started();
  window.model.add(reply({ text: 'Looking.', calls: [{ id: 'r1', name: 'Read', input: { file_path: `${folder.repo}/a.txt` } }], usage: full }), reply({ text: '# Goal\nFind alpha.' }), reply({ text: 'It is alpha.' }));
  await say('What is in a.txt?');
  const [, asked, next] = window.model.requests;
  expect([summaryAsked(asked), asked?.messages.length, asked?.tools, asked?.system]).toEqual([true, 3, window.model.requests[0]?.tools, window.model.requests[0]?.system]);
  expect([next?.messages.length, next?.messages[0]?.role, summaryAsked(next)]).toEqual([1, 'user', false]);
  expect(session.log.view.conversations['main']?.map((entry) => entry.kind)).toEqual(['user', 'assistant', 'tool', 'compaction', 'assistant', 'turnEnd']);
  expect(session.log.view.agents['main']?.status).toBe('idle');
  expect(session.log.view.costUsd).toBeCloseTo(0.03);
});

verifies('context:compact:keeps', async () => {
  const { folder, window, say } = await started(createFolder({ 'repo/CLAUDE.md': 'Write tests first.', 'repo/a.txt': 'alpha', 'repo/.claude/skills/tidy/SKILL.md': '---\nname: tidy\ndescription: Tidy up\n---\nSort the drawer first.' }));
  window.model.add(reply({ text: 'Tidied.' }), reply({ calls: [{ id: 'r1', name: 'Read', input: { file_path: `${folder.repo}/a.txt` } }], usage: full }), reply({ text: 'THE SUMMARY' }), reply({ text: 'Done.' }));
  await say('/tidy the desk');
  await say('Never touch b.txt');
  const sent = textOf(window.model.requests[3]);
  for (const kept of ['THE SUMMARY', 'Write tests first.', '> /tidy the desk', '> Never touch b.txt', 'Sort the drawer first.', `${folder.repo}/a.txt`]) expect(sent).toContain(kept);
  expect(sent).not.toContain('alpha');
});

verifies('context:compact:overflow', async () => {
  const { folder, window, session, say } = await started();
  const read = reply({ calls: [{ id: 'r1', name: 'Read', input: { file_path: `${folder.repo}/a.txt` } }] });
  window.model.add(read, tooLong, tooLong, reply({ text: 'SHORT' }), reply({ text: 'Went on.' }));
  await say('Read it');
  expect(window.model.requests.map(summaryAsked)).toEqual([false, false, true, true, false]);
  expect(textOf(window.model.requests[4])).toContain('SHORT');
  window.model.add(tooLong, reply({ text: 'AGAIN' }), tooLong);
  await say('More');
  expect(session.log.view.conversations['main']?.at(-1)).toMatchObject({ kind: 'turnEnd', stop: 'error', problem: { code: 'contextOverflow' } });
});

verifies('context:compact:manual', async () => {
  const { window, session, say } = await started();
  window.model.add(reply({ text: 'Hello.' }), reply({ text: 'SUMMARY' }), reply({ text: 'Yes.' }));
  const agent = await session.liveAgent('main');
  expect(await agent?.compact('')).toBe('There is nothing to summarise yet.');
  await say('Hi');
  expect(await agent?.compact('keep the names')).toBeUndefined();
  expect(textOf(window.model.requests[1])).toContain('The person asks of this summary: keep the names');
  await say('Still there?');
  expect(window.model.requests[2]?.messages).toHaveLength(1);
  expect(textOf(window.model.requests[2])).toMatch(/SUMMARY.*Still there\?/s);
});

verifies('context:compact:failed', async () => {
  const { window, session, say } = await started();
  window.model.add(reply({ text: 'One.', usage: full }), broken(''), reply({ text: 'Two.', usage: full }), broken(''), reply({ text: 'Three.', usage: full }), reply({ text: 'Four.' }));
  for (const word of ['a', 'b', 'c', 'd']) await say(word);
  expect(window.model.requests.map(summaryAsked)).toEqual([false, true, false, true, false, false]);
  expect(window.model.requests[5]?.messages).toHaveLength(7);
  expect(session.log.view.notices.map((notice) => notice.code)).toEqual(['notCompacted', 'notCompacted']);
});

verifies('context:compact:resumes', async () => {
  const { folder, window, session, say } = await started();
  window.model.add(reply({ text: 'One.', usage: full }), reply({ text: 'SUMMARY' }), reply({ text: 'Two.' }));
  await say('a');
  await say('b');
  await window.close();
  const second = folder.open();
  const again = await second.sessions.resume(session.sessionId);
  second.model.add(reply({ text: 'Three.' }));
  again.submit(draft('c'), false);
  await again.settled();
  const before = window.model.requests[2]?.messages ?? [];
  expect(second.model.requests[0]?.messages.slice(0, before.length)).toEqual(before);
});

verifies('context:compact:children', async () => {
  const { folder, window, session, say } = await started();
  window.model.add(
    reply({ calls: [{ id: 'a1', name: 'Agent', input: { description: 'look', prompt: 'BRIEF: read a.txt' } }] }),
    reply({ calls: [{ id: 'r1', name: 'Read', input: { file_path: `${folder.repo}/a.txt` } }], usage: full }),
    reply({ text: 'CHILD SUMMARY' }),
    reply({ text: 'Report.' }),
    reply({ text: 'Done.' }),
  );
  await say('Send somebody');
  const child = window.model.requests[3];
  expect([child?.messages.length, textOf(child).includes('CHILD SUMMARY'), textOf(child).includes('BRIEF: read a.txt')]).toEqual([1, true, true]);
  expect(window.model.requests[4]?.messages).toHaveLength(3);
  expect(Object.values(session.log.view.conversations).filter((entries) => entries.some((entry) => entry.kind === 'compaction'))).toHaveLength(1);
});

verifies('context:report:parts', async () => {
  const { folder, window, session, say } = await started();
  window.model.add(reply({ calls: [{ id: 'r1', name: 'Read', input: { file_path: `${folder.repo}/a.txt` } }] }), reply({ text: 'ok', usage: { inputTokens: 1_000 } }));
  await say('Read it');
  const report = (await session.liveAgent('main'))?.contextReport();
  expect(report).toMatchObject({ usedTokens: 1_000, limitTokens: 200_000, compactsAtTokens: 180_000 });
  expect(report?.parts.map((part) => part.kind).toSorted()).toEqual(['files', 'listings', 'memory', 'messages', 'system', 'tools']);
  const big = contextParts({ model: 'm', system: [], tools: [{ name: 'mcp__x__y', description: 'z'.repeat(3500), inputSchema: {} }], messages: [] });
  expect(big).toEqual([{ kind: 'mcp', label: 'MCP servers', tokens: expect.any(Number) }]);
});

verifies('memory:add:told', async () => {
  const { window, session, say } = await started();
  window.model.add(reply({ text: 'One.' }), reply({ text: 'Two.' }));
  await say('a');
  session.remind('The person added this: use tabs');
  await say('b');
  expect(textOf(window.model.requests[1])).toMatch(/The person added this: use tabs/);
});
