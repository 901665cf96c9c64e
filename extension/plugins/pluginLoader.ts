import { promises as fs } from 'node:fs';
import { basename, join } from 'node:path';
import { errorText } from '../base/errorText';
import type { LoadReport, Problem } from '../base/problem';
import { readTextFile } from '../platform/textFile';
import { parseStrictJson } from '../settings/strictJson';
import type { InlineCommand } from '../skills/skill';
import type { Plugin, PluginSource } from './plugin';
import { pluginHooks, pluginServers, readJsonFile } from './pluginJsonLoader';
import { isMap, type Manifest, plainOptions, readManifest } from './pluginManifest';
import { isFolder, isThere, type PluginGround, resolvePaths, warnIgnoredFolder } from './pluginPathsLoader';

export interface PluginPlaces {
  readonly configRoot: string;
  /** Folders given for this session, strongest first; absolute. */
  readonly sessionDirs: readonly string[];
  /** Holds the plugins that ship with this product, one folder each. */
  readonly builtinDir: string;
  /** What the person has set for a plugin's options, by its id. */
  readonly optionsOf: (id: string) => Readonly<Record<string, unknown>>;
}

/** Every plugin that is on. One that can't be read is named and left out; it never takes down the others. */
export async function loadPlugins(places: PluginPlaces): Promise<LoadReport<Plugin>> {
  const builtin = await fs.readdir(places.builtinDir).catch((): string[] => []);
  const wanted: { dir: string; source: PluginSource }[] = [
    ...places.sessionDirs.map((dir) => ({ dir, source: 'session' as const })),
    ...builtin.sort().map((name) => ({ dir: join(places.builtinDir, name), source: 'builtin' as const })),
  ];
  const problems: Problem[] = [];
  const disabled: LoadReport<Plugin>['disabled'][number][] = [];
  const byName = new Map<string, Plugin>();
  const seen = new Set<string>();
  for (const { dir, source } of wanted) {
    const real = await fs.realpath(dir).catch(() => dir);
    if (seen.has(real)) continue;
    seen.add(real);
    const read = await loadPlugin(dir, source, places);
    problems.push(...read.problems);
    if (!read.plugin) {
      disabled.push({ name: basename(dir), path: dir, reason: read.problems.find((problem) => problem.severity === 'error')?.message ?? 'it could not be read' });
      continue;
    }
    const earlier = byName.get(read.plugin.name);
    if (earlier) disabled.push({ name: read.plugin.id, path: dir, reason: `the plugin ${earlier.name} in ${earlier.root} has the same name and comes first` });
    else byName.set(read.plugin.name, read.plugin);
  }
  return { loaded: [...byName.values()], disabled, problems };
}

interface PluginReading {
  readonly plugin?: Plugin;
  readonly problems: readonly Problem[];
}

const componentDirs = ['skills', 'commands', 'agents', 'hooks', 'output-styles'];

/** Reads one plugin's folder: its manifest, if it has one, and where its parts lie. */
export async function loadPlugin(dir: string, source: PluginSource, places: Pick<PluginPlaces, 'configRoot' | 'optionsOf'>): Promise<PluginReading> {
  const manifestPath = join(dir, '.claude-plugin', 'plugin.json');
  const problems: Problem[] = [];
  const fail = (code: string, message: string): PluginReading => ({ problems: [...problems, { severity: 'error', code, message, path: dir }] });
  if (!(await isFolder(dir))) return fail('plugin-missing', /\.zip$/i.test(dir) ? 'archives are not opened here; unpack it and give its folder' : 'there is no folder of this name');
  const manifest = await manifestOf(manifestPath, problems);
  if (manifest === undefined) return { problems };
  if (manifest === 'none' && !(await hasParts(dir))) return fail('plugin-empty', 'is no plugin: it has neither .claude-plugin/plugin.json nor a folder skills, commands, agents or hooks');
  const realRoot = await fs.realpath(dir).catch(() => dir);
  const ground: PluginGround = { root: dir, realRoot, manifestPath, problems };
  try {
    return { plugin: await assemble(ground, { manifest: manifest === 'none' ? {} : manifest, source, ...places }), problems: await withManifestLines(problems, manifestPath) };
  } catch (thrown) {
    return fail('plugin-unreadable', `can't be read: ${errorText(thrown)}`);
  }
}

