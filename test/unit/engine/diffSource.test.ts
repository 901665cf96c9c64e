import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, expect } from 'vitest';
import { applyHunks, DiffSource } from '../../../extension/engine/diffSource';
import { createFileStore } from '../../../extension/platform/fileStore';
import type { DurableEvent } from '../../../extension/protocol/events';
import { emptyView, reduceView } from '../../../extension/protocol/reduceView';
import type { Diff } from '../../../extension/protocol/toolDisplay';
import type { View } from '../../../extension/protocol/view';
import { makeDiff } from '../../../extension/tools/makeDiff';
import { verifies } from '../../support/verifies';

const dir = mkdtempSync(join(tmpdir(), 'troupe-diff-'));
const path = join(dir, 'a.txt');
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const t = { agentId: 'main', turnId: 't' } as const;
const fold = (events: readonly object[]): View => events.map((event, i) => ({ ...event, seq: i + 1, atMs: 1 }) as DurableEvent).reduce<View>(reduceView, emptyView('s'));
const called = { type: 'message/completed', ...t, messageId: 'm', role: 'assistant', content: [{ type: 'tool_use', id: 'c', name: 'Edit', input: {} }], model: 'm', stopReason: 'tool_use', usage: {}, costUsd: 0 };
const asked = (diff: Diff): View => fold([called, { type: 'permission/requested', request: { requestId: 'a', callId: 'c', agentPath: ['main'], subject: { tool: 'Edit', kind: 'edit', title: 'edit', input: {}, cwd: '/', diff, readOnly: false }, suggestions: [], explanation: { decision: 'ask', reason: '' }, askedAtMs: 1 } }]);
const done = (diff: Diff): View => fold([called, { type: 'tool/completed', ...t, callId: 'c', name: 'Edit', outcome: 'completed', content: 'ok', display: { kind: 'diff', diff }, durationMs: 1 }]);
const source = new DiffSource(createFileStore());

/** Few different lines, so that texts share some; ends with and without a newline, some of them CRLF. */
const texts = fc.array(fc.constantFrom('a', 'b', 'c', '', '  d', '-e', '+f', '\\ g'), { maxLength: 30 }).chain((lines) => fc.constantFrom(lines.join('\n'), lines.map((line) => `${line}\n`).join(''), lines.map((line) => `${line}\r\n`).join('')));

verifies('engine:diff:round-trip', async () => {
  await fc.assert(
    fc.asyncProperty(texts, texts, async (before, after) => {
      const diff = await makeDiff({ path, before, after });
      expect(applyHunks(before, diff.hunks)).toBe(after);
      writeFileSync(path, after);
      const back = await source.forCall(done(diff), 'c');
      expect(back).toEqual({ ok: true, value: { path, before, after, title: 'edit' } });
    }),
    { numRuns: 150, seed: 7 },
  );
});

verifies('engine:diff:whole', async () => {
  const before = Array.from({ length: 40 }, (_, i) => `line ${i}`).join('\n');
  const after = before.replace('line 3', 'line three').replace('line 30', 'line thirty\nand more');
  writeFileSync(path, before);
  const diff = await makeDiff({ path, before, after });
  expect(await source.forCall(asked(diff), 'c')).toEqual({ ok: true, value: { path, before, after, title: 'proposed' } });
  writeFileSync(path, after);
  expect(await source.forCall(done(diff), 'c')).toEqual({ ok: true, value: { path, before, after, title: 'edit' } });
  const fresh = join(dir, 'new.txt');
  expect(await source.forCall(asked(await makeDiff({ path: fresh, before: undefined, after: 'x\n' })), 'c')).toEqual({ ok: true, value: { path: fresh, before: '', after: 'x\n', title: 'proposed' } });
});

verifies('engine:diff:changed-since', async () => {
  const diff = await makeDiff({ path, before: 'one\ntwo\n', after: 'one\n2\n' });
  writeFileSync(path, 'something else\n');
  expect([await source.forCall(asked(diff), 'c'), await source.forCall(done(diff), 'c')]).toMatchObject([{ ok: false, problem: expect.stringContaining('has changed since') }, { ok: false, problem: expect.stringContaining('has changed since') }]);
  writeFileSync(path, 'one\ntwo\n');
  expect(await source.forCall(asked({ ...diff, cut: true }), 'c')).toMatchObject({ ok: false });
  expect(await source.forCall(emptyView('s'), 'c')).toEqual({ ok: false, problem: 'This call has no diff.' });
  expect(applyHunks('a\n', [{ oldStart: 5, oldLines: 1, newStart: 5, newLines: 1, lines: ['-x', '+y'] }])).toBeUndefined();
});
