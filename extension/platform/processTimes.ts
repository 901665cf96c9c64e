import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { uptime } from 'node:os';
import { errorCode } from '../base/errorText';

/** Linux counts process times in 1/100 s on every architecture Node runs on. */
const ticksPerSecond = 100;
/** The boot time this is reckoned from moves a little when the clock is set. */
const toleranceMs = 2_000;

/** When `pid` started, in clock ticks since boot as /proc writes it; undefined without /proc or without the process. */
export function startTicks(pid: number): string | undefined {
  if (process.platform !== 'linux') return undefined;
  const stat = readText(`/proc/${pid}/stat`);
  // The command name may hold blanks and brackets: count from its last bracket. Field 22 of proc(5).
  return stat?.slice(stat.lastIndexOf(') ') + 2).split(' ')[19];
}

/** Start time of a process just made or found, in ms since the epoch. Not exact: compare with `startedAround`. */
export async function processStartedAtMs(pid: number): Promise<number | undefined> {
  if (process.platform === 'linux') return linuxStartMs(pid);
  if (process.platform === 'win32') return undefined;
  return new Promise((resolve) => {
    execFile('ps', ['-o', 'lstart=', '-p', String(pid)], { env: { LC_ALL: 'C', PATH: '/bin:/usr/bin' } }, (error, stdout) => {
      const at = Date.parse(stdout.trim());
      resolve(error || Number.isNaN(at) ? undefined : at);
    });
  });
}

export function linuxStartMs(pid: number): number | undefined {
  const ticks = startTicks(pid);
  if (ticks === undefined) return undefined;
  return Math.round(Date.now() - uptime() * 1000 + (Number(ticks) * 1000) / ticksPerSecond);
}

export function startedAround(aMs: number, bMs: number): boolean {
  return Math.abs(aMs - bMs) <= toleranceMs;
}

/** True while any process of the group runs. Ended ones that their parent has not collected do not count where /proc tells. */
export function groupLives(pgid: number): boolean {
  if (!signalGroup(pgid, 0)) return false;
  if (process.platform !== 'linux') return true;
  return readdirSync('/proc').some((name) => {
    if (!/^\d+$/.test(name)) return false;
    const stat = readText(`/proc/${name}/stat`);
    const [state, , group] = stat?.slice(stat.lastIndexOf(') ') + 2).split(' ') ?? [];
    return group === String(pgid) && state !== 'Z' && state !== 'X';
  });
}

/** @returns false when there is no such group (any more) */
export function signalGroup(pgid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(process.platform === 'win32' ? pgid : -pgid, signal);
    return true;
  } catch (thrown) {
    // EPERM: it lives, but part of it changed its user.
    return errorCode(thrown) === 'EPERM';
  }
}

/** Processes with this mark in their environment, wherever they have moved to. */
export function markedProcesses(mark: string): readonly number[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name) && readText(`/proc/${name}/environ`)?.includes(`TROUPE_RUN=${mark}`) === true).map(Number);
}

export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (thrown) {
    if (!/^(ESRCH|EPERM)$/.test(errorCode(thrown) ?? '')) throw thrown; // it has gone, or is not ours any more
  }
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return undefined; // the process has gone
  }
}
