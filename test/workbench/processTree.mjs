// Linux process facts, read from /proc.
import { readFileSync, readdirSync } from 'node:fs';

/**
 * @typedef {object} ProcessFacts
 * @property {number} pid
 * @property {number} parent
 * @property {string} startedAt clock ticks since boot; with the pid it names a process for good
 * @property {string[]} argv
 */

/**
 * @param {number} root
 * @returns {ProcessFacts[]} all living children of `root`, their children and so on
 */
export function descendants(root) {
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map((name) => readProcess(Number(name))).filter(Boolean);
  const found = [];
  const parents = new Set([root]);
  for (let grew = true; grew; ) {
    grew = false;
    for (const facts of all) {
      if (!parents.has(facts.parent) || parents.has(facts.pid)) continue;
      parents.add(facts.pid);
      found.push(facts);
      grew = true;
    }
  }
  return found;
}

/**
 * @param {number} pid
 * @returns {ProcessFacts | undefined} undefined when it has ended (a zombie counts as ended)
 */
export function readProcess(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z') return undefined;
    const argv = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').filter(Boolean);
    return { pid, parent: Number(fields[1]), startedAt: fields[19], argv };
  } catch (error) {
    if (error.code === 'ENOENT' || error.code === 'ESRCH') return undefined;
    throw error;
  }
}

/** @param {ProcessFacts} facts @returns {boolean} still the very same process */
export const isStillRunning = (facts) => readProcess(facts.pid)?.startedAt === facts.startedAt;
