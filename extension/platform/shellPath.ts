import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The bash that runs commands: one the person names, one of the usual places, else plain sh. */
export function shellPath(env: Readonly<Record<string, string | undefined>>): string {
  const windows = process.platform === 'win32';
  const named = [env['CLAUDE_CODE_GIT_BASH_PATH'], env['SHELL']?.endsWith('/bash') ? env['SHELL'] : undefined];
  const usual = windows ? ['ProgramFiles', 'ProgramFiles(x86)', 'LocalAppData'].map((name) => env[name] && join(env[name], 'Git', 'bin', 'bash.exe')) : ['/bin/bash', '/usr/bin/bash', '/usr/local/bin/bash'];
  const onPath = (env['PATH'] ?? '').split(delimiter).map((dir) => dir && join(dir, windows ? 'bash.exe' : 'bash'));
  return [...named, ...usual, ...onPath].find((path) => path && isExecutable(path)) || (windows ? 'bash.exe' : '/bin/sh');
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
