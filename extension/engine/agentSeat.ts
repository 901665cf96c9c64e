import { levelRules } from '../agents/agentToolPool';
import { childMode } from '../agents/childMode';
import { agentFrame } from '../agents/builtin/agentFrame';
import type { PermissionBroker, PermissionPolicy, PolicyRule } from '../permissions/permissionTypes';
import type { PermissionMode } from '../protocol/permission';
import { FileState } from '../tools/fileState';
import { shelfModel } from '../model/modelTable';
import { ToolShelf } from '../tools/toolShelf';
import { isInside } from '../tools/toolPaths';
import type { AgentPlan } from './agentPlan';
import { renderForSession } from './renderForSession';
import type { AgentHome, AgentSeat } from './liveAgent';
import { tellInstructions } from './instructionHooks';
import { agentHooks } from './ownHooks';
import { SessionContext } from './sessionContext';

export interface SeatParts {
  readonly agentId: string;
  readonly plan: AgentPlan;
  readonly home: AgentHome;
  readonly parentBroker: PermissionBroker;
  readonly parentMode: () => PermissionMode;
  readonly hasBackground: () => boolean;
}

/** A sub-agent's seat: its own rules on top of those above it, its own place, its own opening. */
export function createAgentSeat(parts: SeatParts): { readonly seat: AgentSeat } {
  const { agentId, plan, home, parentMode } = parts;
  const { kit, log } = home;
  const registry = new ToolShelf(plan.tools, plan.late, () => shelfModel(plan.model));
  const system = [`${plan.definition.prompt}\n\n${agentFrame}`.trim()];
  let ownMode: PermissionMode | undefined = plan.definition.permissionMode;
  const mode = (): PermissionMode => childMode(parentMode(), ownMode, plan.mode);
  // The folders count as they are once the place is made.
  const workingDirs = (): readonly string[] => [plan.place.worktree?.root ?? kit.options.cwd, ...kit.options.addDirs, ...(log.view.session.addedDirs ?? [])];
  const seat: AgentSeat = {
    agentId,
    broker: lazyBroker(parts, policyOf(parts, { mode, workingDirs })),
    context: contextOf(parts, mode),
    cwd: () => plan.place.cwd,
    workingDirs,
    mode,
    model: () => plan.model,
    effort: plan.definition.effort ?? kit.options.effort,
    maxReplies: plan.definition.maxTurns,
    system: () => system,
    tools: () => registry,
    placeProblem: () => placeProblem(parts),
    // A `cd` of a sub-agent does not last (spec 04.6).
    moveTo: () => undefined,
    setMode: (changed) => {
      ownMode = changed;
    },
    hasBackground: parts.hasBackground,
    turnEnded: () => log.sync(),
  };
  const own = agentHooks(plan.definition, agentId);
  if (own) home.hooks.add(own);
  return { seat };
}

/** Its worktree's name is known only once it has been made. */
function lazyBroker({ agentId, plan, parentBroker }: SeatParts, policy: () => PermissionPolicy): PermissionBroker {
  let derived: PermissionBroker | undefined;
  const broker = (): PermissionBroker => {
    derived ??= parentBroker.derive({ agentId, policy, ...(plan.place.worktree ? { worktree: plan.place.worktree.name } : {}) });
    return derived;
  };
  return { agentPath: [...parentBroker.agentPath, agentId], decide: (call) => broker().decide(call), derive: (child) => broker().derive(child) };
}

function policyOf({ plan, home }: SeatParts, of: { readonly mode: () => PermissionMode; readonly workingDirs: () => readonly string[] }): () => PermissionPolicy {
  const { kit, planFile } = home;
  const own = levelRules(plan.definition, kit.projectRoot);
  let known: { readonly base: readonly PolicyRule[]; readonly merged: readonly PolicyRule[] } | undefined;
  return () => {
    const { worktree, cwd } = plan.place;
    const { addedDirs = [] } = home.log.view.session;
    const policy = kit.policy({ cwd, mode: of.mode(), planFile, ...(worktree ? {} : { addedDirs }), ...(worktree ? { workingDirs: of.workingDirs(), worktree: { root: worktree.root, mainRoot: worktree.mainRoot ?? kit.projectRoot } } : {}) });
    if (own.length === 0) return policy;
    // The list keeps its identity, so that what is compiled from it is kept too.
    if (known?.base !== policy.rules) known = { base: policy.rules, merged: [...policy.rules, ...own] };
    return { ...policy, rules: known.merged };
  };
}

/** Links and folders can change while an agent works; where it stands must stay what it was. */
async function placeProblem({ plan, home }: SeatParts): Promise<string | undefined> {
  const { cwd, realCwd } = plan.place;
  const { files } = home.kit;
  if ((await files.info(cwd))?.kind !== 'folder') return `Your folder ${cwd} is gone, so nothing can run there. Stop here and report that.`;
  const real = await files.realPath(cwd);
  return real === realCwd ? undefined : `Your folder ${cwd} now leads to ${real}, which is not where you were started. Nothing runs there. Stop here and report that.`;
}

function contextOf({ agentId, plan, home }: SeatParts, mode: () => PermissionMode): SessionContext {
  const { kit, log, planFile } = home;
  const has = (name: string): boolean => plan.tools.some((tool) => tool.name === name);
  return new SessionContext(kit, {
    agentId,
    loaded: tellInstructions(home.hooks, agentId),
    planFile,
    view: () => log.view,
    events: () => log.events.filter((event) => 'agentId' in event && event.agentId === agentId),
    frame: {
      get cwd() {
        return plan.place.cwd;
      },
      addedDirs: kit.options.addDirs,
      inMain: (path) => (plan.place.worktree && isInside(path, plan.place.worktree.root) ? `${plan.place.worktree.mainRoot ?? kit.projectRoot}${path.slice(plan.place.worktree.root.length)}` : path),
      hasSkills: has('Skill'),
      hasAgents: has('Agent'),
      preloaded: () => preloaded({ plan, home }),
      notes: () => [
        ...(plan.place.note === undefined ? [] : [plan.place.note]),
        ...(mode() === 'plan' ? ['Plan mode is on: look and think, but change nothing. Calls that change something are refused.'] : []),
      ],
    },
  });
}

/** The skills a definition names, whole. Those that only a person may run are left out (spec 04.2). */
async function preloaded({ plan, home }: Pick<SeatParts, 'plan' | 'home'>): Promise<readonly string[]> {
  const { kit, planFile, sessionId } = home;
  if (plan.definition.skills.length === 0) return [];
  await kit.skills.ready();
  const texts: string[] = [];
  for (const name of plan.definition.skills) {
    const skill = kit.skills.find(name);
    if (!skill?.isModelInvocable) continue;
    const context = { sessionId, agentId: 'preload', callId: 'preload', cwd: plan.place.cwd, projectRoot: kit.projectRoot, workingDirs: [plan.place.cwd], mode: 'default' as const, signal: new AbortController().signal, files: new FileState(), output: () => undefined, spawned: () => undefined };
    const rendered = await renderForSession(skill, '', { kit, tools: plan.tools, context, planFile });
    if (rendered.ok) texts.push(`<skill name="${skill.qualified}">\n${rendered.value.text.trim()}\n</skill>`);
  }
  return texts;
}
