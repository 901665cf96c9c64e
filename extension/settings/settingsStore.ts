import { type FSWatcher, promises as fs, watch } from 'node:fs';
import { dirname, isAbsolute, join, relative } from 'node:path';
import { type Disposable, Emitter } from '../base/disposable';
import { errorText } from '../base/errorText';
import type { Problem } from '../base/problem';
import { err, ok, type Result } from '../base/result';
import type { PolicyRule } from '../permissions/permissionTypes';
import { writeFileAtomic } from '../platform/atomicFile';
import { withFileLock } from '../platform/fileLock';
import type { GitRunner } from '../platform/gitRunner';
import type { Log } from '../ports';
import { type EffectiveSettings, mergeSettings, type SettingsLayer, type SettingsSource } from './cascade';
import { limitLayers } from './layerLimits';
import { flagRules, policyRules } from './policyRules';
import { sandboxAbsent } from './sandboxAbsent';
import { localSettingsRoot, loadSettings, mainCheckoutOf, type SettingsPlaces } from './settingsLoader';
import { parseStrictJson } from './strictJson';

export type WritableScope = 'local' | 'project' | 'user';

/** `value` undefined removes. `append` adds items to the list at `path`, those it has already left out. */
export type SettingsEdit =
  | { readonly path: readonly string[]; readonly remove: string }
  | { readonly path: readonly (string | number)[]; readonly value: unknown } | { readonly path: readonly string[]; readonly append: readonly string[] };

/** All settings at one moment. `rules` keeps its identity until something changes. */
export interface SettingsSnapshot {
  readonly effective: EffectiveSettings;
  readonly layers: readonly SettingsLayer[];
  readonly rules: readonly PolicyRule[];
  readonly problems: readonly Problem[];
}

export interface SettingsStore {
  readonly current: () => SettingsSnapshot;
  readonly onDidChange: (listener: (snapshot: SettingsSnapshot) => void) => Disposable;
  /** Reads all files again; also after trust was granted. */
  readonly reload: () => Promise<SettingsSnapshot>;
  /** Changes one file, keeping its formatting and what it holds besides; `current()` has it when this resolves. */
  readonly save: (scope: WritableScope, edit: SettingsEdit) => Promise<Result<void, string>>;
  /** Takes one rule out of the file it stands in. */
  readonly removeRule: (rule: { readonly file: string; readonly behavior: 'allow' | 'ask' | 'deny'; readonly text: string; readonly worktreeOnly: boolean }) => Promise<Result<void, string>>;
  readonly saveRules: (scope: WritableScope, rules: readonly string[], options: { readonly worktreeOnly: boolean }) => Promise<Result<void, string>>;
  readonly dispose: () => void;
}

export interface SettingsStoreOptions {
  readonly places: SettingsPlaces;
  /** Whether a person trusts the folder; asked at each load. */
  readonly isTrusted: () => boolean;
  /** `--allowedTools` and `--disallowedTools`. */
  readonly flagRules?: { readonly allow: readonly string[]; readonly deny: readonly string[] };
  readonly log: Pick<Log, 'warn'>;
  /** Keeps `.claude/settings.local.json` out of git; without it nothing is hidden. */
  readonly git?: GitRunner;
  /** Off for runs that end soon. */
  readonly watch: boolean;
  /** Why commands can't be confined here; undefined when they can. */
  readonly sandboxMissing?: string | undefined;
  /** Before changed files count. What policy files say counts whatever it says. */
  readonly mayChange?: (files: readonly ChangedFile[]) => Promise<boolean>;
}

export interface ChangedFile {
  readonly source: SettingsSource;
  readonly path?: string;
}

const settleMs = 60;

