import { existsSync, mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { acquireLease, isLeaseLive, type LeaseOwner } from '../../../extension/session/leaseStore';
import { SessionStore } from '../../../extension/session/sessionStore';
import { openingContext, readGitState } from '../../../extension/session/contextMessage';
import { verifies } from '../../support/verifies';

const newDir = (): string => mkdtempSync(join(tmpdir(), 'troupe-sessions-'));
const record = (sessionId: string, lastEventAtMs: number) => ({ sessionId, title: sessionId, projectRoot: '/p', startedAtMs: 1, lastEventAtMs, pendingAsks: 0, turnOpen: false, costUsd: 0 });

function owner(pid: number, alive: ReadonlyMap<number, number>, nowMs = 1_000): LeaseOwner {
  return { nowMs: () => nowMs, pid, processStartedAtMs: alive.get(pid) ?? 0, nonce: `n${pid}`, startOf: (p) => alive.get(p) };
}

verifies('session:lease:one-writer', () => {
  const dir = newDir();
  const alive = new Map([[1, 100], [2, 200]]);
  const first = acquireLease(dir, owner(1, alive));
  expect(acquireLease(dir, owner(2, alive))).toBeUndefined();
  expect(isLeaseLive(dir, owner(2, alive))).toBe(true);
  first?.release();
  expect(acquireLease(dir, owner(2, alive))).toBeDefined();
});

verifies('session:lease:dead-owner', () => {
  const dir = newDir();
  acquireLease(dir, owner(1, new Map([[1, 100]])));
  // pid 1 lives again as another process: its start time differs
  expect(acquireLease(dir, owner(2, new Map([[1, 90_000], [2, 200]])))).toBeDefined();
  expect(isLeaseLive(dir, owner(3, new Map([[3, 300]])))).toBe(false);
});

verifies('session:list:record', () => {
  const store = new SessionStore(newDir());
  store.write(record('old', 10));
  store.write(record('new', 20));
  expect(store.list().map((r) => r.sessionId)).toEqual(['new', 'old']);
  expect(() => store.folder('../x')).toThrow('not a session id');
});

verifies('session:list:discard-keeps', async () => {
  const root = newDir();
  const store = new SessionStore(join(root, 'sessions', 'key'));
  store.write(record('gone', 10));
  await store.discard('gone');
  expect(store.list()).toEqual([]);
  expect(readdirSync(join(root, 'trash', 'sessions'))).toEqual(['gone-key']);
  expect(existsSync(join(root, 'trash', 'sessions', 'gone-key', 'session.json'))).toBe(true);
});

verifies('session:context:order', () => {
  const [shared, own] = openingContext({
    memory: [{ path: '/u/CLAUDE.md', why: 'user', text: 'be kind' }],
    listings: ['', 'Skills:\n- a'],
    date: '2026-01-02',
    cwd: '/p',
    addedDirs: ['/q'],
    platform: 'linux',
    git: { branch: 'main', status: '', recent: 'abc first' },
  });
  const order = ['be kind', 'Skills:', '2026-01-02'].map((text) => shared.indexOf(text));
  expect(order).toEqual([...order].sort((a, b) => a - b));
  expect(order).not.toContain(-1);
  expect(own).toContain('Working folder: /p\nAdded folders: /q\nPlatform: linux\nGit branch: main\nGit status when the session began:\n(clean)\nLast commits:\nabc first');
});

verifies('session:context:git-state', () => {
  const many = Array.from({ length: 70 }, (_, i) => ` M f${i}`).join('\n');
  expect(readGitState(`## main...origin/main [ahead 1]\n${many}\n`, 'a one\n')).toEqual({ branch: 'main', status: expect.stringMatching(/ M f59\n… and 10 more$/), recent: 'a one' });
  expect(readGitState('## No commits yet on trunk\n', '').branch).toBe('trunk');
});
