import { promises as fs } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { readFrontmatter } from '../base/frontmatter';
import { globList } from '../base/frontmatterValues';
import type { Problem } from '../base/problem';
import { listMarkdownTree } from '../platform/markdownTree';
import { readTextFile } from '../platform/textFile';
import type { MemoryPart } from './contextMessage';
import { importedPaths, withoutBlockComments } from './memoryFilesText';

export type MemorySource = 'managed' | 'user' | 'project' | 'local' | 'rule' | 'import';

export interface MemoryFile extends MemoryPart {
  readonly source: MemorySource;
  readonly realPath: string;
}

export interface MemoryPlaces {
  readonly configRoot: string;
  readonly homeDir: string;
  readonly managedDir?: string;
  /** Instructions written into a managed settings file. */
  readonly managedText?: { readonly path: string; readonly text: string };
  readonly cwd: string;
  /** Imports of project files from outside this folder wait for an approval. */
  readonly projectRoot: string;
  /** Absolute globs (`claudeMdExcludes`); managed files are never left out. */
  readonly excludes: readonly string[];
  /** Whether the person approved this project's imports from outside it. */
  readonly mayImportOutside: boolean;
}

export interface MemoryReport {
  /** General first: managed, user, then from the root to `cwd`. */
  readonly files: readonly MemoryFile[];
  readonly problems: readonly Problem[];
  /** Files outside the project that would be imported after an approval. */
  readonly outsideImports: readonly string[];
}

const importDepth = 4;

/** Loads the standing instructions of a session. AGENTS.md counts in a folder without CLAUDE.md (our decision). */
export async function loadMemoryFiles(places: MemoryPlaces): Promise<MemoryReport> {
  const collector = new Collector(places, new Set());
  if (places.managedText) collector.takeText(places.managedText);
  if (places.managedDir !== undefined) await collector.take(join(places.managedDir, 'CLAUDE.md'), 'managed', 'managed instructions');
  await collector.take(join(places.configRoot, 'CLAUDE.md'), 'user', "the person's own instructions");
  await collector.takeRules(join(places.configRoot, 'rules'), undefined);
  for (const dir of ancestors(places.cwd)) await collector.takeFolder(dir, dir === places.cwd ? 'the folder the session works in' : 'a folder above the session');
  return collector.report();
}

/**
 * What a touched file brings in: instructions of folders between `cwd` and the file, and rules whose `paths` match it.
 * @param loaded real paths that are in the conversation already
 */
export async function nestedMemoryFor(places: MemoryPlaces, touched: string, loaded: ReadonlySet<string>): Promise<MemoryReport> {
  const collector = new Collector(places, new Set(loaded));
  await collector.takeRules(join(places.configRoot, 'rules'), touched);
  for (const dir of ancestors(places.cwd)) await collector.takeRules(join(dir, '.claude', 'rules'), touched);
  for (const dir of foldersBelow(places.cwd, touched)) await collector.takeFolder(dir, 'a folder with a file that was read or changed', touched);
  return collector.report();
}

/** From the file system's root down to `dir`. */
function ancestors(dir: string): readonly string[] {
  const parent = dirname(dir);
  return parent === dir ? [dir] : [...ancestors(parent), dir];
}

function foldersBelow(cwd: string, touched: string): readonly string[] {
  const rel = relative(cwd, dirname(touched));
  const segments = rel.split(sep);
  if (rel === '' || segments.some((segment) => segment === '..' || segment === 'node_modules' || segment === '.git' || segment === '.claude')) return [];
  return segments.map((_, index) => join(cwd, ...segments.slice(0, index + 1)));
}

class Collector {
  private readonly files: MemoryFile[] = [];
  private readonly problems: Problem[] = [];
  private readonly outside = new Set<string>();
  private isExcluded: ((path: string) => boolean) | undefined;

  constructor(
    private readonly places: MemoryPlaces,
    private readonly seen: Set<string>,
  ) {}

  report(): MemoryReport {
    return { files: this.files, problems: this.problems, outsideImports: [...this.outside] };
  }

  /** Imports nothing: an organisation's text is whole as it stands. */
  takeText({ path, text }: { readonly path: string; readonly text: string }): void {
    if (text.trim() !== '') this.files.push({ path, why: 'managed instructions', source: 'managed', realPath: `${path}#claudeMd`, text: text.trim() });
  }

  /** `touched` absent: the rules of the folder that always hold are taken too. */
  async takeFolder(dir: string, why: string, touched?: string): Promise<void> {
    const inside = join(dir, '.claude', 'CLAUDE.md');
    const hasOwn = (await this.take(join(dir, 'CLAUDE.md'), 'project', why)) || (await exists(join(dir, 'CLAUDE.md')));
    const hasInside = (await this.take(inside, 'project', why)) || (await exists(inside));
    if (!hasOwn && !hasInside) await this.take(join(dir, 'AGENTS.md'), 'project', `${why}; AGENTS.md, as there is no CLAUDE.md`);
    await this.take(join(dir, 'CLAUDE.local.md'), 'local', `${why}; not shared with others`);
    await this.takeRules(join(dir, '.claude', 'rules'), touched);
  }

