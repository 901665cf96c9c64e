import { err, ok, type Result } from '../base/result';
import type { ProcessRunner } from './processRunner';

export interface RipgrepOutput {
  readonly stdout: string;
  /** Output was longer than the limit and the search was ended. */
  readonly cut: boolean;
}

export interface RipgrepRunner {
  /** Search in `cwd`. No match is an empty output. @returns problem: ripgrep's own words, or how to get ripgrep */
  readonly search: (args: readonly string[], where: { readonly cwd: string; readonly signal: AbortSignal }) => Promise<Result<RipgrepOutput, string>>;
}

export interface RipgrepOptions {
  readonly processes: ProcessRunner;
  /** Default: `rg` on PATH. */
  readonly path?: string | undefined;
  readonly env: Readonly<Record<string, string>>;
}

const timeoutMs = 60_000;
const maxBytes = 16 * 1024 * 1024;

export function createRipgrepRunner(options: RipgrepOptions): RipgrepRunner {
  return {
    search: async (args, { cwd, signal }) => {
      const run = await options.processes.run(
        { command: options.path ?? 'rg', args: ['--no-config', ...args], cwd, env: options.env, output: { keepBytes: maxBytes }, maxOutputBytes: maxBytes },
        { timeoutMs, signal },
      );
      if (!run.ok) {
        if (!run.problem.includes('was not found')) return run;
        return err(`${run.problem} Searching needs ripgrep: ask the person to install it (https://github.com/BurntSushi/ripgrep#installation, for example \`apt install ripgrep\` or \`brew install ripgrep\`). Until then use Bash with grep -r.`);
      }
      const { reason, exitCode, stdout, stderr } = run.value;
      if (reason === 'stopped') return err('The search was stopped.');
      if (reason === 'timeout') return err(`The search took longer than ${timeoutMs / 1000} s and was ended. Search in a smaller folder (path) or with a glob.`);
      // 2 with output: some files could not be read, the matches hold all the same.
      if (reason === 'exit' && exitCode !== 0 && exitCode !== 1 && stdout.totalBytes === 0) return err(stderr.head.trim() || `ripgrep ended with exit code ${exitCode}.`);
      return ok({ stdout: stdout.head, cut: reason === 'outputLimit' });
    },
  };
}
