import { delimiter, join } from 'node:path';
import { isProgram } from './sandboxNeeds';

/** Where a program lies. @param path the value of PATH @returns undefined: nowhere on it */
export function programOnPath(name: string, path: string, platform: NodeJS.Platform = process.platform): string | undefined {
  const names = platform === 'win32' ? [`${name}.exe`, `${name}.cmd`, name] : [name];
  return path.split(delimiter).filter((dir) => dir !== '').flatMap((dir) => names.map((file) => join(dir, file))).find(isProgram);
}
