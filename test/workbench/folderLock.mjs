// One installer at a time in a shared cache folder.
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { TestbedError } from './machineTools.mjs';

const WAIT_LIMIT_MS = 900_000;

/**
 * Run `work` while holding the lock file; waits while another living process holds it.
 * @template T
 * @param {string} file
 * @param {(line: string) => void} log
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withFolderLock(file, log, work) {
  await take(file, log);
  const release = () => rmSync(file, { force: true });
  process.once('exit', release);
  try {
    return await work();
  } finally {
    process.off('exit', release);
    release();
  }
}

/** @param {string} file @param {(line: string) => void} log */
async function take(file, log) {
  const own = `${file}.${process.pid}`;
  writeFileSync(own, String(process.pid));
  const deadlineMs = Date.now() + WAIT_LIMIT_MS;
  let told = false;
  try {
    while (!tryLink(own, file)) {
      const holder = holderOf(file);
      if (holder !== undefined && !isAlive(holder)) {
        rmSync(file, { force: true });
        continue;
      }
      if (Date.now() > deadlineMs) throw new TestbedError(`Another install (process ${holder}) still holds ${file}. If it hangs, end it and delete that file.`);
      if (!told) log(`waiting for the install of process ${holder}`);
      told = true;
      await delay(250);
    }
  } finally {
    rmSync(own, { force: true });
  }
}

/** A hard link appears with its content, so no one ever reads a lock without an owner. */
function tryLink(own, file) {
  try {
    linkSync(own, file);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

/** @param {string} file @returns {number | undefined} undefined when it was just released */
function holderOf(file) {
  try {
    return Number(readFileSync(file, 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
