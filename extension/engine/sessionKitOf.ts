import { join } from 'node:path';
import type { AgentDefinition } from '../agents/agentDefinition';
import type { AgentWorktrees } from '../agents/worktreePort';
import { builtinAgents } from '../agents/builtin/generalPurpose';
import type { EngineOptions, EnginePorts } from './contract';
import { isToolDenied } from '../permissions/deniedTools';
import { createBroker } from '../permissions/broker';
import type { PermissionPolicy } from '../permissions/permissionTypes';
import { linuxStartMs } from '../platform/processTimes';
import { isAvailable } from '../model/availableModels';
import type { GitRunner } from '../platform/gitRunner';
import { sweep } from '../platform/processRunner';
import type { ModelAccess } from '../ports';
import type { GitState } from '../session/contextMessage';
import { loadMemoryFiles, nestedMemoryFor } from '../session/memoryFilesLoader';
import type { LeaseOwner } from '../session/leaseStore';
import { SessionStore, sessionsDir } from '../session/sessionStore';
import { loadBundledSkills } from '../skills/bundledSkillsLoader';
import { loadNestedSkills, loadSkills } from '../skills/skillLoader';
import { createSkillUsageStore } from '../skills/usageStore';
import { newId } from '../base/ids';
import { AgentBook } from './agentBook';
import type { EngineParts } from './engineParts';
import { firstFrom, gitState } from './gitState';
import { HookBook } from './hookBook';
import { chooseStyle } from '../session/outputStyle';
import { McpAsks } from './mcpAsks';
import { McpDesk } from './mcpDesk';
import { mcpPlaces, memoryPlaces, planFile, pluginPlaces, skillPlaces, stylePlaces } from './places';
import { PluginBook } from './pluginBook';
import type { PolicyState, SessionKit, TurnSnapshots } from './sessionKit';
import { createSessionTools } from './sessionTools';
import type { SettingsAccess } from './settingsAccess';
import { SkillBook } from './skillBook';

export interface KitParts {
  readonly ports: EnginePorts;
  readonly options: EngineOptions;
  readonly settings: SettingsAccess;
  readonly parts: EngineParts;
  readonly models: ModelAccess;
  readonly worktrees?: AgentWorktrees & { readonly snapshots: TurnSnapshots };
  /** Absent: servers are looked for, and nobody answers what they ask. */
  readonly mcp?: McpDesk;
  /** The git state, when a prompt follows at once. */
  readonly gitAhead?: Promise<GitState | undefined> | undefined;
}

/** What all sessions of one engine share, made from its parts. */
export function createSessionKit(all: KitParts): SessionKit {
  const { ports, options, settings, parts, models } = all;
  const policy = (state: PolicyState): PermissionPolicy => policyOf(all, state);
  const plugins = pluginBook(all);
  const here = firstFrom(all.gitAhead, () => gitState(parts.git, options.cwd));
  const kit: SessionKit = {
    clock: ports.clock,
    log: ports.log,
    options,
    projectRoot: options.cwd,
    models,
    mayUseModel: (model) => isAvailable(model, settings.model().available, options.env),
    sessions: new SessionStore(sessionsDir(options.configRoot, options.cwd)),
    leaseOwner: leaseOwner(ports),
    skills: skillBook(all, plugins),
    agents: agentBook(all, plugins),
    plugins,
    hooks: hookBook(all, plugins),
    hookParts: parts,
    mcp: all.mcp ?? unattendedMcp(all),
    tasks: parts.tasks,
    ...(all.worktrees ? { worktrees: all.worktrees, snapshots: all.worktrees.snapshots } : {}),
    files: parts.store,
    outputsDir: parts.outputsDir,
    planFile: (sessionId) => planFile(settings.plansDir(), options.configRoot, sessionId),
    isFile: async (path) => (await parts.store.info(path))?.kind === 'file',
    policy,
    judge: (subject, state) => parts.evaluator.evaluate(subject, policy(state), parts.facts),
    judgeBy: (subject, rules, state) => parts.evaluator.evaluate(subject, { ...policy(state), rules }, parts.facts),
    newBroker: (broker) =>
      createBroker({
        agentId: 'main',
        policy: broker.policy,
        grants: broker.grants,
        classify: broker.classify,
        evaluator: parts.evaluator,
        facts: parts.facts,
        ...(options.interactive ? { askUser: broker.askUser } : {}),
        saveRules: settings.saveRules,
        clock: ports.clock,
        log: ports.log,
      }),
    onPolicyChange: settings.onDidChange,
    newTools: async (session) => createSessionTools({ ...parts, clock: ports.clock, env: options.env, models, editor: ports.editor, language: ports.language, sandboxSettings: settings.sandbox, rules: settings.rules, isDenied: (tool) => isToolDenied(settings.rules(), tool.name) }, kit, session),
    defaultMode: settings.defaultMode,
    settingsProblems: settings.problems,
    outputStyle: () => outputStyle(all, plugins),
    compactAtPercent: settings.compactAtPercent,
    memory: together(async () => (await loadMemoryFiles(memoryPlaces(options, settings))).files),
    nestedMemory: (paths, known) => nested(all, paths, known),
    git: together((cwd = options.cwd) => (cwd === options.cwd ? here() : gitState(parts.git, cwd))),
    sweep: async (spawned) => void (await sweep(spawned)),
  };
  return kit;
}

