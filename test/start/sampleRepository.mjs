// A small git repository for people who try the extension; made once and theirs from then on.
import { cpSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { TestbedError, findProgram, missingToolsText, runProgram } from '../workbench/machineTools.mjs';

const AUTHOR = ['-c', 'user.name=Tea Shop', '-c', 'user.email=tea@example.com', '-c', 'commit.gpgsign=false', '-c', 'core.hooksPath='];

/** @returns {string} */
export const sampleFolder = () => path.join(process.env.XDG_CACHE_HOME || path.join(os.homedir(), '.cache'), 'troupe-sample');

/**
 * @param {string} [folder] used as it is when it exists
 * @returns {Promise<{ folder: string, isNew: boolean }>}
 */
export async function ensureSample(folder = sampleFolder()) {
  if (existsSync(folder)) return { folder, isNew: false };
  if (!findProgram('git')) throw new TestbedError(missingToolsText(['git'], 'the sample repository'));
  const halfDone = `${folder}.${process.pid}.new`;
  rmSync(halfDone, { recursive: true, force: true });
  mkdirSync(path.dirname(folder), { recursive: true });
  cpSync(fileURLToPath(new URL('sample', import.meta.url)), halfDone, { recursive: true });
  renameSync(path.join(halfDone, '.gitignore.template'), path.join(halfDone, '.gitignore'));
  await runProgram('git', ['init', '-q', '-b', 'main'], { cwd: halfDone });
  await runProgram('git', ['add', '.'], { cwd: halfDone });
  await runProgram('git', [...AUTHOR, 'commit', '-q', '-m', 'A small tea shop'], { cwd: halfDone });
  renameSync(halfDone, folder);
  return { folder, isNew: true };
}