async function manifestOf(path: string, problems: Problem[]): Promise<Manifest | 'none' | undefined> {
  if (!(await isThere(path))) return 'none';
  const json = await readJsonFile(path, problems);
  if (!json) return undefined;
  const read = readManifest(json.value, path);
  problems.push(...(read.ok ? read.value.problems : await withManifestLines(read.problem, path)));
  return read.ok ? read.value.manifest : undefined;
}

async function hasParts(dir: string): Promise<boolean> {
  for (const part of [...componentDirs, 'SKILL.md', '.mcp.json', '.lsp.json']) if (await isThere(join(dir, part))) return true;
  return false;
}

interface Assembly extends Pick<PluginPlaces, 'configRoot' | 'optionsOf'> {
  readonly manifest: Manifest;
  readonly source: PluginSource;
}

async function assemble(ground: PluginGround, { manifest, source, configRoot, optionsOf }: Assembly): Promise<Plugin> {
  const { root } = ground;
  await nameMisplaced(ground);
  const name = manifest.name ?? basename(root).replace(/[\s/\\:@]+/g, '-');
  const id = `${name}@${source === 'session' ? 'inline' : 'builtin'}`;
  const dataDir = join(configRoot, 'plugins', 'data', id.replace(/[^A-Za-z0-9_-]/g, '-'));
  const options = plainOptions(manifest, optionsOf(id));
  const named = await namedPaths(ground, manifest);
  const settings = await pluginSettings(ground, manifest);
  return {
    name,
    id,
    source,
    root,
    dataDir,
    ...(manifest.version === undefined ? {} : { version: manifest.version }),
    ...(manifest.displayName === undefined ? {} : { displayName: manifest.displayName }),
    ...(manifest.description === undefined ? {} : { description: manifest.description }),
    folder: { name, root, dataDir, ...named.folder, options },
    outputStyleDirs: named.outputStyleDirs,
    hooks: await pluginHooks(ground, manifest.hooks, { source: 'plugin', plugin: { name, root, dataDir, options } }),
    mcpServers: await pluginServers(ground, 'mcpServers', manifest.mcpServers),
    lspServers: await pluginServers(ground, 'lspServers', manifest.lspServers),
    ...((await isFolder(join(root, 'bin'))) ? { binDir: join(root, 'bin') } : {}),
    ...(settings === undefined ? {} : { agent: settings }),
  };
}

/** `skills` adds to the usual folder; the other keys replace it. */
async function namedPaths(ground: PluginGround, manifest: Manifest) {
  const usual = (folder: string): readonly string[] => [join(ground.root, folder)];
  const replacing = async (field: 'commands' | 'agents' | 'outputStyles', folder: string): Promise<readonly string[]> => {
    const written = manifest[field];
    if (written === undefined) return usual(folder);
    const paths = isMap(written) ? [] : await resolvePaths(ground, field, written);
    await warnIgnoredFolder(ground, field, folder, paths);
    return paths;
  };
  const inline = isMap(manifest.commands) ? await inlineCommands(ground, manifest.commands) : [];
  const agentPaths = await replacing('agents', 'agents');
  if (manifest.agents !== undefined) await namesFolders(ground, agentPaths);
  return {
    folder: {
      skillDirs: [...usual('skills'), ...(await resolvePaths(ground, 'skills', manifest.skills))],
      commandPaths: await replacing('commands', 'commands'),
      agentPaths,
      ...(inline.length === 0 ? {} : { inlineCommands: inline }),
    },
    outputStyleDirs: await replacing('outputStyles', 'output-styles'),
  };
}

