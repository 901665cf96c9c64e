import type { AgentWorktree, AgentWorktrees, WantedWorktree } from '../agents/worktreePort';
import { err, ok, type Result } from '../base/result';
import type { UiEvent } from '../protocol/events';
import type { View } from '../protocol/view';
import type { WorktreesView } from '../protocol/worktree';
import type { Engine } from './contract';
import type { TurnSnapshots } from './sessionKit';
import type { WorktreeDesk } from './worktreeDesk';
import type { WorktreePorts } from './worktreePorts';

const none: WorktreesView = { worktrees: [], trash: [] };
/** Calls that change nothing on disk. */
const lookingTools: ReadonlySet<string> = new Set(['Read', 'Grep', 'Glob', 'WebFetch', 'AskUserQuestion', 'Skill', 'TaskOutput', 'ExitPlanMode', 'EnterPlanMode']);

/** The worktrees of one engine, before anyone needs them: all that works with git is loaded at its first use. */
export class WorktreeDoor implements AgentWorktrees {
  private loading: Promise<WorktreeDesk> | undefined;
  private loaded: WorktreeDesk | undefined;
  private isClosed = false;

  constructor(private readonly ports: WorktreePorts) {}

  /** As last looked at. */
  get view(): WorktreesView {
    return this.loaded?.view ?? none;
  }

  desk(): Promise<WorktreeDesk> {
    this.loading ??= import('./worktreeDesk').then(({ WorktreeDesk }) => {
      this.loaded = new WorktreeDesk(this.ports);
      return this.loaded;
    });
    return this.loading;
  }

  /** Brings the record in order with what is on disk, in the background. */
  start(): void {
    if (this.ports.isShown) void this.desk().then((desk) => (this.isClosed ? undefined : desk.refresh()));
  }

  readonly open = async (wanted: WantedWorktree): Promise<Result<AgentWorktree, string>> => (await this.desk()).agents.open(wanted);

  readonly reopen = async (wanted: WantedWorktree): Promise<Result<AgentWorktree, string>> => (await this.desk()).agents.reopen(wanted);

  readonly settle = (session: { readonly sessionId: string; readonly working: readonly string[] }): void => void this.desk().then((desk) => desk.agents.settle?.(session));

  /** What an agent did in its worktree shows soon after. */
  follow(event: UiEvent, view: View | undefined): void {
    if (!this.ports.isShown || !('seq' in event) || !('agentId' in event) || !changesFiles(event)) return;
    const worktree = view?.agents[event.agentId]?.worktree;
    if (worktree !== undefined) void this.desk().then((desk) => desk.touched(worktree));
  }

  readonly snapshots: TurnSnapshots = {
    take: async (request) => (await this.desk()).snapshots.take(request),
    has: async (request) => (await this.desk()).snapshots.has(request),
    undo: async (request) => (await this.desk()).snapshots.undo(request),
    isBackup: ({ sessionId, ref }) => ref.startsWith(`refs/troupe/snapshots/${sessionId}/undo-`),
    drop: async (sessionId) => {
      const desk = await this.desk();
      await desk.inOrder(() => desk.snapshots.drop(sessionId));
    },
  };

  /** What entries ask for directly. */
  readonly doors: Pick<Engine, 'worktreeBase' | 'worktreeLook' | 'worktreeDiff' | 'cleanWorktrees'> = {
    worktreeBase: async (name, path) => (await this.desk()).base(name, path),
    worktreeLook: async (name) => {
      const looked = await (await this.desk()).look(name);
      return looked.ok ? ok({ ...looked.value.view, files: [...looked.value.files], moreFiles: 0 }) : err(looked.problem.message);
    },
    worktreeDiff: async (name, path) => inWords(await (await this.desk()).diff(name, path)),
    cleanWorktrees: async (name) => inWords(await (await this.desk()).clean(name)),
  };

  async close(): Promise<void> {
    this.isClosed = true;
    if (this.loading) await (await this.loading).close();
  }
}

function inWords<T>(result: Result<T, { readonly message: string }>): Result<T, string> {
  return result.ok ? result : err(result.problem.message);
}

function changesFiles(event: UiEvent): boolean {
  if (event.type === 'tool/completed') return !lookingTools.has(event.name);
  return event.type === 'turn/completed' || event.type === 'agent/spawned' || event.type === 'agent/finished';
}
