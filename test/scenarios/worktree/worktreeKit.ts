import { execFileSync } from 'node:child_process';
import { lstatSync, mkdirSync, mkdtempSync, readFileSync, readlinkSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Result } from '../../../extension/base/result';
import { createGitRunner } from '../../../extension/platform/gitRunner';
import { type CreateRequest, createWorktree } from '../../../extension/worktree/createWorktreeRunner';
import { makeLease } from '../../../extension/worktree/leaseLoader';
import type { WorktreeContext } from '../../../extension/worktree/worktreeContext';
import type { Worktree } from '../../../extension/worktree/worktreeRecord';

const identity = { GIT_AUTHOR_NAME: 'Ada', GIT_AUTHOR_EMAIL: 'ada@example.org', GIT_COMMITTER_NAME: 'Ada', GIT_COMMITTER_EMAIL: 'ada@example.org', GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' };

export function tempDir(name = 'wt'): string {
  return realpathSync(mkdtempSync(join(tmpdir(), `troupe-${name}-`)));
}

export class Repo {
  constructor(readonly root: string) {}

  git(...args: string[]): string {
    return execFileSync('git', args, { cwd: this.root, encoding: 'utf8', env: { ...process.env, ...identity }, stdio: ['ignore', 'pipe', 'pipe'] }).replace(/\n$/, '');
  }

  at(root: string): Repo {
    return new Repo(root);
  }

  write(files: Readonly<Record<string, string>>): this {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(this.root, path)), { recursive: true });
      writeFileSync(join(this.root, path), text);
    }
    return this;
  }

  commit(files: Readonly<Record<string, string>>, message = 'change'): string {
    this.write(files);
    this.git('add', '-A');
    this.git('commit', '-q', '--allow-empty', '-m', message);
    return this.git('rev-parse', 'HEAD');
  }

  /** Text of a file, `-> target` of a link, undefined where there is nothing. */
  read(path: string): string | undefined {
    const at = join(this.root, path);
    const stat = lstatSync(at, { throwIfNoEntry: false });
    if (!stat) return undefined;
    if (stat.isDirectory()) return '(folder)';
    return stat.isSymbolicLink() ? `-> ${readlinkSync(at)}` : readFileSync(at, 'utf8');
  }

  status(): string {
    return this.git('status', '--porcelain', '-uall');
  }

  refs(prefix: string): string[] {
    return this.git('for-each-ref', '--format=%(refname)', prefix).split('\n').filter(Boolean);
  }
}

export function makeRepo(files: Readonly<Record<string, string>> = { 'a.txt': 'one\n', 'src/b.ts': 'b\n' }): Repo {
  const repo = new Repo(tempDir('repo'));
  repo.git('init', '-q', '-b', 'main');
  repo.git('config', 'user.name', 'Ada');
  repo.git('config', 'user.email', 'ada@example.org');
  repo.commit(files, 'start');
  return repo;
}

/** Each is one engine: its own lease, and a clock that moves on by itself. */
export async function makeContext(stateDir = tempDir('state')): Promise<WorktreeContext> {
  let nowMs = 1_700_000_000_000;
  return { git: createGitRunner(tmpdir()), stateDir, nowMs: () => (nowMs += 1_000), random: Math.random, self: await makeLease() };
}

export function must<T, P>(result: Result<T, P>): T {
  if (!result.ok) throw new Error(JSON.stringify(result.problem));
  return result.value;
}

export function problemOf<T, P extends { readonly code: string }>(result: Result<T, P>): string {
  return result.ok ? 'ok' : result.problem.code;
}

export function createRequest(repo: Repo, slug: string | undefined, more: Partial<CreateRequest> = {}): CreateRequest {
  return { repoRoot: repo.root, baseRef: 'head', owner: { agentId: 'agent-00000001', sessionId: 's1' }, settings: {}, ...(slug === undefined ? {} : { slug }), ...more };
}

export async function make(context: WorktreeContext, repo: Repo, slug: string | undefined = 'fix', more: Partial<CreateRequest> = {}): Promise<{ worktree: Worktree; tree: Repo }> {
  const { worktree } = must(await createWorktree(context, createRequest(repo, slug, more)));
  return { worktree, tree: repo.at(worktree.path) };
}
