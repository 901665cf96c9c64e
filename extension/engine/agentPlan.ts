import { isAbsolute, resolve } from 'node:path';
import type { AgentDefinition } from '../agents/agentDefinition';
import { findAgent } from '../agents/agentRoster';
import type { AgentCall } from '../agents/agentTool';
import { mayUse, type ToolPlace, toolsForAgent } from '../agents/agentToolPool';
import type { AgentWorktree, WorktreeEnd } from '../agents/worktreePort';
import { mainAgentId } from '../base/ids';
import { err, ok, type Result } from '../base/result';
import { resolveModel } from '../model/modelTable';
import type { PermissionMode } from '../protocol/permission';
import type { Tool, ToolContext } from '../tools/defineTool';
import { isInside } from '../tools/toolPaths';
import type { LateTools } from '../tools/toolShelf';
import type { AgentHome } from './liveAgent';

/** Where an agent stands. */
export interface AgentPlace {
  readonly cwd: string;
  /** Real path of `cwd` when the agent was started: it must not lead elsewhere later. */
  readonly realCwd: string;
  readonly worktree?: { readonly name: string; readonly root: string; readonly mainRoot?: string; readonly branch?: string };
  readonly note?: string;
  readonly finish: () => Promise<WorktreeEnd>;
  /** Before an agent that had ended goes on there. @returns why it can't */
  readonly reenter?: () => Promise<string | undefined>;
}

/** All that is settled about an agent when it starts. */
export interface AgentPlan {
  readonly parentId: string;
  readonly callId: string;
  readonly definition: AgentDefinition;
  /** As wished, until it is started: then no other agent has it. */
  name: string;
  readonly description: string;
  readonly model: string;
  readonly depth: number;
  readonly background: boolean;
  readonly tools: readonly Tool[];
  /** Tools of MCP servers, as far as it may use them. */
  readonly late: LateTools;
  /** The call may ask for a stricter mode than the definition does. */
  readonly mode: PermissionMode | undefined;
  /** Found again in the log after a reload. */
  readonly isRestored: boolean;
  readonly place: AgentPlace;
  /** Makes the place, where it has to be made first. @returns why there is none */
  readonly openPlace: (agentId: string) => Promise<string | undefined>;
}

export interface PlanPorts {
  readonly home: AgentHome;
  readonly tools: readonly Tool[];
  readonly parent: AgentPlan | undefined;
  /** Of the one who starts it. */
  readonly model: string;
}

/** How deep agents nest and how many work at once (spec 17). */
export function agentLimits(env: Readonly<Record<string, string | undefined>>): { readonly depth: number; readonly width: number } {
  const number = (name: string, usual: number): number => (/^[1-9]\d*$/.test(env[name] ?? '') ? Number(env[name]) : usual);
  return { depth: number('CLAUDE_CODE_MAX_SUBAGENT_SPAWN_DEPTH', 5), width: number('CLAUDE_CODE_MAX_CONCURRENT_SUBAGENTS', 20) };
}

/** @returns problem: why the agent can't be started, for the model */
export async function planAgent(call: AgentCall, ctx: ToolContext, ports: PlanPorts): Promise<Result<AgentPlan, string>> {
  const { home, parent } = ports;
  const { kit } = home;
  const definition = findAgent(await kit.agents.fresh(), call.subagent_type);
  if (!definition.ok) return definition;
  const limits = agentLimits(kit.options.env);
  const depth = (parent?.depth ?? 0) + 1;
  if (depth > limits.depth) return err(`Agents nest ${limits.depth} deep at most, and this would be one deeper. Do this part yourself.`);
  const background = isBackground(call, definition.value, kit.options.env);
  const toolPlace = { depth, maxDepth: limits.depth, background, mayCome: (name: string) => kit.mcp.current?.mayCome(name) ?? false };
  const tools = toolsForAgent(definition.value, ports.tools, toolPlace);
  if (!tools.ok) return tools;
  const place = await placeFor(call, definition.value, { ctx, ports });
  if (!place.ok) return place;
  return ok({
    parentId: ctx.agentId,
    callId: ctx.callId,
    definition: definition.value,
    name: call.name ?? definition.value.name,
    description: call.description,
    model: childModel(call.model, definition.value, ports),
    depth,
    background,
    tools: tools.value.filter((tool) => !tool.late),
    late: lateFor(definition.value, kit.mcp.late, toolPlace),
    mode: call.mode,
    isRestored: false,
    // Asked for each time: a worktree is made after the plan.
    get place() {
      return place.value.place;
    },
    openPlace: place.value.openPlace,
  });
}

