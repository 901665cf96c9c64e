import { mainAgentId } from '../base/ids';
import { err, ok, type Result } from '../base/result';
import { errorText } from '../base/errorText';
import { inspectAgent } from '../agents/agentDefinition';
import { findAgent } from '../agents/agentRoster';
import { levelRules, toolsForAgent } from '../agents/agentToolPool';
import { childMode } from '../agents/childMode';
import type { PolicyRule } from '../permissions/permissionTypes';
import { agentLimits } from './agentPlan';
import type { Engine, EngineOptions } from './contract';
import { CallError } from '../protocol/callError';
import type { PermissionMode, PermissionSubject } from '../protocol/permission';
import { loadMemoryFiles } from '../session/memoryFilesLoader';
import { loadOutputStyles } from '../session/outputStylesLoader';
import { inspectSkill } from '../skills/skillItem';
import { failure, type Tool, type ToolContext } from '../tools/defineTool';
import { FileState } from '../tools/fileState';
import { AskDesk } from './askDesk';
import { renderForSession } from './renderForSession';
import { memoryPlaces, stylePlaces } from './places';
import type { KitParts } from './sessionKitOf';
import type { SessionKit } from './sessionKit';
import type { Sessions } from './sessions';

type Looking = Pick<Engine, 'describe' | 'readSession' | 'inspect' | 'renderSkill' | 'explainPermission'>;

/** Looks at what would happen, without a session: `inspect`, `skill render`, `permission explain`. */
export function createInspector(all: KitParts & { readonly kit: SessionKit; readonly sessions: Sessions }): Looking {
  const { kit, sessions, settings, options } = all;
  const agents = async (): Promise<Readonly<Record<string, unknown>>> => {
    const report = await kit.agents.fresh();
    return { loaded: report.loaded.map(inspectAgent), disabled: report.disabled, problems: report.problems };
  };
  const skills = async (): Promise<Readonly<Record<string, unknown>>> => {
    const report = await kit.skills.ready();
    const listing = kit.skills.listingForModel(undefined);
    return { loaded: report.loaded.map(inspectSkill), disabled: report.disabled, problems: report.problems, listing: { text: listing.text, chars: listing.text.length, withoutDescription: listing.withoutDescription, leftOut: listing.leftOut } };
  };
  const hooks = async (): Promise<Readonly<Record<string, unknown>>> => {
    await kit.plugins.ready();
    const [{ inspectHook }, report] = await Promise.all([import('../hooks/inspectHook'), kit.hooks.report()]);
    return { loaded: report.hooks.map(inspectHook), disabled: report.disabled, problems: report.problems };
  };
  const memory = async (): Promise<Readonly<Record<string, unknown>>> => {
    const report = await loadMemoryFiles(memoryPlaces(options, settings));
    return { loaded: report.files.map(({ path, why, source }) => ({ path, why, source })), disabled: [], problems: report.problems };
  };
  return {
    describe: async (sessionId) => {
      await kit.mcp.beforeFirst();
      const session = sessions.get(sessionId);
      const [agents] = await Promise.all([kit.agents.fresh(), kit.skills.ready()]);
      const names = kit.skills.listing();
      return {
        cwd: session.cwd,
        model: session.log.view.session.model ?? kit.models.defaultModel(),
        mode: session.mode,
        tools: session.tools.tools.map((tool) => tool.name),
        slashCommands: names.map((s) => s.qualified),
        skills: names.filter((s) => s.kind === 'skill').map((s) => s.qualified),
        mcpServers: (kit.mcp.current?.pool.servers ?? []).map(({ server, admission, connection }) => ({ name: server.name, status: connection?.status.kind ?? admission.kind })),
        agents: agents.loaded.map((agent) => agent.qualified).sort(),
      };
    },
    readSession: async (sessionId) => {
      try {
        return ok(await sessions.view(sessionId));
      } catch (thrown) {
        if (thrown instanceof CallError) return err(thrown.message);
        throw thrown;
      }
    },
    inspect: async (topic) => {
      if (topic === 'skills') return skills();
      if (topic === 'agents') return agents();
      if (topic === 'mcp') return inspectMcp(kit);
      if (topic === 'memory') return memory();
      if (topic === 'hooks') return hooks();
      if (topic === 'hookEvents') return { loaded: (await import('../hooks/inspectHook')).inspectEvents(), disabled: [], problems: [] };
      if (topic === 'plugins') return plugins(kit, options);
      if (topic === 'styles') return styles(kit, options);
      if (topic === 'settings') return settings.inspect();
      return { skills: await skills(), agents: await agents(), plugins: await plugins(kit, options), hooks: await hooks(), mcp: await inspectMcp(kit), settings: settings.inspect(), memory: await memory(), styles: await styles(kit, options) };
    },
    renderSkill: (call) => render(all, call),
    explainPermission: (call) => explain(all, call),
  };
}

