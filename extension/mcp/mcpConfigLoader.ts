import { promises as fs } from 'node:fs';
import { join } from 'node:path';
import type { LoadReport, Problem } from '../base/problem';
import { errorCode, errorText } from '../base/errorText';
import { mainCheckoutOf } from '../settings/settingsLoader';
import { asRecord } from '../settings/settingsSchema';
import { parseStrictJson } from '../settings/strictJson';
import { readEntry } from './mcpEntry';
import { isReservedServer } from './mcpNames';
import type { McpScope, McpServer } from './mcpServer';

export interface McpPlaces {
  readonly cwd: string;
  readonly homeDir: string;
  readonly configRoot: string;
  /** `CLAUDE_CONFIG_DIR` is set: `.claude.json` lies in it. */
  readonly configDirIsSet: boolean;
  readonly managedDir: string;
  /** `--mcp-config`: files, or JSON as it is. */
  readonly flagConfigs: readonly string[];
  /** `--strict-mcp-config`: only those, and what an organisation sets. */
  readonly onlyFlag: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Of plugins that are on, read at each load. */
  readonly plugins?: () => Promise<readonly McpPluginServers[]>;
}

/** Servers as a plugin names them, and what its texts may use as `${NAME}`. */
export interface McpPluginServers {
  readonly plugin: string;
  readonly path: string;
  readonly raw: unknown;
  readonly keys: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
}

export interface McpConfig extends LoadReport<McpServer> {
  /** Servers the person has turned off for this folder. */
  readonly turnedOff: ReadonlySet<string>;
  /** The files looked for, whether or not they exist. */
  readonly files: readonly string[];
}

interface Source {
  readonly scope: McpScope;
  readonly path?: string;
  readonly plugin?: McpPluginServers;
  readonly servers: unknown;
  /** Where `servers` lies in the file, for line numbers. */
  readonly at: readonly string[];
  readonly text: string;
}

const maxBytes = 64 * 1024 * 1024;

/** Whether any file could hold a server: cheap, so that a start without servers loads nothing more. */
export async function hasMcpConfig(places: McpPlaces): Promise<boolean> {
  if (places.flagConfigs.length > 0 || ((await places.plugins?.()) ?? []).length > 0) return true;
  const texts = await Promise.all(filesOf(places).map((path) => readText(path)));
  return texts.some((text) => text !== undefined && (text.includes('"mcpServers"') || text.includes('"command"') || text.includes('"url"')));
}

/** Every entry of every file, best first where names are the same; one bad entry or file is a problem, the rest loads. */
export async function loadMcpConfig(places: McpPlaces): Promise<McpConfig> {
  const problems: Problem[] = [];
  const disabled: { name: string; path: string; reason: string }[] = [];
  const managed = await fileSource('managed', managedFile(places), problems);
  const state = await appState(places, problems);
  const sources = managed.length > 0 ? managed : [...(await flagSources(places, problems)), ...(places.onlyFlag ? [] : [...state.local, ...(await fileSource('project', join(places.cwd, '.mcp.json'), problems)), ...state.user])];
  const fromPlugins: readonly Source[] = managed.length > 0 || places.onlyFlag ? [] : ((await places.plugins?.()) ?? []).map((plugin) => ({ scope: 'plugin', path: plugin.path, plugin, servers: plugin.raw, at: plugin.keys, text: '' }));
  const loaded: McpServer[] = [];
  for (const source of [...sources, ...fromPlugins]) await readSource(source, { places, loaded, disabled, problems });
  return { loaded, disabled, problems, turnedOff: state.turnedOff, files: filesOf(places) };
}

function filesOf(places: McpPlaces): readonly string[] {
  return [managedFile(places), join(places.cwd, '.mcp.json'), stateFile(places)];
}

function managedFile(places: McpPlaces): string {
  return join(places.managedDir, 'managed-mcp.json');
}

function stateFile(places: McpPlaces): string {
  return join(places.configDirIsSet ? places.configRoot : places.homeDir, '.claude.json');
}

async function readText(path: string): Promise<string | undefined> {
  const stat = await fs.stat(path).catch(() => undefined);
  if (!stat?.isFile() || stat.size > maxBytes) return undefined;
  return fs.readFile(path, 'utf8').catch(() => undefined);
}

async function readJson(path: string, problems: Problem[]): Promise<{ readonly text: string; readonly value: unknown } | undefined> {
  try {
    const text = await fs.readFile(path, 'utf8');
    const json = await parseStrictJson(text, path);
    if (json.ok) return { text, value: json.value };
    problems.push(json.problem);
  } catch (thrown) {
    if (!['ENOENT', 'ENOTDIR'].includes(errorCode(thrown) ?? '')) problems.push({ severity: 'error', code: 'mcp-file-unreadable', message: `can't be read: ${errorText(thrown)}`, path });
  }
  return undefined;
}

async function fileSource(scope: McpScope, path: string, problems: Problem[]): Promise<readonly Source[]> {
  const file = await readJson(path, problems);
  return file ? sourceOf(scope, file, path, problems) : [];
}

/** With the wrapper `mcpServers`, or a flat map of servers. */
function sourceOf(scope: McpScope, file: { readonly text: string; readonly value: unknown }, path: string | undefined, problems: Problem[]): readonly Source[] {
  const record = asRecord(file.value);
  const wrapped = Object.hasOwn(record, 'mcpServers');
  const servers = wrapped ? record['mcpServers'] : file.value;
  if (typeof servers !== 'object' || servers === null || Array.isArray(servers)) {
    problems.push({ severity: 'error', code: 'mcp-invalid-file', message: 'has no map of servers: {"mcpServers": {"name": {…}}}', ...(path === undefined ? {} : { path }), field: 'mcpServers' });
    return [];
  }
  return [{ scope, ...(path === undefined ? {} : { path }), servers, at: wrapped ? ['mcpServers'] : [], text: file.text }];
}