/** An agent of the log, planned anew by what its events and its definition say now. */
export async function restorePlan(agentId: string, ports: { readonly home: AgentHome; readonly tools: readonly Tool[]; readonly parent: (agentId: string) => AgentPlan | undefined }): Promise<Result<AgentPlan, string>> {
  const { home } = ports;
  const { kit, log } = home;
  const spawned = log.events.find((event) => event.type === 'agent/spawned' && event.agentId === agentId);
  if (spawned?.type !== 'agent/spawned') return err(`There is no agent ${agentId}.`);
  const report = await kit.agents.fresh();
  const definition = report.loaded.find((agent) => agent.qualified === spawned.agentType);
  if (!definition) return err(`its definition ${spawned.agentType} is gone`);
  const { depth, background, parentId, callId = '', name, description, model = '' } = spawned;
  const toolPlace = { depth, maxDepth: agentLimits(kit.options.env).depth, background, mayCome: (tool: string) => kit.mcp.current?.mayCome(tool) ?? false };
  const tools = toolsForAgent(definition, ports.tools, toolPlace);
  if (!tools.ok) return tools;
  if (parentId !== mainAgentId && !ports.parent(parentId) && !log.view.agents[parentId]) return err(`the agent that started it, ${parentId}, is gone`);
  if ((await kit.files.info(spawned.cwd))?.kind !== 'folder') return err(`its folder ${spawned.cwd} is gone`);
  const place = await restorePlace({ agentId, parentId, cwd: spawned.cwd, worktree: spawned.worktree }, home);
  if (!place.ok) return place;
  return ok({ parentId, callId, definition, name, description, model, depth, background, tools: tools.value.filter((tool) => !tool.late), late: lateFor(definition, kit.mcp.late, toolPlace), mode: spawned.mode, isRestored: true, place: place.value, openPlace: async () => undefined });
}

function lateFor(definition: AgentDefinition, late: LateTools, place: ToolPlace): LateTools {
  const may = (tool: Tool | undefined): tool is Tool => tool !== undefined && mayUse(definition, tool, place);
  return {
    current: () => late.current().filter(may),
    expected: (name) => {
      const tool = late.expected(name);
      return may(tool) ? tool : undefined;
    },
  };
}

interface StoodAt {
  readonly agentId: string;
  readonly parentId: string;
  readonly cwd: string;
  readonly worktree: string | undefined;
}

async function restorePlace({ agentId, parentId, cwd, worktree }: StoodAt, home: AgentHome): Promise<Result<AgentPlace, string>> {
  const { kit, log, sessionId } = home;
  const realCwd = await kit.files.realPath(cwd);
  const still: AgentPlace = { cwd, realCwd, finish: async () => ({}) };
  if (worktree === undefined) return ok(still);
  if (!kit.worktrees) return err('worktrees are not available here');
  const opened = await kit.worktrees.reopen({ sessionId, agentId, name: worktree });
  if (!opened.ok) return opened;
  // An agent that only stands in the worktree of the one above it does not finish it.
  if (log.view.agents[parentId]?.worktree === worktree) return ok({ ...placeOf(opened.value, realCwd), cwd, finish: still.finish });
  return ok({ ...placeOf(opened.value, realCwd), reenter: () => reenter({ home, agentId, name: worktree }) });
}

async function reenter({ home, agentId, name }: { readonly home: AgentHome; readonly agentId: string; readonly name: string }): Promise<string | undefined> {
  const opened = await home.kit.worktrees?.reopen({ sessionId: home.sessionId, agentId, name });
  return opened?.ok === false ? opened.problem : undefined;
}

