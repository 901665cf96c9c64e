import { promises as fs } from 'node:fs';
import { basename, join } from 'node:path';
import * as z from 'zod';
import { errorText } from '../base/errorText';
import { readFrontmatter, type Frontmatter } from '../base/frontmatter';
import type { LoadReport, Problem } from '../base/problem';
import { findProjectDirs } from '../platform/projectDirs';
import { readTextFile } from '../platform/textFile';
import { listMarkdownTree, type MarkdownFile } from '../platform/markdownTree';
import { pluginVariables, type PluginFolder } from '../skills/skill';
import { readAgent, type AgentDefinition, type AgentPlace } from './agentDefinition';

export interface AgentPlaces {
  readonly configRoot: string;
  readonly managedDir?: string;
  readonly cwd: string;
  readonly addDirs: readonly string[];
  readonly plugins: readonly PluginFolder[];
  readonly builtin: readonly AgentDefinition[];
  /** `--agents`: a JSON object of definitions by name, with `prompt`. */
  readonly flagJson?: string;
  readonly isTrusted: boolean;
  /** Only an organisation's own folder, plugins and what is built in. */
  readonly pluginOnly?: boolean;
}

interface Found {
  readonly definition: AgentDefinition;
  readonly realPath: string;
}

interface Findings {
  readonly found: readonly Found[];
  readonly problems: readonly Problem[];
}

/** Loads every definition: managed, then `--agents`, project (nearest folder first), added folders, user, plugins, built-in. */
export async function loadAgentDefinitions(places: AgentPlaces): Promise<LoadReport<AgentDefinition>> {
  const tree = (dir: string, source: 'managed' | 'project' | 'user'): Promise<Findings> =>
    loadTree(join(dir, 'agents'), { source, isTrusted: source !== 'project' || places.isTrusted, variables: {} });
  const projectDirs = places.pluginOnly === true ? [] : [...(await findProjectDirs(places.cwd)), ...places.addDirs];
  const parts = await Promise.all([
    places.managedDir === undefined ? nothing : tree(join(places.managedDir, '.claude'), 'managed'),
    places.flagJson === undefined || places.pluginOnly === true ? nothing : readFlagAgents(places.flagJson),
    // A project folder may hold the config root (a session in the home folder): those are the person's own files.
    ...projectDirs.map((dir) => join(dir, '.claude')).filter((dir) => dir !== places.configRoot).map((dir) => tree(dir, 'project')),
    places.pluginOnly === true ? nothing : tree(places.configRoot, 'user'),
    ...places.plugins.map(loadPluginAgents),
  ]);
  const builtin = places.builtin.map((definition) => ({ definition, realPath: `builtin:${definition.name}` }));
  return { loaded: merge([...parts.flatMap((part) => part.found), ...builtin]), disabled: [], problems: parts.flatMap((part) => part.problems) };
}

const nothing: Findings = { found: [], problems: [] };

/** The agents of one plugin: files named in its manifest, or its folder with everything below. */
export async function loadPluginAgents(plugin: PluginFolder): Promise<Findings> {
  const confinedTo = await fs.realpath(plugin.root).catch(() => plugin.root);
  const place: TreePlace = { source: 'plugin', isTrusted: true, plugin: plugin.name, variables: pluginVariables(plugin), confinedTo };
  const parts = await Promise.all(plugin.agentPaths.map((path) => (/\.md$/i.test(path) ? loadFiles([lone(path)], place) : loadTree(path, place))));
  return { found: parts.flatMap((part) => part.found), problems: parts.flatMap((part) => part.problems) };
}

function lone(path: string): MarkdownFile {
  return { path, realPath: path, segments: [basename(path).replace(/\.md$/i, '')] };
}

type TreePlace = Pick<AgentPlace, 'source' | 'isTrusted' | 'plugin' | 'variables'> & { readonly confinedTo?: string };

async function loadTree(dir: string, place: TreePlace): Promise<Findings> {
  const tree = await listMarkdownTree(dir, place.confinedTo);
  const { found, problems } = await loadFiles(tree.files, place);
  return { found, problems: [...tree.problems, ...problems] };
}