export async function openSettingsStore(options: SettingsStoreOptions): Promise<SettingsStore> {
  const changed = new Emitter<SettingsSnapshot>((thrown) => options.log.warn(`a listener of settings failed: ${errorText(thrown)}`));
  let loaded = await load(options);
  let snapshot = loaded.snapshot;
  const reload = async (): Promise<SettingsSnapshot> => {
    const next = await load(options);
    // The same settings again: keep the old value, so that compiled rules are kept.
    if (JSON.stringify(next.snapshot) === JSON.stringify(snapshot)) return snapshot;
    const files = changedFiles(snapshot.layers, next.snapshot.layers);
    const may = files.length === 0 || (await options.mayChange?.(files)) !== false;
    if (!may && !files.some((file) => file.source === 'managed')) return snapshot;
    loaded = next;
    snapshot = next.snapshot;
    changed.fire(snapshot);
    return snapshot;
  };
  const save = async (scope: WritableScope, edit: SettingsEdit): Promise<Result<void, string>> => {
    const written = await writeEdit(options, { path: await fileOf(options.places, scope), hide: scope === 'local' }, edit);
    if (written.ok) await reload();
    return written;
  };
  const watching = options.watch ? watchFolders(loaded.files, () => void reload(), options.log) : undefined;
  return {
    current: () => snapshot,
    onDidChange: (listener) => changed.on(listener),
    reload,
    save,
    removeRule: async ({ file, behavior, text, worktreeOnly }) => {
      const written = await writeEdit(options, { path: file, hide: false }, { path: worktreeOnly ? ['troupe', 'permissions', 'worktreeAllow'] : ['permissions', behavior], remove: text });
      if (written.ok) await reload();
      return written;
    },
    saveRules: (scope, rules, { worktreeOnly }) => save(scope, { path: worktreeOnly ? ['troupe', 'permissions', 'worktreeAllow'] : ['permissions', 'allow'], append: rules }),
    dispose: () => watching?.dispose(),
  };
}

function changedFiles(before: readonly SettingsLayer[], now: readonly SettingsLayer[]): readonly ChangedFile[] {
  const key = ({ source, path }: SettingsLayer): string => `${source} ${path ?? ''}`;
  const texts = (layers: readonly SettingsLayer[]): ReadonlyMap<string, string> => new Map(layers.map((layer) => [key(layer), JSON.stringify(layer.settings)]));
  const [old, fresh] = [texts(before), texts(now)];
  const all = new Map([...before, ...now].map((layer) => [key(layer), layer]));
  return [...all].filter(([name]) => old.get(name) !== fresh.get(name)).map(([, { source, path }]) => ({ source, ...(path === undefined ? {} : { path }) }));
}

async function load(options: SettingsStoreOptions): Promise<{ readonly snapshot: SettingsSnapshot; readonly files: readonly string[] }> {
  const read = await loadSettings(options.places);
  const limited = limitLayers(read.layers, options.isTrusted());
  const made = policyRules(limited.layers, options.places);
  const effective = mergeSettings(limited.layers);
  const sandbox = sandboxAbsent(effective, options.places.startDir, options.sandboxMissing);
  const rules = [...made.rules, ...sandbox.rules, ...(options.flagRules ? flagRules(options.flagRules, options.places.startDir) : [])];
  return {
    snapshot: { effective, layers: limited.layers, rules, problems: [...read.problems, ...limited.problems, ...made.problems, ...sandbox.problems] },
    files: read.files,
  };
}

/** Watches the folders of the files, or their nearest existing parent, since a file may come later. */
function watchFolders(files: readonly string[], changed: () => void, log: Pick<Log, 'warn'>): Disposable {
  const watchers = new Map<string, FSWatcher>();
  let timer: NodeJS.Timeout | undefined;
  let disposed = false;
  const soon = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      open();
      changed();
    }, settleMs);
    timer.unref();
  };
  const names = new Set(files.flatMap((file) => [basenameOf(file), basenameOf(dirname(file))]));
  const add = (dir: string): boolean => {
    if (watchers.has(dir)) return true;
    try {
      const watcher = watch(dir, { persistent: false }, (_event, name) => {
        if (name === null || names.has(name)) soon();
      });
      watcher.on('error', () => {
        watcher.close();
        watchers.delete(dir);
      });
      watchers.set(dir, watcher);
      return true;
    } catch (thrown) {
      if (!/ENOENT|ENOTDIR|EACCES/.test(errorText(thrown))) log.warn(`${dir} can't be watched: ${errorText(thrown)}`);
      return false;
    }
  };
  const open = (): void => {
    if (disposed) return;
    for (const file of files) if (!add(dirname(file))) add(dirname(dirname(file)));
  };
  open();
  return {
    dispose: () => {
      disposed = true;
      clearTimeout(timer);
      for (const watcher of watchers.values()) watcher.close();
      watchers.clear();
    },
  };
}

