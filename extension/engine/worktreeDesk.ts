import { join } from 'node:path';
import type { AgentWorktrees } from '../agents/worktreePort';
import type { Disposable } from '../base/disposable';
import { errorText } from '../base/errorText';
import { err, ok, type Result } from '../base/result';
import type { MergePreviewView, TakeParams, TrashView, WorktreesView, WorktreeView } from '../protocol/worktree';
import { findWorktree } from '../worktree/findWorktree';
import { type CleanOutcome, cleanWorktrees, listRecorded, releaseWorktrees } from '../worktree/finishWorktreeRunner';
import { makeLease } from '../worktree/leaseLoader';
import { type MergeOutcome, previewMerge, takeWorktree } from '../worktree/mergeWorktreeRunner';
import { reconcileWorktrees } from '../worktree/reconcileRunner';
import { loadRepoPlace } from '../worktree/repoPlaceLoader';
import { countTrashed, discardWorktree, listTrash, restoreWorktree, type TrashEntry } from '../worktree/trashRunner';
import { baseContent, type DiffText, summarise, unifiedDiff } from '../worktree/worktreeChangesRunner';
import type { WorktreeContext } from '../worktree/worktreeContext';
import type { WorktreeProblem } from '../worktree/worktreeProblem';
import { branchOf, type Worktree } from '../worktree/worktreeRecord';
import { createAgentWorktrees } from './agentWorktrees';
import { createTurnSnapshots } from './turnSnapshots';
import type { WorktreePorts } from './worktreePorts';
import { brokenWorktreeView, restated, worktreeView } from './worktreeViews';

/** What agents do in their worktrees is gathered for this long. */
const gatherMs = 400;
const maxDiffBytes = 64 * 1024 * 1024;

/** Everything a window does with worktrees: what there are, as views show them, and what a person does with one. */
export class WorktreeDesk {
  readonly agents: AgentWorktrees;
  readonly snapshots: ReturnType<typeof createTurnSnapshots>;
  private current: WorktreesView = { worktrees: [], trash: [] };
  private readonly touchedNames = new Set<string>();
  private readonly counted = new Map<string, number>();
  private readonly over = new AbortController();
  private making: Promise<WorktreeContext> | undefined;
  private refreshing: Promise<void> | undefined;
  private again: Promise<void> | undefined;
  private reconciled: Promise<void> | undefined;
  private gathering: Disposable | undefined;
  private last: Promise<void> = Promise.resolve();

  constructor(readonly ports: WorktreePorts) {
    this.agents = createAgentWorktrees(this);
    this.snapshots = createTurnSnapshots({ ports, context: () => this.context() });
  }

  get view(): WorktreesView {
    return this.current;
  }

  get isClosed(): boolean {
    return this.over.signal.aborted;
  }

  context(): Promise<WorktreeContext> {
    const { git, configRoot, clock } = this.ports;
    this.making ??= makeLease().then((self) => ({ git, stateDir: join(configRoot, 'troupe'), nowMs: clock.nowMs, random: Math.random, self }));
    return this.making;
  }

  /** Brings the record in order with what is on disk, then looks at every worktree. */
  refresh(): Promise<void> {
    if (this.refreshing) {
      // The one under way may have looked before what it is asked for had happened.
      this.again ??= this.refreshing.then(() => {
        this.again = undefined;
        return this.refresh();
      });
      return this.again;
    }
    this.refreshing = this.inOrder(() => this.lookAtAll()).finally(() => {
      this.refreshing = undefined;
    });
    return this.refreshing;
  }

  /** Something was done in this worktree; it is looked at soon. */
  touched(name: string): void {
    this.touchedNames.add(name);
    if (this.isClosed || !this.ports.isShown) return;
    this.gathering ??= this.ports.clock.every(gatherMs, () => {
      this.gathering?.dispose();
      this.gathering = undefined;
      void this.lookAgain();
    });
  }

