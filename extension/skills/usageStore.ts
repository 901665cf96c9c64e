import { promises as fs } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { errorCode } from '../base/errorText';
import { writeFileAtomic } from '../platform/atomicFile';
import { withFileLock } from '../platform/fileLock';
import type { SkillUsage } from './listing';

const Entry = z.looseObject({ count: z.int().min(0), lastUsedAtMs: z.int().min(0) });
const UsageFile = z.record(z.string(), z.unknown());

export interface SkillUsageStore {
  readonly read: () => Promise<SkillUsage>;
  /** Counts one use; several windows may do so at once. */
  readonly record: (qualified: string, atMs: number) => Promise<void>;
}

/** How often each skill was used, in `<config root>/troupe/skillUsage.json`. A file that can't be read counts as empty. */
export function createSkillUsageStore(configRoot: string): SkillUsageStore {
  const path = join(configRoot, 'troupe', 'skillUsage.json');
  return {
    read: async () => {
      const entries = Object.entries(await readFile(path)).flatMap(([name, value]) => {
        const entry = Entry.safeParse(value);
        return entry.success ? [[name, { count: entry.data.count, lastUsedAtMs: entry.data.lastUsedAtMs }] as const] : [];
      });
      return new Map(entries);
    },
    record: (qualified, atMs) =>
      withFileLock(path, async () => {
        const file = await readFile(path);
        const earlier = Entry.safeParse(file[qualified]);
        const entry = earlier.success ? { ...earlier.data, count: earlier.data.count + 1, lastUsedAtMs: Math.max(atMs, earlier.data.lastUsedAtMs) } : { count: 1, lastUsedAtMs: atMs };
        await writeFileAtomic(path, `${JSON.stringify({ ...file, [qualified]: entry }, null, 2)}\n`);
      }),
  };
}

async function readFile(path: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    const parsed = UsageFile.safeParse(JSON.parse(await fs.readFile(path, 'utf8')));
    return parsed.success ? parsed.data : {};
  } catch (thrown) {
    if (thrown instanceof SyntaxError || errorCode(thrown) !== undefined) return {};
    throw thrown;
  }
}