  /** @returns whether the file was taken in now */
  async take(path: string, source: MemorySource, why: string): Promise<boolean> {
    const realPath = await realFile(path);
    if (realPath === undefined || this.seen.has(realPath)) return false;
    if (source !== 'managed' && (await this.excluded(path))) return false;
    const read = await readTextFile(realPath);
    this.seen.add(realPath);
    if (!read.ok) {
      this.problems.push({ ...read.problem, severity: 'warning', path });
      return false;
    }
    if (read.value.problem) this.problems.push({ ...read.value.problem, path });
    await this.add({ path, why, source, realPath, text: read.value.text }, source === 'managed' || source === 'user', 0);
    return true;
  }

  /** Rules without `paths` always hold; the others once a file that they name is touched. */
  async takeRules(dir: string, touched: string | undefined): Promise<void> {
    const tree = await listMarkdownTree(dir);
    if (touched === undefined) this.problems.push(...tree.problems);
    for (const file of tree.files) {
      if (this.seen.has(file.realPath) || (await this.excluded(file.path))) continue;
      const read = await readTextFile(file.realPath);
      if (!read.ok) continue;
      const parsed = await readFrontmatter(read.value.text);
      const globs = globList(parsed.fields.get('paths'));
      const isWanted = touched === undefined ? globs.length === 0 : globs.length > 0 && (await matchesAny(globs, relative(ruleBase(dir, this.places), touched)));
      if (touched === undefined) this.problems.push(...parsed.problems.map((problem) => ({ ...problem, path: file.path })));
      if (!isWanted) continue;
      this.seen.add(file.realPath);
      const why = globs.length === 0 ? 'a rule' : `a rule for ${globs.join(', ')}`;
      await this.add({ path: file.path, why, source: 'rule', realPath: file.realPath, text: parsed.body }, dir.startsWith(this.places.configRoot + sep), 0);
    }
  }

  private async add(file: MemoryFile, isOwn: boolean, depth: number): Promise<void> {
    const text = withoutBlockComments(file.text.replace(/^\ufeff/, '')).replace(/\r\n?/g, '\n').trim();
    if (text !== '') this.files.push({ ...file, text });
    if (depth === importDepth) return;
    for (const written of importedPaths(text)) await this.import(written, file, { isOwn, depth: depth + 1 });
  }

  private async import(written: string, from: MemoryFile, at: { readonly isOwn: boolean; readonly depth: number }): Promise<void> {
    const path = written.startsWith('~/') ? join(this.places.homeDir, written.slice(2)) : resolve(dirname(from.realPath), written);
    const realPath = await realFile(path);
    if (realPath === undefined || this.seen.has(realPath)) return;
    if (!at.isOwn && !this.places.mayImportOutside && !(await this.isInside(realPath))) {
      this.outside.add(realPath);
      return;
    }
    const read = await readTextFile(realPath);
    this.seen.add(realPath);
    if (!read.ok) this.problems.push({ ...read.problem, severity: 'warning' });
    else await this.add({ path, why: `imported by ${from.path}`, source: 'import', realPath, text: read.value.text }, at.isOwn, at.depth);
  }

  private async isInside(realPath: string): Promise<boolean> {
    const root = await fs.realpath(this.places.projectRoot).catch(() => this.places.projectRoot);
    return realPath.startsWith(root.endsWith(sep) ? root : root + sep);
  }

  private async excluded(path: string): Promise<boolean> {
    if (this.places.excludes.length === 0) return false;
    this.isExcluded ??= await matcher(this.places.excludes);
    return this.isExcluded(path);
  }
}

/** Globs of a project's rules are taken from the folder that holds its `.claude`, those of the person's from `cwd`. */
function ruleBase(rulesDir: string, places: MemoryPlaces): string {
  return rulesDir.startsWith(places.configRoot + sep) ? places.cwd : dirname(dirname(rulesDir));
}

async function matchesAny(globs: readonly string[], relPath: string): Promise<boolean> {
  return !relPath.startsWith('..') && (await matcher(globs))(relPath.split(sep).join('/'));
}

async function matcher(globs: readonly string[]): Promise<(path: string) => boolean> {
  const { default: picomatch } = await import('picomatch');
  const usable = globs.filter(isUsableGlob);
  return usable.length === 0 ? () => false : picomatch(usable, { dot: true });
}

/** An open `[` matches nothing; a pattern that would grow beyond bounds is left out. */
function isUsableGlob(glob: string): boolean {
  const opens = (glob.match(/\[/g) ?? []).length;
  return glob.length <= 4_096 && opens === (glob.match(/\]/g) ?? []).length && (glob.match(/\{/g) ?? []).length <= 20;
}

async function realFile(path: string): Promise<string | undefined> {
  try {
    const realPath = await fs.realpath(path);
    return (await fs.stat(realPath)).isFile() ? realPath : undefined;
  } catch {
    // Missing, dangling or in a ring: there is no such file to read.
    return undefined;
  }
}

async function exists(path: string): Promise<boolean> {
  return (await realFile(path)) !== undefined;
}
