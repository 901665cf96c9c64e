import { cpSync, existsSync, lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, expect } from 'vitest';
import { shownDescription, usesAllTools } from '../../../extension/agents/agentDefinition';
import { loadAgentDefinitions } from '../../../extension/agents/agentDefinitionLoader';
import { loadHookFile } from '../../../extension/hooks/hookFileLoader';
import type { Problem } from '../../../extension/base/problem';
import { listSkillsForModel } from '../../../extension/skills/listing';
import { readPluginFolder } from '../../support/pluginFolder';
import { renderSkill } from '../../../extension/skills/renderSkillRunner';
import type { PluginFolder, Skill } from '../../../extension/skills/skill';
import { loadSkills } from '../../../extension/skills/skillLoader';
import { verifies } from '../../support/verifies';

const fixtures = join(process.cwd(), 'test/fixtures/loader');
/** Cases (or warnings of a case) of parts that other loaders read, which are not built yet. */
const waiting: Readonly<Record<string, readonly string[] | 'all'>> = {
  '30-mcp-shapes': 'all',
  '31-lsp-shapes': 'all',
  '32-manifest-shapes': 'all',
  '33-marketplace-shapes': 'all',
  '36-json-with-comments': ['json-invalid'],
};

interface ExpectedItem {
  readonly path: string;
  readonly kind: 'skill' | 'command' | 'agent';
  readonly [field: string]: unknown;
}
interface Expected {
  readonly items?: readonly ExpectedItem[];
  readonly skipped?: readonly string[];
  readonly oneOf?: readonly (readonly string[])[];
  readonly count?: Readonly<Record<string, number>>;
  readonly warnings: readonly string[];
  readonly plugin?: { readonly name: string };
  readonly call?: readonly { readonly name: string; readonly args: string; readonly contains: readonly string[] }[];
  readonly maxListingChars?: number;
  readonly links?: Readonly<Record<string, string>>;
}

const dirs: string[] = [];
afterAll(() => {
  for (const dir of dirs) rmSync(dir, { recursive: true, force: true });
});

/** Outside the repository, so that nothing above the case is found. */
function copyOf(name: string): string {
  const dir = mkdtempSync(join(tmpdir(), 'troupe-fixture-'));
  dirs.push(dir);
  cpSync(join(fixtures, name, 'input'), join(dir, 'input'), { recursive: true, verbatimSymlinks: true });
  restoreLinks(name, join(dir, 'input'));
  return join(dir, 'input');
}

/** Links travel as small files that hold their target, as git writes them where links are off. */
function restoreLinks(name: string, input: string): void {
  for (const path of Object.keys(read(name).links ?? {}).map((link) => join(input, link))) {
    if (lstatSync(path).isSymbolicLink()) continue;
    const target = readFileSync(path, 'utf8').trim();
    rmSync(path);
    symlinkSync(target, path);
  }
}

function read(name: string): Expected {
  return JSON.parse(readFileSync(join(fixtures, name, 'expected.json'), 'utf8')) as Expected;
}

async function pluginsOf(input: string): Promise<{ plugins: PluginFolder[]; problems: Problem[] }> {
  const roots = [input, ...readdirSync(input).map((name) => join(input, name)).filter((path) => statSync(path).isDirectory())];
  const read = await Promise.all(roots.filter((root) => existsSync(join(root, '.claude-plugin/plugin.json'))).map(readPluginFolder));
  return { plugins: read.map((item) => item.plugin), problems: read.flatMap((item) => item.problems) };
}

async function load(name: string) {
  const input = copyOf(name);
  const { plugins, problems } = await pluginsOf(input);
  const places = { configRoot: join(input, '..', 'config'), cwd: input, addDirs: [], plugins, bundled: [], builtin: [], isTrusted: true };
  const [skills, agents] = [await loadSkills(places), await loadAgentDefinitions(places)];
  const hooks = await Promise.all(plugins.map((plugin) => loadHookFile(join(plugin.root, 'hooks/hooks.json'), { source: 'plugin', plugin: { name: plugin.name, root: plugin.root } })));
  return { input, plugins, skills: skills.loaded, agents: agents.loaded, problems: [...problems, ...skills.problems, ...agents.problems, ...hooks.flatMap((read) => read.problems)] };
}