function unattendedMcp({ ports, options, settings, parts, models }: KitParts): McpDesk {
  const asks = new McpAsks({ interactive: false, clock: ports.clock, models, cwd: options.cwd, openPage: undefined });
  return new McpDesk(() => mcpPlaces(options, async () => []), { ports, options, settings, parts, models, asks: (server) => asks.of(server), approve: async () => undefined, onChange: () => undefined });
}

function policyOf({ options, settings }: KitParts, state: PolicyState): PermissionPolicy {
  const rules = settings.rules();
  return {
    rules: state.extraRules ? [...rules, ...state.extraRules] : rules,
    mode: state.mode === 'auto' && !settings.mayAuto() ? 'default' : state.mode,
    cwd: state.cwd,
    projectRoot: options.cwd,
    homeDir: options.homeDir,
    workingDirs: [...(state.workingDirs ?? [options.cwd, ...options.addDirs, ...settings.addedDirs()]), ...(state.addedDirs ?? [])],
    planFile: state.planFile,
    freeInSandbox: settings.sandbox().sandbox?.autoAllowBashIfSandboxed !== false,
    ...(state.worktree ? { worktree: state.worktree } : {}),
  };
}

function pluginBook({ ports, options, settings }: KitParts): PluginBook {
  return new PluginBook(async () => (await import('../plugins/pluginLoader')).loadPlugins(pluginPlaces(options, settings)), ports.log);
}

function hookBook({ settings }: KitParts, plugins: PluginBook): HookBook {
  const book = new HookBook(settings.hooks, () => plugins.ready());
  plugins.onDidChange((report) => book.setPlugins(report.loaded.flatMap((plugin) => plugin.hooks)));
  return book;
}

function skillBook({ ports, options, settings, parts }: KitParts, plugins: PluginBook): SkillBook {
  const store = createSkillUsageStore(options.configRoot);
  return new SkillBook({
    load: async () => loadSkills({ ...skillPlaces(options, ports.trust, await plugins.folders()), pluginOnly: settings.pluginOnly('skills'), bundled: settings.skills().isBundledOff ? [] : await loadBundledSkills(join(options.assetsDir, 'skills')) }),
    loadNested: async (touched, known) => (await loadNestedSkills({ ...skillPlaces(options, ports.trust, []), pluginOnly: settings.pluginOnly('skills') }, touched, known, (dir) => isIgnored(parts.git, dir))).loaded,
    cwd: options.cwd,
    settings: settings.skills,
    usage: { read: () => store.read(), note: (qualified) => store.record(qualified, ports.clock.nowMs()) },
    nowMs: ports.clock.nowMs,
    log: ports.log,
  });
}

/** What git ignores is not the project's own. Where git has no say, nothing is ignored. */
async function isIgnored(git: GitRunner, dir: string): Promise<boolean> {
  return (await git.run(['check-ignore', '-q', '--', dir])).exitCode === 0;
}

async function outputStyle({ options, settings }: KitParts, plugins: PluginBook): Promise<ReturnType<typeof chooseStyle>> {
  const wanted = settings.outputStyle();
  if (wanted === undefined) return { style: undefined };
  const { loadOutputStyles } = await import('../session/outputStylesLoader');
  return chooseStyle((await loadOutputStyles(stylePlaces(options, (await plugins.ready()).loaded))).loaded, wanted);
}

/** The files' paths are what the conversation knows; real paths make links to one file count once. */
async function nested({ options, settings }: KitParts, paths: readonly string[], known: ReadonlySet<string>) {
  const places = memoryPlaces(options, settings);
  const loaded = new Set(known);
  const found = [];
  for (const path of paths) {
    const { files } = await nestedMemoryFor(places, path, loaded);
    for (const file of files) loaded.add(file.realPath);
    found.push(...files);
  }
  return found;
}

function agentBook({ ports, options, settings }: KitParts, plugins: PluginBook): AgentBook {
  return new AgentBook(async () => {
    const { loadAgentDefinitions } = await import('../agents/agentDefinitionLoader');
    return loadAgentDefinitions({ ...skillPlaces(options, ports.trust, await plugins.folders()), builtin: builtinAgentsFor(options), pluginOnly: settings.pluginOnly('agents') });
  });
}

/** A script may do without the agents we bring (spec 04.5). */
function builtinAgentsFor({ env, interactive }: EngineOptions): readonly AgentDefinition[] {
  return !interactive && env['CLAUDE_AGENT_SDK_DISABLE_BUILTIN_AGENTS'] === '1' ? [] : builtinAgents;
}

/** Agents that start at the same moment share one look at the disk. */
function together<T>(read: (key?: string) => Promise<T>): (key?: string) => Promise<T> {
  const reading = new Map<string | undefined, Promise<T>>();
  return (key) => {
    const running = reading.get(key) ?? read(key).finally(() => reading.delete(key));
    reading.set(key, running);
    return running;
  };
}

function leaseOwner(ports: EnginePorts): LeaseOwner {
  // Without /proc a live pid is all that can be asked cheaply; the heartbeat tells a reused one apart.
  const startOf = (pid: number): number | undefined => linuxStartMs(pid) ?? (isAlive(pid) ? 0 : undefined);
  return { nowMs: ports.clock.nowMs, pid: process.pid, processStartedAtMs: startOf(process.pid) ?? 0, nonce: newId('lease'), startOf };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false; // no such process, or not ours: either way it is not our writer
  }
}