/** What each brings is counted by the loaders that read it. */
async function plugins(kit: SessionKit, options: EngineOptions): Promise<Readonly<Record<string, unknown>>> {
  const { loaded, disabled, problems } = await kit.plugins.ready();
  const [{ inspectPlugin }, skills, agents, hooks, styles] = await Promise.all([import('../plugins/inspectPlugin'), kit.skills.ready(), kit.agents.fresh(), kit.hooks.report(), loadOutputStyles(stylePlaces(options, loaded))]);
  const found = { skills: skills.loaded, agents: agents.loaded, hooks: hooks.hooks.flatMap(({ origin }) => (origin.plugin ? [{ plugin: origin.plugin.name }] : [])), outputStyles: styles.loaded };
  return { loaded: loaded.map((plugin) => inspectPlugin(plugin, found)), disabled, problems };
}

async function styles(kit: SessionKit, options: EngineOptions): Promise<Readonly<Record<string, unknown>>> {
  const { loaded, problems } = await loadOutputStyles(stylePlaces(options, (await kit.plugins.ready()).loaded));
  return { loaded: loaded.map(({ name, description, source, plugin, path, keepsCoding }) => ({ name, description, source, ...(plugin ? { plugin } : {}), ...(path ? { path } : {}), keepCodingInstructions: keepsCoding })), disabled: [], problems };
}

/** Looks at the files only: nothing is connected for it. */
async function inspectMcp(kit: SessionKit): Promise<Readonly<Record<string, unknown>>> {
  const report = await kit.mcp.look();
  return {
    loaded: report.servers.map(({ server, admission, connection }) => ({
      name: server.id,
      transport: server.connect.kind,
      source: server.scope,
      ...(server.path === undefined ? {} : { path: server.path }),
      status: connection?.status.kind ?? (admission.kind === 'refused' ? 'refused' : admission.kind === 'pending' ? 'needsApproval' : 'idle'),
      ...(connection?.status.kind === 'connected' ? { tools: connection.lists.tools.map((tool) => tool.name) } : {}),
    })),
    disabled: [...report.disabled, ...report.servers.flatMap(({ server, admission }) => (admission.kind === 'refused' ? [{ name: server.name, path: server.path ?? '', reason: admission.reason }] : []))],
    problems: report.problems,
  };
}

type All = Parameters<typeof createInspector>[0];

async function render(all: All, call: { readonly name: string; readonly args: string; readonly shell: boolean }): Promise<Result<Readonly<Record<string, unknown>>, string>> {
  const { kit } = all;
  await kit.skills.ready();
  const skill = kit.skills.find(call.name);
  if (!skill) {
    const nearest = kit.skills.nearest(call.name);
    return err(`there is no skill "${call.name}"${nearest.length > 0 ? `; did you mean ${nearest.join(' or ')}?` : ''}`);
  }
  const desk = { kit, tools: await toolsOf(kit), context: lookingContext(all), planFile: kit.planFile('inspect') };
  const rendered = await renderForSession(skill, call.args, desk, call.shell);
  if (!rendered.ok) return err(rendered.problem.message);
  const { text, parts, allowedTools, problems } = rendered.value;
  return ok({ text, parts, allowedTools, problems });
}

