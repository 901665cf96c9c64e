import { mkdtempSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { DurableEvent } from '../../../extension/protocol/events';
import { eventsFile, readTranscript, TranscriptStore } from '../../../extension/session/transcriptStore';
import { verifies } from '../../support/verifies';

const silent = { onTrouble: () => undefined, onRecovered: () => undefined };
const renamed = (seq: number, title: string): DurableEvent => ({ type: 'session/renamed', title, seq, atMs: seq });
const newDir = (): string => mkdtempSync(join(tmpdir(), 'troupe-transcript-'));

verifies('session:transcript:replays', async () => {
  const dir = newDir();
  const store = TranscriptStore.open(dir, silent);
  store.append(renamed(1, 'a'));
  store.append(renamed(2, 'ü\n"'));
  store.sync();
  store.close();
  expect(await readTranscript(dir)).toEqual({ events: [renamed(1, 'a'), renamed(2, 'ü\n"')], skipped: 0 });
});

verifies('session:transcript:torn-tail', async () => {
  const dir = newDir();
  writeFileSync(join(dir, eventsFile), `${JSON.stringify(renamed(1, 'a'))}\n{"type":"session/renamed","ti`);
  const store = TranscriptStore.open(dir, silent);
  store.append(renamed(2, 'b'));
  store.close();
  expect(await readTranscript(dir)).toEqual({ events: [renamed(1, 'a'), renamed(2, 'b')], skipped: 1 });
});

verifies('session:transcript:foreign-lines', async () => {
  const dir = newDir();
  const lines = [JSON.stringify(renamed(1, 'a')), 'garbage', '{"type":"from/the/future","seq":2,"atMs":2}', JSON.stringify(renamed(2, 'b'))];
  writeFileSync(join(dir, eventsFile), `${lines.join('\n')}\n`);
  expect(await readTranscript(dir)).toEqual({ events: [renamed(1, 'a'), renamed(2, 'b')], skipped: 2 });
});

verifies('session:transcript:full-disk', async () => {
  const dir = newDir();
  const told: string[] = [];
  const trouble = { onTrouble: (message: string) => told.push(message), onRecovered: () => told.push('recovered') };
  let room = 1_000;
  const smallDisk = ((fd: number, bytes: Uint8Array): number => {
    if (room === 0) throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    const taken = Math.min(room, bytes.length);
    room -= taken;
    return writeSync(fd, bytes.subarray(0, taken));
  }) as typeof writeSync;
  const store = TranscriptStore.open(dir, trouble, smallDisk);
  store.append(renamed(1, 'a'));
  room = 10; // the next line is cut in the middle
  store.append(renamed(2, 'b'));
  store.append(renamed(3, 'c'));
  room = 1_000;
  store.append(renamed(4, 'd'));
  store.close();
  expect(told).toEqual([expect.stringContaining('ENOSPC'), 'recovered']);
  expect(await readTranscript(dir)).toEqual({ events: [renamed(1, 'a'), renamed(2, 'b'), renamed(3, 'c'), renamed(4, 'd')], skipped: 0 });
});
