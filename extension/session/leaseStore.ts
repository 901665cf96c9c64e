import { closeSync, openSync, readFileSync, renameSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { errorCode } from '../base/errorText';

/** One writer per session. Pids mean nothing across host, WSL and container: there the heartbeat decides. */
const Lease = z.looseObject({ host: z.string(), pid: z.number(), processStartedAtMs: z.number(), heartbeatAtMs: z.number(), nonce: z.string() });
type Lease = z.infer<typeof Lease>;

const leaseFile = 'lease.json';
export const heartbeatMs = 10_000;
const staleAfterMs = 45_000;

export interface LeaseOwner {
  readonly nowMs: () => number;
  readonly pid: number;
  readonly processStartedAtMs: number;
  readonly nonce: string;
  /** Undefined when there is no such process. */
  readonly startOf: (pid: number) => number | undefined;
}

export interface HeldLease {
  readonly beat: () => void;
  readonly release: () => void;
}

/** @returns undefined while another live writer holds the session */
export function acquireLease(sessionDir: string, owner: LeaseOwner): HeldLease | undefined {
  const path = join(sessionDir, leaseFile);
  const mine = (): Lease => ({ host: hostname(), pid: owner.pid, processStartedAtMs: owner.processStartedAtMs, heartbeatAtMs: owner.nowMs(), nonce: owner.nonce });
  if (!create(path, mine())) {
    const held = read(path);
    if (held && held.nonce !== owner.nonce && isLive(held, owner)) return undefined;
    replace(path, mine());
    if (read(path)?.nonce !== owner.nonce) return undefined; // two took over a dead lease at once; the last rename won
  }
  return {
    beat: () => replace(path, mine()),
    release: () => {
      if (read(path)?.nonce === owner.nonce) rmSync(path, { force: true });
    },
  };
}

export function isLeaseLive(sessionDir: string, owner: LeaseOwner): boolean {
  const held = read(join(sessionDir, leaseFile));
  return held !== undefined && held.nonce !== owner.nonce && isLive(held, owner);
}

function isLive(lease: Lease, owner: LeaseOwner): boolean {
  if (owner.nowMs() - lease.heartbeatAtMs > staleAfterMs) return false;
  if (lease.host !== hostname()) return true;
  const startedAt = owner.startOf(lease.pid);
  return startedAt !== undefined && Math.abs(startedAt - lease.processStartedAtMs) < 2_000;
}

function create(path: string, lease: Lease): boolean {
  try {
    const fd = openSync(path, 'wx', 0o600);
    writeSync(fd, JSON.stringify(lease));
    closeSync(fd);
    return true;
  } catch (thrown) {
    if (errorCode(thrown) === 'EEXIST') return false;
    throw thrown;
  }
}

function replace(path: string, lease: Lease): void {
  const temp = `${path}.${lease.nonce}.tmp`;
  writeFileSync(temp, JSON.stringify(lease), { mode: 0o600 });
  renameSync(temp, path);
}

function read(path: string): Lease | undefined {
  try {
    const parsed = Lease.safeParse(JSON.parse(readFileSync(path, 'utf8')));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined; // gone or torn: nobody holds it
  }
}