async function explain(all: All, call: Parameters<Engine['explainPermission']>[0]): ReturnType<Engine['explainPermission']> {
  const { kit } = all;
  const tools = await toolsOf(kit);
  const tool = tools.find((t) => t.name === call.tool || t.aliases.includes(call.tool));
  const level = await levelOf(all, call, tools);
  if (!level.ok) return level;
  const { mode, rules, withheld } = level.value;
  if (withheld !== undefined) return ok({ decision: 'deny', reason: withheld });
  const context = lookingContext(all);
  const state = { cwd: context.cwd, mode, planFile: kit.planFile('inspect') };
  const judge = (subject: PermissionSubject) => (rules.length === 0 ? kit.judge(subject, state) : kit.judgeBy(subject, [...kit.policy(state).rules, ...rules], state));
  if (!tool) return ok(await judge({ tool: call.tool, kind: call.tool.startsWith('mcp__') ? 'mcp' : 'other', title: `use ${call.tool}`, input: { ...call.input }, cwd: context.cwd, readOnly: false }));
  const prepared = tool.prepare(call.input);
  if (!prepared.ok) return err(prepared.problem);
  try {
    return ok(await judge(await prepared.value.describe({ ...context, mode })));
  } catch (thrown) {
    return err(errorText(thrown));
  }
}

interface Level {
  readonly mode: PermissionMode;
  /** Its own, beside those of the settings. */
  readonly rules: readonly PolicyRule[];
  /** Why it has no such tool at all. */
  readonly withheld?: string;
}

/** What a sub-agent of that kind brings to the decision; without one, the main agent decides. */
async function levelOf({ kit }: All, { agent: name, tool: wanted, mode = 'default' }: Parameters<Engine['explainPermission']>[0], tools: readonly Tool[]): Promise<Result<Level, string>> {
  if (name === undefined) return ok({ mode, rules: [] });
  const found = findAgent(await kit.agents.fresh(), name);
  if (!found.ok) return found;
  const agent = found.value;
  const pool = toolsForAgent(agent, tools, { depth: 1, maxDepth: agentLimits(kit.options.env).depth, background: false, mayCome: () => true });
  if (!pool.ok) return pool;
  const has = wanted.startsWith('mcp__') || pool.value.some((tool) => tool.name === wanted || tool.aliases.includes(wanted));
  return ok({ mode: childMode(mode, agent.permissionMode), rules: levelRules(agent, kit.projectRoot), ...(has ? {} : { withheld: `the agent ${agent.qualified} has no tool ${wanted}${agent.path === undefined ? '' : ` ("tools" in ${agent.path})`}` }) });
}

function toolsOf(kit: SessionKit) {
  const desk = new AskDesk({ append: () => undefined, sync: () => undefined, pending: () => [], onLeftoverAnswered: () => undefined });
  return kit.newTools({ desk, agentPath: () => [mainAgentId], planFile: kit.planFile('inspect'), agents: { run: async () => failure('Nothing runs here.') }, isSaid: () => false, shelf: () => undefined, useSkill: () => undefined, envFiles: () => [], raise: () => undefined });
}

function lookingContext({ options }: All): ToolContext {
  return {
    sessionId: 'inspect',
    agentId: mainAgentId,
    callId: 'inspect',
    cwd: options.cwd,
    projectRoot: options.cwd,
    workingDirs: [options.cwd, ...options.addDirs],
    mode: 'default',
    signal: new AbortController().signal,
    files: new FileState(),
    output: () => undefined,
    spawned: () => undefined,
  };
}