  /** Work in the background, one after the other; what goes wrong is logged. */
  inOrder(work: () => Promise<void>): Promise<void> {
    this.last = this.last.then(async () => {
      if (this.isClosed) return;
      try {
        await work();
      } catch (thrown) {
        if (!this.isClosed) this.ports.log.warn(`Worktrees could not be looked at: ${errorText(thrown)}`);
      }
    });
    return this.last;
  }

  async find(name: string): Promise<Result<Worktree, WorktreeProblem>> {
    const records = await listRecorded(await this.context(), this.ports.cwd);
    return records.ok ? findWorktree(records.value, name) : records;
  }

  /** The worktree with every file, however many. */
  async look(name: string): Promise<Result<{ readonly worktree: Worktree; readonly view: WorktreeView; readonly files: readonly WorktreeView['files'][number][] }, WorktreeProblem>> {
    const found = await this.find(name);
    if (!found.ok) return found;
    const summary = await summarise(await this.context(), found.value);
    return summary.ok ? ok({ worktree: found.value, view: worktreeView(found.value, summary.value), files: summary.value.files }) : summary;
  }

  async diff(name: string, path?: string): Promise<Result<DiffText, WorktreeProblem>> {
    const found = await this.find(name);
    return found.ok ? unifiedDiff(await this.context(), found.value, { maxBytes: maxDiffBytes, ...(path === undefined ? {} : { path }) }) : found;
  }

  async clean(name?: string): Promise<Result<CleanOutcome, WorktreeProblem>> {
    return cleanWorktrees(await this.ready(), { repoRoot: this.ports.cwd, ...(name === undefined ? {} : { name }) });
  }

  async base(name: string, path: string): Promise<Uint8Array | undefined> {
    const found = await this.find(name);
    if (!found.ok) return undefined;
    const content = await baseContent(await this.context(), found.value, path);
    return content.ok ? content.value : undefined;
  }

  async branches(): Promise<{ readonly current: string | null; readonly branches: string[] }> {
    const { git, cwd } = this.ports;
    const own = await listRecorded(await this.context(), cwd);
    const hidden = new Set(own.ok ? own.value.map((worktree) => worktree.branch) : []);
    const [current, listed] = await Promise.all([git.run(['symbolic-ref', '--short', '-q', 'HEAD'], { cwd }), git.run(['for-each-ref', '--sort=-committerdate', '--format=%(refname:lstrip=2)', 'refs/heads'], { cwd })]);
    return { current: current.exitCode === 0 ? current.stdout.trim() : null, branches: listed.stdout.split('\n').filter((branch) => branch !== '' && !hidden.has(branch)) };
  }

  async preview({ name, kind, into }: TakeParams): Promise<MergePreviewView> {
    const seen = await previewMerge(await this.ready(), { repoRoot: this.ports.cwd, name }, { kind, ...(into === undefined ? {} : { into }) });
    if (!seen.ok) return { branch: into ?? null, files: [], isDirty: false, isFastForward: false, conflicts: [...(seen.problem.conflicts ?? [])], problem: seen.problem.message };
    const { branch, files, isDirty, isFastForward } = seen.value;
    return { branch: branch ?? null, files: [...files], isDirty, isFastForward, conflicts: [] };
  }

  async take({ name, kind, into, message }: TakeParams): Promise<Result<MergeOutcome, WorktreeProblem>> {
    const taken = await takeWorktree(await this.ready(), { repoRoot: this.ports.cwd, name }, { kind, ...(into === undefined ? {} : { into }), ...(message === undefined ? {} : { message }) });
    this.touched(name);
    return taken;
  }

  async discard(name: string): Promise<Result<TrashEntry, WorktreeProblem>> {
    const context = await this.ready();
    const found = await this.find(name);
    if (!found.ok) return found;
    if (found.value.state === 'active' && found.value.lease?.nonce === context.self.nonce) return err({ code: 'in-use', path: found.value.path, message: `The agent ${found.value.ownerAgentId} works in the worktree ${name}. Stop it first.` });
    const entry = await discardWorktree(context, { repoRoot: this.ports.cwd, name });
    this.touched(name);
    return entry;
  }