function view(loaded: Awaited<ReturnType<typeof load>>): ReadonlyMap<string, Readonly<Record<string, unknown>>> {
  const at = (path: string | undefined): string => relative(loaded.input, path ?? '');
  const collapsed = (text: string): string => text.replace(/\s+/g, ' ');
  const skill = (s: Skill): [string, Readonly<Record<string, unknown>>] => [
    at(s.path),
    {
      ...s,
      path: at(s.path),
      description: s.description.trim(),
      descriptionCollapsed: collapsed(s.description),
      descriptionSource: s.descriptionFrom,
      argumentHint: s.argumentHint ?? null,
      tools: s.allowedTools,
      userInvocable: s.isUserInvocable,
      disableModelInvocation: !s.isModelInvocable,
      bodyTrimmed: s.body.trim(),
    },
  ];
  return new Map([
    ...loaded.skills.map(skill),
    ...loaded.agents.map((a): [string, Readonly<Record<string, unknown>>] => [
      at(a.path),
      { ...a, kind: 'agent', path: at(a.path), descriptionCollapsed: collapsed(a.description), descriptionUnescaped: shownDescription(a), allTools: usesAllTools(a) },
    ]),
  ]);
}

function compare(item: ExpectedItem, got: Readonly<Record<string, unknown>> | undefined): void {
  expect(got, `${item.path} is listed`).toBeDefined();
  const { toolsIfAccepted, absentKeys, bodyStartsWith, ...exact } = item;
  expect(Object.fromEntries(Object.keys(exact).map((key) => [key, got?.[key]]))).toEqual(exact);
  if (toolsIfAccepted !== undefined) expect([toolsIfAccepted, null]).toContainEqual(got?.tools);
  for (const key of (absentKeys ?? []) as string[]) expect(got).not.toHaveProperty(key);
  if (bodyStartsWith !== undefined) expect(String(got?.body).startsWith(String(bodyStartsWith))).toBe(true);
}

for (const name of readdirSync(fixtures).filter((file) => /^\d\d-/.test(file))) {
  const wait = waiting[name];
  if (wait === 'all') continue;
  const expected = read(name);
  verifies('skill:load:fixtures', async () => {
    const loaded = await load(name);
    const listed = view(loaded);
    for (const item of expected.items ?? []) compare(item, listed.get(item.path));
    for (const path of expected.skipped ?? []) expect(listed.has(path), `${path} is not listed`).toBe(false);
    for (const group of expected.oneOf ?? []) expect(group.filter((path) => listed.has(path))).toHaveLength(1);
    for (const [kind, count] of Object.entries(expected.count ?? {})) expect([...listed.values()].filter((item) => item.kind === kind)).toHaveLength(count);
    const codes = new Set(loaded.problems.filter((problem) => problem.severity !== 'info').map((problem) => problem.code));
    expect([...codes].sort()).toEqual(expected.warnings.filter((code) => !wait?.includes(code)).sort());
    if (expected.plugin) expect(loaded.plugins.map((plugin) => plugin.name)).toEqual([expected.plugin.name]);
    for (const problem of loaded.problems) expect(problem.path, problem.message).toBeDefined();
    for (const call of expected.call ?? []) {
      const skill = loaded.skills.find((candidate) => candidate.name === call.name);
      const rendered = await renderSkill(skill!, call.args, {
        cwd: loaded.input, projectDir: loaded.input, homeDir: loaded.input, sessionId: 's', signal: new AbortController().signal,
        runShell: async (command) => ({ allowed: true, exitCode: 0, output: command === 'echo tide' ? 'tide\n' : `unexpected ${command}` }),
      });
      if (!rendered.ok) throw new Error(rendered.problem.message);
      for (const text of call.contains) expect(rendered.value.text).toContain(text);
    }
    if (expected.maxListingChars) expect(listSkillsForModel(loaded.skills, { contextTokens: 200_000, usage: new Map() }).text.length).toBeLessThanOrEqual(expected.maxListingChars);
  }, { case: name });
}
