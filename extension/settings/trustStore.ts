import { promises as fs } from 'node:fs';
import { join, resolve } from 'node:path';
import * as z from 'zod';
import { writeFileAtomic } from '../platform/atomicFile';
import { withFileLock } from '../platform/fileLock';
import { mainCheckoutOf } from './settingsLoader';

const Project = z.looseObject({ hasTrustDialogAccepted: z.boolean().optional() });
const AppState = z.looseObject({ projects: z.record(z.string(), z.unknown()).optional() });

export interface TrustStore {
  /** @param dir any folder; what counts is its repository (the main checkout of a worktree), else the folder itself */
  readonly isTrusted: (dir: string) => Promise<boolean>;
  /** Writes to our own record only; the shared file is another program's. */
  readonly accept: (dir: string) => Promise<void>;
}

/**
 * @param configDirIsSet `CLAUDE_CONFIG_DIR` is set: the shared record lies in it, else beside the home folder's `.claude`
 */
export function createTrustStore(places: { readonly configRoot: string; readonly homeDir: string; readonly configDirIsSet: boolean }): TrustStore {
  const shared = join(places.configDirIsSet ? places.configRoot : places.homeDir, '.claude.json');
  const own = join(places.configRoot, 'troupe', 'trust.json');
  return {
    isTrusted: async (dir) => {
      const keys = await keysOf(dir);
      const records = await Promise.all([shared, own].map(readProjects));
      return records.some((projects) => keys.some((key) => Project.safeParse(projects[key]).data?.hasTrustDialogAccepted === true));
    },
    accept: async (dir) => {
      const [key = resolve(dir)] = await keysOf(dir);
      await withFileLock(own, async () => {
        const state = AppState.safeParse(await readJson(own)).data ?? {};
        const projects = { ...state.projects, [key]: { ...Project.safeParse(state.projects?.[key]).data, hasTrustDialogAccepted: true } };
        await writeFileAtomic(own, `${JSON.stringify({ ...state, projects }, null, 2)}\n`, { mode: 0o600 });
      });
    },
  };
}

/** The spelling given and the real one: the record may hold either. */
async function keysOf(dir: string): Promise<readonly string[]> {
  const root = (await mainCheckoutOf(dir)) ?? resolve(dir);
  const real = await fs.realpath(root).catch(() => root);
  return [...new Set([root, real])];
}

async function readProjects(path: string): Promise<Readonly<Record<string, unknown>>> {
  return AppState.safeParse(await readJson(path)).data?.projects ?? {};
}

/** A record that can't be read trusts nothing. */
async function readJson(path: string): Promise<unknown> {
  const text = await fs.readFile(path, 'utf8').catch(() => '');
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
    return value;
  } catch {
    return undefined; // missing or torn: no trust is recorded here
  }
}
