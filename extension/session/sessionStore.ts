import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, promises as fs, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import * as z from 'zod';

/** What the list of sessions needs, kept beside the log so that listing never reads a transcript. Made anew from the log when lost. */
export const SessionRecord = z.looseObject({
  sessionId: z.string(),
  title: z.string(),
  projectRoot: z.string(),
  startedAtMs: z.number(),
  lastEventAtMs: z.number(),
  pendingAsks: z.number(),
  /** A turn had begun and not ended when this was written. */
  turnOpen: z.boolean(),
  costUsd: z.number().nullable(),
});
export type SessionRecord = z.infer<typeof SessionRecord>;

const recordFile = 'session.json';

/** A readable, unique folder name for a project: its last segment and a hash of the whole path. */
export function projectKey(projectRoot: string): string {
  const hash = createHash('sha256').update(projectRoot).digest('hex').slice(0, 12);
  const name = basename(projectRoot).replace(/[^A-Za-z0-9_-]/g, '-').slice(0, 40);
  return `${name === '' ? 'root' : name}-${hash}`;
}

export function sessionsDir(configRoot: string, projectRoot: string): string {
  return join(configRoot, 'troupe', 'sessions', projectKey(projectRoot));
}

/** Session folders of one project; a folder without a readable record is listed by what its name says. */
export class SessionStore {
  constructor(private readonly dir: string) {}

  folder(sessionId: string): string {
    if (!/^[A-Za-z0-9-]{1,64}$/.test(sessionId)) throw new Error(`not a session id: ${sessionId}`);
    return join(this.dir, sessionId);
  }

  has(sessionId: string): boolean {
    return /^[A-Za-z0-9-]{1,64}$/.test(sessionId) && existsSync(this.folder(sessionId));
  }

  /** Newest first. */
  list(): readonly SessionRecord[] {
    if (!existsSync(this.dir)) return [];
    return readdirSync(this.dir)
      .map((name) => this.read(name))
      .filter((record) => record !== undefined)
      .sort((a, b) => b.lastEventAtMs - a.lastEventAtMs);
  }

  read(sessionId: string): SessionRecord | undefined {
    if (!this.has(sessionId)) return undefined;
    try {
      const parsed = SessionRecord.safeParse(JSON.parse(readFileSync(join(this.folder(sessionId), recordFile), 'utf8')));
      return parsed.success ? parsed.data : undefined;
    } catch {
      return undefined; // no record yet, or a torn one: the log is the truth and rewrites it when the session is opened
    }
  }

  write(record: SessionRecord): void {
    const dir = this.folder(record.sessionId);
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    const temp = join(dir, `${recordFile}.tmp`);
    writeFileSync(temp, JSON.stringify(record), { mode: 0o600 });
    renameSync(temp, join(dir, recordFile));
  }

  /** Sessions are moved to a trash folder beside the others, not erased. */
  async discard(sessionId: string): Promise<void> {
    const trash = join(this.dir, '..', '..', 'trash', 'sessions');
    await fs.mkdir(trash, { recursive: true, mode: 0o700 });
    await fs.rename(this.folder(sessionId), join(trash, `${sessionId}-${basename(this.dir)}`));
  }
}

/** Whether some session of this folder still waits for the person; cheap enough for every window start. */
export function hasOpenAsks(configRoot: string, projectRoot: string): boolean {
  return new SessionStore(sessionsDir(configRoot, projectRoot)).list().some((record) => record.pendingAsks > 0);
}
