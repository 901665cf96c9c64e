import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A person's machine in a temp folder: a git repository, a home with an empty config root, and a folder outside of both. */
export interface TempRepo {
  readonly root: string;
  readonly homeDir: string;
  readonly configRoot: string;
  readonly outside: string;
  readonly tempDir: string;
  /** Absolute path of a file of the repository. */
  readonly path: (relative: string) => string;
  /** Relative paths count from the repository. Folders are made. @returns the absolute path */
  readonly write: (path: string, text: string | Uint8Array) => string;
  readonly read: (path: string) => string;
  readonly git: (...args: readonly string[]) => string;
  /** All text below a folder, for finding what must not be there. */
  readonly allText: (dir: string) => string;
}

const gitEnv = {
  PATH: process.env['PATH'] ?? '',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_SYSTEM: '/dev/null',
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.com',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.com',
  GIT_AUTHOR_DATE: '2024-01-02T03:04:05Z',
  GIT_COMMITTER_DATE: '2024-01-02T03:04:05Z',
};

/** Made for the running test and removed with it. `files` are committed; paths from `~/` go to the home folder. */
export function createTempRepo(files: Readonly<Record<string, string>> = {}): TempRepo {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'troupe-scenario-')));
  onTestFinished(() => rmSync(base, { recursive: true, force: true, maxRetries: 3 }));
  const [root = '', homeDir = '', outside = '', tempDir = ''] = ['work', 'home', 'outside', 'temp'].map((name) => join(base, name));
  const configRoot = join(homeDir, '.claude');
  for (const dir of [root, configRoot, outside, tempDir]) mkdirSync(dir, { recursive: true });
  const absolute = (path: string): string => (path.startsWith('~/') ? join(homeDir, path.slice(2)) : path.startsWith('/') ? path : join(root, path));
  const write = (path: string, text: string | Uint8Array): string => {
    const full = absolute(path);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, text);
    return full;
  };
  const git = (...args: readonly string[]): string => execFileSync('git', args, { cwd: root, env: gitEnv, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  for (const [path, text] of Object.entries({ 'README.md': '# Shop\n', ...files })) write(path, text);
  git('init', '-q', '-b', 'main');
  git('add', '-A');
  git('commit', '-q', '-m', 'Start');
  const allText = (dir: string): string =>
    readdirSync(dir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
      .join('\n');
  return { root, homeDir, configRoot, outside, tempDir, path: (relative) => join(root, relative), write, read: (path) => readFileSync(absolute(path), 'utf8'), git, allText };
}
