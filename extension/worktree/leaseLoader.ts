import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { processStartedAtMs, startedAround } from '../platform/processTimes';
import type { WorktreeLease } from './worktreeRecord';

/** Ours, for as long as this process lives. */
export async function makeLease(): Promise<WorktreeLease> {
  return { host: hostname(), pid: process.pid, processStartedAtMs: (await processStartedAtMs(process.pid)) ?? 0, nonce: randomBytes(8).toString('hex') };
}

/** True while another process than `self` holds it. A holder on another host can't be looked at and counts as living. */
export async function isHeldByOther(lease: WorktreeLease | undefined, self: WorktreeLease): Promise<boolean> {
  if (!lease || lease.nonce === self.nonce) return false;
  if (lease.host !== self.host) return true;
  const startedAtMs = await processStartedAtMs(lease.pid);
  if (startedAtMs === undefined) return process.platform === 'win32' && isRunning(lease.pid);
  return startedAround(startedAtMs, lease.processStartedAtMs);
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false; // gone, or not ours to signal: then no engine of this person
  }
}

/** For `git worktree lock`: tells a person at the command line who works there. */
export function lockReason(lease: WorktreeLease): string {
  return `troupe: an agent works here (process ${lease.pid} on ${lease.host})`;
}
