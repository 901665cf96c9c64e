import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Why commands can't be confined on this system, as far as that shows without trying; undefined when all is there. @param path the value of PATH */
export function missingForSandbox(platform: NodeJS.Platform, path: string): string | undefined {
  if (platform === 'darwin') return undefined;
  if (platform !== 'linux') return 'there is none for this system; it works on Linux and macOS';
  const needed = ['bwrap', 'socat'].filter((name) => !path.split(delimiter).some((dir) => dir !== '' && isProgram(join(dir, name))));
  const packages = { bwrap: 'bubblewrap', socat: 'socat' } as Readonly<Record<string, string>>;
  return needed.length === 0 ? undefined : `${needed.join(' and ')} ${needed.length === 1 ? 'is' : 'are'} not installed (Debian: apt install ${needed.map((name) => packages[name]).join(' ')})`;
}

export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
