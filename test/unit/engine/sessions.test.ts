import { existsSync } from 'node:fs';
import { expect } from 'vitest';
import { CallError } from '../../../extension/protocol/callError';
import { broken, reply } from '../../support/scriptedModel';
import { verifies } from '../../support/verifies';
import { createFolder } from './engineWorld';

const failure = (work: Promise<unknown>): Promise<string> => work.then(() => 'no failure', (thrown) => (thrown instanceof CallError ? `${thrown.code}: ${thrown.message}` : String(thrown)));
const draft = (text: string) => ({ text, attachments: [] });
const ask = { type: 'tool_use' as const, id: 'c1', name: 'AskUserQuestion', input: { questions: [{ question: 'Which one?', header: 'Choice', options: [{ label: 'A', description: 'a' }, { label: 'B', description: 'b' }], multiSelect: false }] } };

verifies('engine:sessions:resume', async () => {
  const folder = createFolder({ 'repo/a.txt': 'x' });
  const first = folder.open();
  const session = await first.sessions.start('acceptEdits');
  first.model.add(reply({ text: 'Hello.' }));
  session.submit(draft('remember this'), false);
  expect((await session.settled())?.stop).toBe('done');
  await first.close();

  const second = folder.open();
  second.model.add(reply({ text: 'I do.' }));
  const again = await second.sessions.resume(session.sessionId);
  expect(again.log.view).toEqual(session.log.view);
  again.submit(draft('do you?'), false);
  await again.settled();
  const [sent] = second.model.requests;
  expect(sent?.messages.slice(0, 1)).toEqual(first.model.requests[0]?.messages);
  expect(sent?.messages.slice(1)).toEqual([{ role: 'assistant', content: [{ type: 'text', text: 'Hello.' }] }, { role: 'user', content: [{ type: 'text', text: 'do you?' }] }]);
  expect(await second.sessions.resume(session.sessionId)).toBe(again);
  expect(again.mode).toBe('acceptEdits');
});

verifies('engine:sessions:resume', async () => {
  const folder = createFolder();
  const first = folder.open();
  const session = await first.sessions.start('default');
  first.model.add(reply({ calls: [ask] }));
  const asked = new Promise<string>((resolve) => session.log.on((event) => { if (event.type === 'question/asked') resolve(event.request.requestId); }));
  session.submit(draft('ask me'), false);
  const requestId = await asked;
  await first.close();

  const second = folder.open();
  second.model.add(reply({ text: 'A it is.' }));
  const again = await second.sessions.resume(session.sessionId);
  expect(again.log.view.pendingAsks.map((pending) => pending.request.requestId)).toEqual([requestId]);
  expect(second.sessions.summaries()).toMatchObject([{ group: 'needsYou', pendingAsks: 1 }]);
  expect(again.desk.reply(requestId, { behavior: 'answer', answers: { 'Which one?': 'A' } })).toBe(true);
  expect((await again.settled())?.stop).toBe('done');
  expect(again.log.view.pendingAsks).toEqual([]);
  expect(JSON.stringify(second.model.requests[0]?.messages.at(-1))).toContain('A');
}, { case: 'a question left open is answered after the restart' });

verifies('engine:sessions:resume', async () => {
  const { sessions } = createFolder().open();
  expect(await failure(sessions.resume('5f0c1f0e-5a52-4c1e-9a3b-0d2f7f6f1a11'))).toMatch(/^notFound: /);
  expect(await failure(sessions.resume('../../etc'))).toMatch(/^notFound: /);
  expect(await failure(sessions.view('nope'))).toMatch(/^notFound: /);
  expect(() => sessions.get('nope')).toThrow('is not open');
  const id = '5f0c1f0e-5a52-4c1e-9a3b-0d2f7f6f1a12';
  expect((await sessions.start('default', id)).sessionId).toBe(id);
  expect(await failure(sessions.start('default', id))).toMatch(/^invalid: There is already a session/);
}, { case: 'unknown and taken ids' });

