import { promises as fs } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { errorCode } from '../base/errorText';
import type { Problem } from '../base/problem';
import { readTextFile } from '../platform/textFile';
import type { SettingsLayer, SettingsSource } from './cascade';
import { readSettings, refusedManaged } from './settingsSchema';
import { parseStrictJson } from './strictJson';

export interface SettingsPlaces {
  /** The folder the session was started in. */
  readonly startDir: string;
  readonly homeDir: string;
  /** `CLAUDE_CONFIG_DIR`, else `~/.claude`. */
  readonly configRoot: string;
  /** Folder of `managed-settings.json`; the operating system's own when absent. */
  readonly managedDir?: string;
  /** Settings of the command line and the editor, highest first. */
  readonly flag: readonly FlagSettings[];
}

export type FlagSettings = { readonly path: string } | { readonly settings: unknown };

export interface LoadedSettings {
  /** Highest first. */
  readonly layers: readonly SettingsLayer[];
  readonly problems: readonly Problem[];
  /** The files looked for, whether or not they exist. */
  readonly files: readonly string[];
}

const maxBytes = 1024 * 1024;

export function managedSettingsDir(platform: NodeJS.Platform): string {
  if (platform === 'darwin') return '/Library/Application Support/ClaudeCode';
  return platform === 'win32' ? 'C:\\Program Files\\ClaudeCode' : '/etc/claude-code';
}

/** Reads every settings file there is. A broken one is a problem; the rest loads. */
export async function loadSettings(places: SettingsPlaces): Promise<LoadedSettings> {
  const managedDir = places.managedDir ?? managedSettingsDir(process.platform);
  const wanted: { readonly source: SettingsSource; readonly path: string }[] = [
    ...(await managedFiles(managedDir)).map((path) => ({ source: 'managed' as const, path })),
    ...(await localFiles(places)).map((path) => ({ source: 'local' as const, path })),
    { source: 'project', path: join(places.startDir, '.claude', 'settings.json') },
    { source: 'user', path: join(places.configRoot, 'settings.json') },
  ];
  const files = distinct(wanted);
  const read = await Promise.all(files.map((file) => readLayer(file.source, file.path)));
  const flags = await Promise.all(places.flag.map(readFlag));
  const all = read.map((r, i) => ({ ...r, source: files[i]?.source }));
  const pick = (test: (source: SettingsSource | undefined) => boolean): readonly SettingsLayer[] => all.filter((r) => test(r.source)).flatMap((r) => r.layers);
  return {
    layers: [...pick((s) => s === 'managed'), ...flags.flatMap((f) => f.layers), ...pick((s) => s !== 'managed')],
    problems: [...all, ...flags].flatMap((r) => r.problems),
    files: [...files.map((f) => f.path), join(managedDir, 'managed-settings.json')],
  };
}

/** Started in the home folder, the project's file is the user's own: it counts once, as the user's. */
function distinct<T extends { readonly source: SettingsSource; readonly path: string }>(files: readonly T[]): readonly T[] {
  const user = files.find((f) => f.source === 'user');
  return files.filter((f, i) => (f.source === 'user' || f.path !== user?.path) && files.findIndex((g) => g.path === f.path) === i);
}

/** Later drop-ins win, so they come first. */
async function managedFiles(dir: string): Promise<readonly string[]> {
  const dropIns = await fs.readdir(join(dir, 'managed-settings.d')).catch(() => []);
  const names = dropIns.filter((name) => name.endsWith('.json') && !name.startsWith('.')).sort().reverse();
  return [...names.map((name) => join(dir, 'managed-settings.d', name)), join(dir, 'managed-settings.json')];
}

/** The git root's file first, then the start folder's. */
async function localFiles(places: SettingsPlaces): Promise<readonly string[]> {
  const root = await localSettingsRoot(places);
  return [...new Set([root, places.startDir])].map((dir) => join(dir, '.claude', 'settings.local.json'));
}

/** Where local settings are written: the git root (of the main checkout), unless that is home, another user's, or Windows. */
export async function localSettingsRoot(places: Pick<SettingsPlaces, 'startDir' | 'homeDir'>): Promise<string> {
  const root = await mainCheckoutOf(places.startDir);
  if (root === undefined || process.platform === 'win32' || resolve(root) === resolve(places.homeDir)) return places.startDir;
  const owner = await fs.stat(root).then(
    (stat) => stat.uid,
    () => undefined,
  );
  return owner === process.getuid?.() ? root : places.startDir;
}

/** The root of the repository around `dir`; of its main checkout when `dir` is in a worktree. */
export async function mainCheckoutOf(dir: string): Promise<string | undefined> {
  for (let at = resolve(dir); ; at = dirname(at)) {
    const git = join(at, '.git');
    const stat = await fs.stat(git).catch(() => undefined);
    if (stat?.isDirectory()) return at;
    if (stat?.isFile()) return (await worktreeMain(at, git)) ?? at;
    if (dirname(at) === at) return undefined;
  }
}

async function worktreeMain(at: string, gitFile: string): Promise<string | undefined> {
  const gitdir = /^gitdir:\s*(.+?)\s*$/m.exec(await fs.readFile(gitFile, 'utf8').catch(() => ''))?.[1];
  if (gitdir === undefined) return undefined;
  const own = resolve(at, gitdir);
  const common = await fs.readFile(join(own, 'commondir'), 'utf8').catch(() => undefined);
  // Anyone can write a .git file that points at a repository a person trusts; only git's own link back counts.
  const back = (await fs.readFile(join(own, 'gitdir'), 'utf8').catch(() => '')).trim();
  const real = (path: string): Promise<string> => fs.realpath(path).catch(() => path);
  if (back === '' || (await real(resolve(own, back))) !== (await real(gitFile))) return undefined;
  // A submodule has a .git file too, but no common folder: it is its own root.
  return common === undefined ? undefined : dirname(resolve(own, common.trim()));
}

interface ReadLayer {
  readonly layers: readonly SettingsLayer[];
  readonly problems: readonly Problem[];
}

async function readFlag(flag: FlagSettings): Promise<ReadLayer> {
  if ('path' in flag) return readLayer('flag', flag.path, true);
  const read = readSettings(flag.settings, { path: '--settings', managed: false });
  return read.ok ? { layers: [{ source: 'flag', settings: read.value.settings }], problems: read.value.problems } : { layers: [], problems: [read.problem] };
}

async function readLayer(source: SettingsSource, path: string, mustExist = false): Promise<ReadLayer> {
  const managed = source === 'managed';
  const refuse = (problem: Problem): ReadLayer => ({ layers: managed ? [{ source, path, settings: refusedManaged }] : [], problems: [problem] });
  const text = await readTextFile(path, maxBytes);
  if (!text.ok) {
    const missing = text.problem.code === 'file-missing' || (await isMissing(path));
    if (missing && !mustExist) return { layers: [], problems: [] };
    return refuse({ ...text.problem, message: `the settings file ${text.problem.message}` });
  }
  const json = await parseStrictJson(text.value.text, path);
  if (!json.ok) return refuse(json.problem);
  const read = readSettings(json.value, { path, managed });
  if (!read.ok) return refuse(read.problem);
  return { layers: [{ source, path, settings: read.value.settings }], problems: [...(text.value.problem ? [text.value.problem] : []), ...read.value.problems] };
}

/** A part of the path that is a file (`ENOTDIR`) means the settings are not there either. */
async function isMissing(path: string): Promise<boolean> {
  return fs.stat(path).then(
    () => false,
    (thrown: unknown) => errorCode(thrown) === 'ENOENT' || errorCode(thrown) === 'ENOTDIR',
  );
}