async function namesFolders({ problems, manifestPath }: PluginGround, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    if (await isFolder(path)) problems.push({ severity: 'warning', code: 'agents-folder', message: `agents: names files; the folder ${path} is read whole`, path: manifestPath, field: 'agents' });
  }
}

async function inlineCommands(ground: PluginGround, map: Exclude<Manifest['commands'], undefined | string | string[]>): Promise<readonly InlineCommand[]> {
  const commands: InlineCommand[] = [];
  for (const [name, { source, content, description, argumentHint, model, allowedTools }] of Object.entries(map)) {
    const field = `commands.${name}`;
    const [path] = source === undefined ? [] : await resolvePaths(ground, field, source);
    const file = path === undefined ? undefined : await readTextFile(path);
    if (file?.ok === false) ground.problems.push(file.problem);
    const text = file?.ok ? file.value.text : content;
    if (text === undefined) {
      if (source === undefined) ground.problems.push({ severity: 'error', code: 'manifest-invalid', message: `${field}: needs source (a file) or content (its text)`, path: ground.manifestPath, field });
      continue;
    }
    const stated = { description, 'argument-hint': argumentHint, model, 'allowed-tools': allowedTools };
    const fields: Record<string, string | readonly string[]> = {};
    for (const [key, value] of Object.entries(stated)) if (value !== undefined) fields[key] = value;
    commands.push({ name, path: path ?? ground.manifestPath, text, fields });
  }
  return commands;
}

/** Only plugin.json belongs into `.claude-plugin`: what lies there beside it is looked for in vain. */
async function nameMisplaced({ root, problems }: PluginGround): Promise<void> {
  for (const part of componentDirs) {
    const path = join(root, '.claude-plugin', part);
    if (await isFolder(path)) problems.push({ severity: 'warning', code: 'component-inside-dot-claude-plugin', message: `only plugin.json belongs into .claude-plugin; move ${part}/ one folder up`, path });
  }
}

/** `settings.json` of a plugin beats `settings` of its manifest; of both only `agent` counts. */
async function pluginSettings(ground: PluginGround, manifest: Manifest): Promise<string | undefined> {
  const path = join(ground.root, 'settings.json');
  const file = (await isThere(path)) ? await readJsonFile(path, ground.problems) : undefined;
  const settings = { ...manifest.settings, ...(isMap(file?.value) ? file.value : {}) };
  for (const key of Object.keys(settings).filter((one) => one !== 'agent' && one !== 'subagentStatusLine')) {
    ground.problems.push({ severity: 'warning', code: 'plugin-setting-ignored', message: `${key}: plugins may only set "agent"; it is ignored`, path: file ? path : ground.manifestPath, field: key });
  }
  return typeof settings['agent'] === 'string' ? settings['agent'] : undefined;
}

/** The line each named field stands in. */
async function withManifestLines(problems: readonly Problem[], path: string): Promise<readonly Problem[]> {
  if (!problems.some((problem) => problem.path === path && problem.field !== undefined && problem.line === undefined)) return problems;
  const file = await readTextFile(path);
  if (!file.ok || !(await parseStrictJson(file.value.text, path)).ok) return problems;
  const { text } = file.value;
  const { findNodeAtLocation, parseTree } = await import('jsonc-parser');
  const tree = parseTree(text);
  return problems.map((problem) => {
    if (problem.path !== path || problem.field === undefined || problem.line !== undefined || !tree) return problem;
    const keys = problem.field.split('.').map((key) => (/^\d+$/.test(key) ? Number(key) : key));
    const node = findNodeAtLocation(tree, keys) ?? findNodeAtLocation(tree, keys.slice(0, 1));
    return node ? { ...problem, line: text.slice(0, (node.parent?.type === 'property' ? node.parent : node).offset).split('\n').length } : problem;
  });
}
