import type { SimpleGit } from 'simple-git';
import { errorText } from '../base/errorText';

export interface GitOutput {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs git with argument arrays; nothing passes a shell. The only importer of simple-git. */
export interface GitRunner {
  /** Never throws for git's own failures: look at `exitCode`. @throws when git itself is missing */
  readonly run: (args: readonly string[], options?: { readonly cwd?: string; readonly signal?: AbortSignal }) => Promise<GitOutput>;
}

export function createGitRunner(defaultCwd: string): GitRunner {
  return {
    run: async (args, options = {}) => {
      const { simpleGit } = await import('simple-git');
      let exitCode = 0;
      let stderr = '';
      const git: SimpleGit = simpleGit({
        baseDir: options.cwd ?? defaultCwd,
        abort: options.signal,
        trimmed: false,
        errors: (_error, result) => {
          exitCode = result.exitCode;
          stderr = Buffer.concat(result.stdErr).toString('utf8');
          return undefined;
        },
      });
      try {
        const stdout = await git.raw([...args]);
        return { exitCode, stdout, stderr };
      } catch (thrown) {
        if (exitCode !== 0) return { exitCode, stdout: '', stderr };
        throw new Error(`git ${args[0] ?? ''} could not run: ${errorText(thrown)}`);
      }
    },
  };
}