async function loadFiles(files: readonly MarkdownFile[], place: TreePlace): Promise<Findings> {
  const read = await Promise.all(files.map((file) => loadFile(file, place)));
  return nameDuplicates({ found: read.flatMap((part) => part.found), problems: read.flatMap((part) => part.problems) });
}

async function loadFile(file: MarkdownFile, place: TreePlace): Promise<Findings> {
  const text = await readTextFile(file.path);
  if (!text.ok) return { found: [], problems: [text.problem] };
  const parsed = await readFrontmatter(text.value.text);
  const fileName = file.segments.at(-1) ?? '';
  const isReadme = /^readme$/i.test(fileName) && !parsed.hasBlock;
  const reading = isReadme ? undefined : readAgent(parsed, { ...place, path: file.path, fileName, folders: file.segments.slice(0, -1) });
  if (reading === undefined) return nothing;
  const odd = text.value.problem ? [text.value.problem] : [];
  if (!reading.ok) return { found: [], problems: [...(reading.problem.length > 0 ? odd : []), ...reading.problem] };
  return { found: [{ definition: reading.value.definition, realPath: file.realPath }], problems: [...odd, ...reading.value.problems] };
}

/** Two files of one tree with one name: the first by path is used, and it is said which. */
function nameDuplicates({ found, problems }: Findings): Findings {
  const first = new Map<string, Found>();
  const more: Problem[] = [];
  for (const item of found) {
    const earlier = first.get(item.definition.qualified);
    if (!earlier) first.set(item.definition.qualified, item);
    else if (earlier.realPath !== item.realPath) {
      const message = `the agent "${item.definition.qualified}" is also defined in ${earlier.definition.path}, which is used; rename one`;
      more.push({ severity: 'warning', code: 'duplicate-name', message, ...(item.definition.path === undefined ? {} : { path: item.definition.path }), field: 'name' });
    }
  }
  return { found, problems: [...problems, ...more] };
}

function merge(found: readonly Found[]): readonly AgentDefinition[] {
  const seen = new Set<string>();
  const byName = new Map<string, AgentDefinition[]>();
  for (const { definition, realPath } of found) {
    if (seen.has(realPath)) continue;
    seen.add(realPath);
    const same = byName.get(definition.qualified);
    if (same) same.push(definition);
    else byName.set(definition.qualified, [definition]);
  }
  const winners: AgentDefinition[] = [];
  for (const [winner, ...hidden] of byName.values()) {
    if (winner) winners.push({ ...winner, hides: hidden.map((agent) => agent.path ?? `${agent.source}:${agent.name}`) });
  }
  return winners;
}

const FlagAgents = z.record(z.string(), z.looseObject({ description: z.string().min(1), prompt: z.string() }));

/** A definition as JSON is read by the same rules as a file: its keys are the fields, `prompt` is the body. */
async function readFlagAgents(json: string): Promise<Findings> {
  let raw: unknown;
  try {
    raw = JSON.parse(json);
  } catch (thrown) {
    return { found: [], problems: [flagProblem(`--agents is no JSON: ${errorText(thrown)}`)] };
  }
  const parsed = FlagAgents.safeParse(raw);
  if (!parsed.success) {
    const where = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; ');
    return { found: [], problems: [flagProblem(`--agents wants {"name": {"description": …, "prompt": …}}: ${where}`)] };
  }
  const found: Found[] = [];
  const problems: Problem[] = [];
  for (const [name, { prompt, ...rest }] of Object.entries(parsed.data)) {
    const reading = readAgent(asFile({ ...rest, name }, prompt), { source: 'flag', isTrusted: true, fileName: name, folders: [], variables: {} });
    if (reading.ok) found.push({ definition: reading.value.definition, realPath: `flag:${name}` });
    problems.push(...(reading.ok ? reading.value.problems : reading.problem));
  }
  return { found, problems };
}

function flagProblem(message: string): Problem {
  return { severity: 'error', code: 'agents-flag-invalid', message };
}

function asFile(values: Readonly<Record<string, unknown>>, body: string): Frontmatter {
  const fields = new Map(Object.entries(values).map(([key, value]) => [key, { value, text: typeof value === 'object' ? undefined : String(value), line: 1 }]));
  return { fields, body, bodyStartLine: 1, problems: [], hasBlock: true, isUnreadable: false };
}
