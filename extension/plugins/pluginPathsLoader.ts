import { promises as fs } from 'node:fs';
import { isAbsolute, join, normalize, relative, sep } from 'node:path';
import type { Problem } from '../base/problem';

/** One plugin while its manifest is read. */
export interface PluginGround {
  readonly root: string;
  readonly realRoot: string;
  readonly manifestPath: string;
  readonly problems: Problem[];
}

/** Paths of a manifest's key as absolute ones. What leaves the plugin or is not there is named and left out. */
export async function resolvePaths(ground: PluginGround, field: string, written: string | readonly string[] | undefined): Promise<readonly string[]> {
  const found: string[] = [];
  for (const path of typeof written === 'string' ? [written] : (written ?? [])) {
    const resolved = await resolvePath(ground, field, path);
    if (resolved !== undefined) found.push(resolved);
  }
  return found;
}

async function resolvePath(ground: PluginGround, field: string, written: string): Promise<string | undefined> {
  const { root, realRoot, problems, manifestPath } = ground;
  const say = (severity: Problem['severity'], code: string, message: string): void => void problems.push({ severity, code, message: `${field}: "${written}" ${message}`, path: manifestPath, field });
  const plain = normalize(written.replaceAll('\\', '/'));
  if (isAbsolute(written) || plain === '..' || plain.startsWith(`..${sep}`)) {
    say('error', 'path-leaves-plugin', 'leaves the plugin, so it is not read; move the files into the plugin');
    return undefined;
  }
  if (written !== '.' && !written.startsWith('./')) say('warning', 'path-without-dot-slash', `is read as "./${written}"; other tools want the ./`);
  const path = join(root, plain).replace(/[/\\]$/, '');
  const real = await fs.realpath(path).catch(() => undefined);
  if (real === undefined) {
    say('warning', 'path-missing', /[*?]/.test(written) ? 'is not there (wildcards are not expanded; name each folder)' : 'is not there');
    return undefined;
  }
  if (relative(realRoot, real).startsWith('..')) {
    say('error', 'path-leaves-plugin', 'is a link that leaves the plugin, so it is not read');
    return undefined;
  }
  return path;
}

/** The folder that a manifest's key replaces is said to be ignored, unless the key points into it. */
export async function warnIgnoredFolder(ground: PluginGround, field: string, folder: string, named: readonly string[]): Promise<void> {
  const usual = join(ground.root, folder);
  if (named.some((path) => path === usual || path.startsWith(usual + sep)) || !(await isFolder(usual))) return;
  ground.problems.push({ severity: 'warning', code: 'folder-ignored', message: `${field} in the manifest replaces the folder ${folder}/, which is ignored; name it too if it should load`, path: ground.manifestPath, field });
}

export async function isFolder(path: string): Promise<boolean> {
  return fs.stat(path).then(
    (stat) => stat.isDirectory(),
    () => false,
  );
}

export async function isThere(path: string): Promise<boolean> {
  return fs.access(path).then(
    () => true,
    () => false,
  );
}