  async restore(trashId: string): Promise<Result<Worktree, WorktreeProblem>> {
    const restored = await restoreWorktree(await this.ready(), { repoRoot: this.ports.cwd, id: trashId }, this.ports.settings());
    if (restored.ok) this.touched(restored.value.name);
    return restored;
  }

  async close(): Promise<void> {
    this.over.abort();
    this.gathering?.dispose();
    await this.last;
    if (!this.making) return;
    try {
      await releaseWorktrees(await this.making, this.ports.cwd);
    } catch (thrown) {
      this.ports.log.debug(`Worktrees were not released: ${errorText(thrown)}`); // their lease ends with this process
    }
  }

  /** What was done to these is shown; the rest stands as it was last seen. */
  lookAgain(): Promise<void> {
    return this.inOrder(async () => {
      const names = [...this.touchedNames];
      this.touchedNames.clear();
      await this.lookAt((name) => names.includes(name));
    });
  }

  private async lookAtAll(): Promise<void> {
    const context = await this.context();
    const { cwd } = this.ports;
    const place = await loadRepoPlace(context, cwd, this.over.signal).catch((thrown: unknown) => err({ code: 'git-failed' as const, message: errorText(thrown) }));
    if (!place.ok) return this.show({ off: place.problem.message, worktrees: [], trash: [] });
    if (place.value.head === undefined) return this.show({ off: `The repository ${place.value.root} has no commit yet, so there is nothing a worktree could start from. Commit once to have them.`, worktrees: [], trash: [] });
    await this.reconcile(context);
    await this.lookAt(() => true);
  }

  private async reconcile(context: WorktreeContext): Promise<void> {
    this.reconciled = Promise.resolve();
    const report = await reconcileWorktrees(context, { repoRoot: this.ports.cwd, settings: this.ports.settings(), isAwaited: ({ sessionId }) => this.ports.hasOpenAsks(sessionId) });
    if (!report.ok) this.ports.log.warn(`Worktrees could not be brought up to date: ${report.problem.message}`);
    else if (report.value.notices.length > 0) this.ports.raise({ level: 'info', code: 'worktrees', title: 'Worktrees were brought up to date.', detail: report.value.notices.join('\n') });
  }

  /** Before something is done with a worktree: what a crash left open is ended first, once. */
  private async ready(): Promise<WorktreeContext> {
    const context = await this.context();
    this.reconciled ??= this.inOrder(() => this.reconcile(context));
    await this.reconciled;
    return context;
  }

  private async lookAt(isTouched: (name: string) => boolean): Promise<void> {
    const context = await this.context();
    const records = await listRecorded(context, this.ports.cwd);
    if (!records.ok) return this.show({ off: records.problem.message, worktrees: [], trash: [] });
    const known = new Map(this.current.worktrees.map((view) => [view.name, view]));
    const worktrees: WorktreeView[] = [];
    for (const record of records.value) {
      const before = known.get(record.name);
      worktrees.push(before && !isTouched(record.name) ? restated(record, before) : await this.viewOf(context, record));
    }
    if (!this.isClosed) this.show({ worktrees, trash: await this.trash(context) });
  }

  private async viewOf(context: WorktreeContext, record: Worktree): Promise<WorktreeView> {
    const summary = await summarise(context, record, this.over.signal);
    return summary.ok ? worktreeView(record, summary.value) : brokenWorktreeView(record, summary.problem);
  }

  private async trash(context: WorktreeContext): Promise<TrashView[]> {
    const trash: TrashView[] = [];
    for (const entry of await listTrash(context, this.ports.cwd)) {
      const files = this.counted.get(entry.ref) ?? (await countTrashed(context, this.ports.cwd, entry));
      this.counted.set(entry.ref, files);
      trash.push({ id: entry.id, name: entry.name, branch: branchOf(entry.name), discardedAtMs: entry.discardedAtMs, files });
    }
    return trash;
  }

  private show(view: WorktreesView): void {
    if (JSON.stringify(view) === JSON.stringify(this.current)) return;
    this.current = view;
    this.ports.changed();
  }
}
