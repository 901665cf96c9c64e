import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { TempRepo } from './tempRepo';

export type HookLanguage = 'bash' | 'node' | 'python';

export interface HookScript {
  /** Printed; an object as JSON. */
  readonly out?: string | object;
  readonly err?: string;
  readonly exit?: number;
}

/** Fails with words when the machine lacks what hooks are written in: such a test proves nothing. */
export function needInterpreter(language: HookLanguage): void {
  const [program, ...args] = language === 'python' ? ['python3', '--version'] : language === 'bash' ? ['bash', '--version'] : [process.execPath, '--version'];
  try {
    execFileSync(program ?? '', args, { stdio: 'ignore' });
  } catch (thrown) {
    throw new Error(`hook scenarios need ${program}: install it (apt-get install python3) and run again (${String(thrown)})`);
  }
}

let python: string | undefined;

/** The interpreter itself: what stands on PATH may be a script that looks for it, which takes longer than the hook. */
export function pythonProgram(): string {
  python ??= execFileSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' }).trim();
  return python;
}

/**
 * Writes a hook that keeps what it read on stdin in `<name>.seen` (one line of JSON for each run), prints and exits.
 * @returns the handler for a settings file
 */
export function hookScript(repo: TempRepo, name: string, language: HookLanguage, { out = '', err = '', exit = 0 }: HookScript = {}): { readonly type: 'command'; readonly command: string; readonly args: readonly string[] } {
  needInterpreter(language);
  const said = JSON.stringify(typeof out === 'string' ? out : JSON.stringify(out));
  const seen = JSON.stringify(repo.path(`${name}.seen`));
  const words = JSON.stringify(err);
  if (language === 'node') {
    const path = repo.write(`hooks/${name}.js`, `const fs = require('fs');\nfs.appendFileSync(${seen}, fs.readFileSync(0, 'utf8') + '\\n');\nprocess.stdout.write(${said});\nprocess.stderr.write(${words});\nprocess.exitCode = ${exit};\n`);
    return { type: 'command', command: process.execPath, args: [path] };
  }
  if (language === 'python') {
    const path = repo.write(`hooks/${name}.py`, `import sys\nwith open(${seen}, 'a') as seen:\n    seen.write(sys.stdin.read() + '\\n')\nsys.stdout.write(${said})\nsys.stderr.write(${words})\nsys.exit(${exit})\n`);
    return { type: 'command', command: pythonProgram(), args: [path] };
  }
  const path = repo.write(`hooks/${name}.sh`, `#!/usr/bin/env bash\ncat >> ${seen}\nprintf '\\n' >> ${seen}\ncat "${repo.path(`hooks/${name}.out`)}"\ncat "${repo.path(`hooks/${name}.err`)}" >&2\nexit ${exit}\n`);
  repo.write(`hooks/${name}.out`, typeof out === 'string' ? out : JSON.stringify(out));
  repo.write(`hooks/${name}.err`, err);
  return { type: 'command', command: 'bash', args: [path] };
}

/** What a script of `hookScript` has read so far, one object a run. */
export function seenBy(repo: TempRepo, name: string): readonly Readonly<Record<string, unknown>>[] {
  if (!existsSync(repo.path(`${name}.seen`))) return [];
  return repo.read(`${name}.seen`).split('\n').filter((line) => line !== '').map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** A settings file with hooks: `{PreToolUse: ['Bash', handler…]}`; the first word is the matcher. */
export function hookSettingsFile(hooks: Readonly<Record<string, readonly [matcher: string, ...handlers: readonly object[]]>>, more: object = {}): string {
  return JSON.stringify({ ...more, hooks: Object.fromEntries(Object.entries(hooks).map(([event, [matcher, ...handlers]]) => [event, [{ matcher, hooks: handlers }]])) });
}