function placeOf({ path, name, mainRoot, branch, note, finish }: AgentWorktree, realCwd: string): AgentPlace {
  return { cwd: path, realCwd, worktree: { name, root: path, ...(mainRoot === undefined ? {} : { mainRoot }), ...(branch === undefined ? {} : { branch }) }, ...(note === undefined ? {} : { note }), finish };
}

function isBackground(call: AgentCall, definition: AgentDefinition, env: Readonly<Record<string, string | undefined>>): boolean {
  if (env['CLAUDE_CODE_DISABLE_BACKGROUND_TASKS'] === '1') return false;
  return call.run_in_background ?? definition.background ?? false;
}

/** The environment, the call, the definition, else the model of the one who starts it (spec 04.4). */
function childModel(wanted: string | undefined, definition: AgentDefinition, { home, model }: PlanPorts): string {
  const { env } = home.kit.options;
  const forced = env['CLAUDE_CODE_SUBAGENT_MODEL'];
  const chosen = resolveModel((forced && forced !== 'inherit' ? forced : undefined) ?? wanted ?? definition.model, { fallback: model, env });
  return home.kit.mayUseModel(chosen) ? chosen : model;
}

type Placing = Pick<AgentPlan, 'place' | 'openPlace'>;

async function placeFor(call: AgentCall, definition: AgentDefinition, { ctx, ports }: { readonly ctx: ToolContext; readonly ports: PlanPorts }): Promise<Result<Placing, string>> {
  const { kit } = ports.home;
  const isolated = (call.isolation ?? definition.isolation) === 'worktree';
  if (isolated && call.cwd !== undefined) return err('cwd and isolation: worktree can’t be used together: a worktree is the agent’s folder. Leave one of them out.');
  if (isolated) return inWorktree(call, ports);
  if (call.include_uncommitted) return err('include_uncommitted belongs to isolation: worktree; without it the agent works on the person’s files as they are. Leave it out.');
  const cwd = call.cwd === undefined ? ctx.cwd : isAbsolute(call.cwd) ? call.cwd : resolve(ctx.cwd, call.cwd);
  const realCwd = await kit.files.realPath(cwd);
  if ((await kit.files.info(cwd))?.kind !== 'folder') return err(`cwd: there is no folder ${cwd}. Give one inside ${ctx.workingDirs.join(' or ')}, or leave cwd out.`);
  const roots = await Promise.all(ctx.workingDirs.map((dir) => kit.files.realPath(dir)));
  if (!roots.some((root) => isInside(realCwd, root))) return err(`cwd: ${cwd} is outside the folders you work in (${ctx.workingDirs.join(', ')}). Give a folder inside them, or leave cwd out.`);
  const worktree = ports.parent?.place.worktree;
  return ok({ place: { cwd, realCwd, ...(worktree ? { worktree } : {}), finish: async () => ({}) }, openPlace: async () => undefined });
}

async function inWorktree(call: AgentCall, { home, parent }: PlanPorts): Promise<Result<Placing, string>> {
  const { worktrees, files, git, options } = home.kit;
  if ((await git()) === undefined) return err('This folder is no git repository, so worktrees are off. Leave isolation out, and give agents that change files different files.');
  if (!worktrees) return err('Worktrees are not available here. Leave isolation out, and give the agents different files to change.');
  let place: AgentPlace = { cwd: options.cwd, realCwd: options.cwd, finish: async () => ({}) };
  return ok({
    get place() {
      return place;
    },
    openPlace: async (agentId) => {
      const name = call.name ?? call.description;
      const from = parent?.place.worktree?.root;
      const opened = await worktrees.open({ sessionId: home.sessionId, agentId, name, ...(from === undefined ? {} : { from }), ...(call.include_uncommitted === undefined ? {} : { includesUncommitted: call.include_uncommitted }) });
      if (!opened.ok) return `The agent was not started: ${opened.problem}`;
      const taken = { home, agentId, name: opened.value.name };
      place = { ...placeOf(opened.value, await files.realPath(opened.value.path)), reenter: () => reenter(taken) };
      return undefined;
    },
  });
}