function basenameOf(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
}

async function writeEdit(options: SettingsStoreOptions, { path, hide }: { readonly path: string; readonly hide: boolean }, edit: SettingsEdit): Promise<Result<void, string>> {
  try {
    return await withFileLock(path, async () => {
      const before = await fs.readFile(path, 'utf8').catch((thrown: unknown) => (isNotThere(thrown) ? '{}\n' : Promise.reject(thrown)));
      const text = before.trim() === '' ? '{}\n' : before.replace(/^\uFEFF/, '');
      const json = await parseStrictJson(text, path);
      if (!json.ok) return err(`${path}: ${json.problem.message}`);
      await writeFileAtomic(path, await applied(text, json.value, edit));
      if (hide) await hideFromGit(options.git, path);
      return ok(undefined);
    });
  } catch (thrown) {
    return err(`${path} can't be written: ${errorText(thrown)}`);
  }
}

function isNotThere(thrown: unknown): boolean {
  return thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT';
}

async function fileOf(places: SettingsPlaces, scope: WritableScope): Promise<string> {
  if (scope === 'user') return join(places.configRoot, 'settings.json');
  if (scope === 'project') return join(places.startDir, '.claude', 'settings.json');
  return join(await localSettingsRoot(places), '.claude', 'settings.local.json');
}

async function applied(text: string, value: unknown, edit: SettingsEdit): Promise<string> {
  const { applyEdits, modify } = await import('jsonc-parser');
  const indent = /^([ \t]+)"/m.exec(text)?.[1];
  const formattingOptions = { insertSpaces: !indent?.startsWith('\t'), tabSize: indent?.startsWith(' ') ? indent.length : 2, eol: text.includes('\r\n') ? '\r\n' : '\n' };
  const change = (now: string, path: readonly (string | number)[], next: unknown, isArrayInsertion = false): string => applyEdits(now, modify(now, [...path], next, { formattingOptions, isArrayInsertion }));
  if ('value' in edit) return change(text, edit.path, edit.value);
  const list = edit.path.reduce<unknown>((at, key) => (typeof at === 'object' && at !== null && Object.hasOwn(at, key) ? Object.entries(at).find(([k]) => k === key)?.[1] : undefined), value);
  const present = Array.isArray(list) ? list : undefined;
  if ('remove' in edit) return (present ?? []).reduceRight<string>((now, item, i) => (item === edit.remove ? change(now, [...edit.path, i], undefined) : now), text);
  const missing = [...new Set(edit.append)].filter((item) => !present?.includes(item));
  if (!present) return change(text, edit.path, missing);
  return missing.reduce((now, item, i) => change(now, [...edit.path, present.length + i], item, true), text);
}

/** The local file is nobody else's: git is told in the checkout's own exclude list, which is never committed. */
async function hideFromGit(git: GitRunner | undefined, path: string): Promise<void> {
  const root = await mainCheckoutOf(dirname(path));
  if (!git || root === undefined) return;
  const ignored = await git.run(['check-ignore', '-q', path], { cwd: root });
  if (ignored.exitCode !== 1) return;
  const found = await git.run(['rev-parse', '--git-path', 'info/exclude'], { cwd: root });
  if (found.exitCode !== 0) return;
  const exclude = found.stdout.trim();
  const file = isAbsolute(exclude) ? exclude : join(root, exclude);
  const old = await fs.readFile(file, 'utf8').catch(() => '');
  await fs.mkdir(dirname(file), { recursive: true });
  await fs.writeFile(file, `${old}${old === '' || old.endsWith('\n') ? '' : '\n'}/${relative(root, path).replaceAll('\\', '/')}\n`);
}