async function flagSources({ flagConfigs }: McpPlaces, problems: Problem[]): Promise<readonly Source[]> {
  const sources: Source[] = [];
  for (const given of flagConfigs) {
    if (!given.trimStart().startsWith('{')) {
      const before = problems.length;
      const found = await fileSource('flag', given, problems);
      if (found.length === 0 && problems.length === before) problems.push({ severity: 'error', code: 'mcp-file-unreadable', message: 'there is no such file (--mcp-config)', path: given });
      sources.push(...found);
      continue;
    }
    const json = await parseStrictJson(given, '--mcp-config');
    if (json.ok) sources.push(...sourceOf('flag', { text: given, value: json.value }, undefined, problems));
    else problems.push({ ...json.problem, message: `--mcp-config: ${json.problem.message}` });
  }
  return sources;
}

interface AppState {
  readonly local: readonly Source[];
  readonly user: readonly Source[];
  readonly turnedOff: ReadonlySet<string>;
}

/** `.claude.json` is another program's state: only its servers are read, and a broken one is said once. */
async function appState(places: McpPlaces, problems: Problem[]): Promise<AppState> {
  const path = stateFile(places);
  const file = await readJson(path, problems);
  const state = asRecord(file?.value);
  const projects = asRecord(state['projects']);
  const keys = await projectKeys(places.cwd);
  const local: Source[] = [];
  const turnedOff = new Set<string>();
  for (const key of keys) {
    const project = asRecord(projects[key]);
    if (project['mcpServers'] !== undefined) local.push({ scope: 'local', path, servers: project['mcpServers'], at: ['projects', key, 'mcpServers'], text: file?.text ?? '' });
    const off = project['disabledMcpServers'];
    for (const name of Array.isArray(off) ? off : []) if (typeof name === 'string') turnedOff.add(name);
  }
  const user: Source[] = state['mcpServers'] === undefined ? [] : [{ scope: 'user', path, servers: state['mcpServers'], at: ['mcpServers'], text: file?.text ?? '' }];
  return { local, user, turnedOff };
}

/** The folder itself and its repository, as written and behind links. */
async function projectKeys(cwd: string): Promise<readonly string[]> {
  const roots = [cwd, (await mainCheckoutOf(cwd)) ?? cwd];
  const real = await Promise.all(roots.map((root) => fs.realpath(root).catch(() => root)));
  return [...new Set([...roots, ...real])];
}

interface Reading {
  readonly places: McpPlaces;
  readonly loaded: McpServer[];
  readonly disabled: { name: string; path: string; reason: string }[];
  readonly problems: Problem[];
}

async function readSource(source: Source, { places, loaded, disabled, problems }: Reading): Promise<void> {
  const { scope, path } = source;
  const where = path === undefined ? {} : { path };
  if (typeof source.servers !== 'object' || source.servers === null || Array.isArray(source.servers)) {
    problems.push({ severity: 'error', code: 'mcp-invalid-file', message: `${source.at.join('.')} is no map of servers`, ...where });
    return;
  }
  for (const [name, raw] of Object.entries(source.servers)) {
    const say = async (severity: Problem['severity'], code: string, message: string): Promise<void> => {
      const line = await lineOf(source, name);
      problems.push({ severity, code, message: `${name}: ${message}`, ...where, ...(line === undefined ? {} : { line }), field: name });
    };
    if (isReservedServer(name)) {
      await say('warning', 'mcp-reserved-name', 'this name is kept for another program; rename the server');
      disabled.push({ name, path: path ?? '', reason: 'its name is reserved' });
      continue;
    }
    const read = readEntry(raw, variables(source, places));
    if (!read.ok) {
      await say(read.problem.code === 'mcp-empty-url' ? 'warning' : 'error', read.problem.code, read.problem.message);
      disabled.push({ name, path: path ?? '', reason: read.problem.code === 'mcp-empty-url' ? 'no address yet' : read.problem.message });
      continue;
    }
    const { warnings, ...entry } = read.value;
    // A left-out type is read as what it can only be: said, but nothing to mend.
    for (const warning of warnings) await say(warning.code === 'mcp-type-missing' ? 'info' : 'warning', warning.code, warning.message);
    const { plugin } = source;
    loaded.push({ id: plugin ? `plugin:${plugin.plugin}:${name}` : name, name, scope, ...(plugin ? { plugin: plugin.plugin } : {}), ...where, ...entry });
  }
}

/** Keys that buy model calls are never put into what a repository brings: it would choose where they go. */
const modelKeys = /^(ANTHROPIC_(API_KEY|AUTH_TOKEN|CUSTOM_HEADERS)|CLAUDE_CODE_OAUTH_TOKEN)$/;

function variables({ scope, plugin }: Source, { env }: McpPlaces): (name: string) => string | undefined {
  return (name) => plugin?.variables[name] ?? ((scope === 'project' || scope === 'plugin') && modelKeys.test(name) ? undefined : env[name]);
}

/** Only asked for when something is wrong: the parser that knows places is heavy. */
async function lineOf({ path, text: known, at }: Source, name: string): Promise<number | undefined> {
  const text = known === '' && path !== undefined ? ((await readText(path)) ?? '') : known;
  const { findNodeAtLocation, parseTree } = await import('jsonc-parser');
  const root = parseTree(text);
  const node = root ? findNodeAtLocation(root, [...at, name]) : undefined;
  const offset = node?.parent?.offset ?? node?.offset;
  return offset === undefined ? undefined : text.slice(0, offset).split('\n').length;
}