verifies('engine:sessions:one-writer', async () => {
  const folder = createFolder();
  const [mine, other] = [folder.open(), folder.open()];
  const session = await mine.sessions.start('default');
  mine.model.add(reply({ text: 'Hi.' }));
  session.submit(draft('hello'), false);
  await session.settled();
  expect(await failure(other.sessions.resume(session.sessionId))).toMatch(/^readOnly: Another window/);
  expect((await other.sessions.view(session.sessionId)).conversations).toEqual(session.log.view.conversations);
  expect(other.sessions.summaries()).toMatchObject([{ sessionId: session.sessionId, readOnly: true, title: 'hello' }]);
  expect(mine.sessions.summaries()).toMatchObject([{ readOnly: false, group: 'done' }]);
  expect(await other.sessions.current('default')).not.toMatchObject({ sessionId: session.sessionId });
  await mine.close();
  expect((await other.sessions.resume(session.sessionId)).sessionId).toBe(session.sessionId);
});

verifies('engine:sessions:current', async () => {
  const folder = createFolder();
  const first = folder.open();
  const [one, two] = await Promise.all([first.sessions.current('plan'), first.sessions.current('plan')]);
  expect(one).toBe(two);
  expect([one.mode, first.sessions.all().length]).toEqual(['plan', 1]);
  first.model.add(broken(''), reply({ text: 'Hi.' }));
  one.submit(draft('older'), false);
  await one.settled();
  await folder.clock.advance(1_000);
  const newer = await first.sessions.start('default');
  newer.submit(draft('newer'), false);
  await newer.settled();
  await first.close();

  const second = folder.open();
  expect((await second.sessions.current('default')).sessionId).toBe(newer.sessionId);
  await second.close();
  await folder.clock.advance(13 * 60 * 60_000);
  const third = folder.open();
  const fresh = await third.sessions.current('default');
  expect([one.sessionId, newer.sessionId]).not.toContain(fresh.sessionId);
  expect(third.sessions.summaries().map((session) => session.title)).toEqual(['New session', 'newer', 'older']);
});

verifies('engine:sessions:discard', async () => {
  const folder = createFolder();
  let stop: (() => Promise<string>) | undefined;
  const told: string[] = [];
  const window = folder.open({ onPoint: async () => { if (stop) { told.push(await stop()); stop = undefined; } } });
  const [session, kept] = [await window.sessions.start('default'), await window.sessions.start('default')];
  stop = () => failure(window.sessions.discard(session.sessionId));
  window.model.add(reply({ text: 'Hi.' }));
  session.submit(draft('hello'), false);
  await session.settled();
  expect(told).toEqual(['busy: This session is working. Stop it before you delete it.']);
  await window.sessions.discard(session.sessionId);
  expect(window.sessions.summaries().map((summary) => summary.sessionId)).toEqual([kept.sessionId]);
  expect([existsSync(window.kit.sessions.folder(session.sessionId)), existsSync(window.kit.sessions.folder(kept.sessionId))]).toEqual([false, true]);
  expect(await failure(window.sessions.discard(session.sessionId))).toMatch(/^notFound/);
});

verifies('engine:sessions:discard', async () => {
  const folder = createFolder();
  const [mine, other] = [folder.open(), folder.open()];
  const session = await mine.sessions.start('default');
  expect(await failure(other.sessions.discard(session.sessionId))).toMatch(/^readOnly: Another window/);
  expect(existsSync(mine.kit.sessions.folder(session.sessionId))).toBe(true);
}, { case: 'not under the hands of another window' });

verifies('engine:sessions:current', async () => {
  const folder = createFolder();
  const first = folder.open();
  const looked = await first.sessions.start('default');
  first.model.add(reply({ text: 'Hello.' }));
  looked.submit(draft('just talk'), false);
  await looked.settled();
  const waiting = await first.sessions.start('default');
  first.model.add(reply({ calls: [ask] }));
  const asked = new Promise<void>((resolve) => waiting.log.on((event) => { if (event.type === 'question/asked') resolve(); }));
  waiting.submit(draft('ask me'), false);
  await asked;
  // The new window opens while the old one is still closing, and asks for the session it looked at last.
  const closing = first.close();
  const second = folder.open();
  const [shown] = await Promise.all([second.sessions.current('default', looked.sessionId), closing]);
  expect(shown.sessionId).toBe(waiting.sessionId);
  expect(second.sessions.summaries().find((s) => s.sessionId === waiting.sessionId)).toMatchObject({ group: 'needsYou', pendingAsks: 1 });
}, { case: 'what waits for its person comes before what was looked at last, while the old window closes' });
