import { mainAgentId } from '../base/ids';
import type { UndoReport } from '../protocol/worktree';
import type { EventLog } from '../session/eventLog';
import type { TurnSnapshots } from './sessionKit';

export interface UndoPorts {
  readonly sessionId: string;
  readonly snapshots: TurnSnapshots;
  readonly log: Pick<EventLog, 'append' | 'view' | 'events'>;
  readonly isWorking: () => boolean;
  /** What the agent must know of files that changed under it. */
  readonly remind: (text: string) => void;
}

/**
 * Keeps the state of the folder around each turn of the main agent, so that what the turn did there, by whatever means,
 * can be taken back. Nothing is kept for a turn that changes nothing: it is taken when the first call that may change
 * something is about to run.
 */
export class TurnUndo {
  private current: { readonly turnId: string; readonly taken: Promise<boolean> } | undefined;
  private last: Promise<unknown> = Promise.resolve();
  private isRedoing = false;

  constructor(private readonly ports: UndoPorts) {}

  /** Resolves when the state before this turn is kept, or can't be. Never rejects. */
  async before(turn: { readonly turnId: string; readonly signal: AbortSignal }): Promise<void> {
    if (this.current?.turnId !== turn.turnId) this.current = { turnId: turn.turnId, taken: this.next(() => this.take(turn)) };
    await this.current.taken;
  }

  /** The turn has done all it does: its end is kept, too, before the person can take up the files. Never rejects. */
  async ended(): Promise<void> {
    const turn = this.current;
    this.current = undefined;
    if (turn) await this.next(async () => (await turn.taken) && (await this.keep(`${turn.turnId}-after`)));
  }

  /** A turn that a crash cut off ends where it is now. */
  recover(): void {
    const last = this.ports.log.events.findLast((event) => event.type === 'turn/snapshotTaken' && event.off === undefined);
    if (last?.type !== 'turn/snapshotTaken') return;
    const label = `${last.turnId}-after`;
    void this.next(async () => (await this.ports.snapshots.has({ sessionId: this.ports.sessionId, label })) || (await this.keep(label)));
  }

  async settled(): Promise<void> {
    await this.last;
  }

  /** Takes back what a turn did to files. */
  undo(turnId: string): Promise<UndoReport> {
    return this.change({ turnId, before: turnId, after: `${turnId}-after` }, (report) => {
      this.ports.log.append({ type: 'turn/undone', agentId: mainAgentId, turnId, report });
      this.ports.remind(`The person has undone what one of your turns did to files. As before that turn are: ${report.restored.join(', ')}. Read files again before you rely on what you know of them.`);
    });
  }

  /** Takes an undo back, to the state that it kept. */
  redo(turnId: string, backup: string): Promise<UndoReport> {
    if (!this.ports.snapshots.isBackup({ sessionId: this.ports.sessionId, ref: backup })) return Promise.resolve(refused('This undo’s backup is unknown, so it can’t be taken back.'));
    return this.change({ turnId, before: backup, after: turnId }, (report) => {
      this.ports.log.append({ type: 'turn/redone', agentId: mainAgentId, turnId, report });
      this.ports.remind(`The person took that undo back. As your turn had left them are again: ${report.restored.join(', ')}.`);
    });
  }

  private async change(request: { readonly turnId: string; readonly before: string; readonly after: string }, done: (report: UndoReport) => void): Promise<UndoReport> {
    const { snapshots, sessionId, log } = this.ports;
    const undo = log.view.undo[request.turnId];
    if (undo?.state === 'off') return refused(undo.reason);
    if (!undo) return refused('Nothing is kept of this turn: it ran no tool that could change files.');
    if (this.ports.isWorking() || this.isRedoing) return refused('An agent of this session is at work. Wait until it is done, or stop it, and try again.');
    this.isRedoing = true;
    try {
      await this.last;
      const outcome = await snapshots.undo({ sessionId, before: request.before, after: request.after });
      if (!outcome.ok) return refused(outcome.problem);
      const { restored, skipped, backup, commitsStay } = outcome.value;
      const report: UndoReport = { restored: [...restored], skipped: [...skipped], backup: backup.ref, commitsStay };
      if (restored.length === 0) return { ...report, problem: skipped.length === 0 ? 'There is nothing to put back: the files are as they were before this turn.' : 'Nothing was put back: every file of this turn has changed since.' };
      done(report);
      return report;
    } finally {
      this.isRedoing = false;
    }
  }

  private async take({ turnId, signal }: { readonly turnId: string; readonly signal: AbortSignal }): Promise<boolean> {
    const { snapshots, sessionId, log } = this.ports;
    const taken = await snapshots.take({ sessionId, label: turnId, signal });
    if (taken.ok) log.append({ type: 'turn/snapshotTaken', agentId: mainAgentId, turnId });
    // Said once, not with every turn.
    else if (!signal.aborted && !log.events.some((event) => event.type === 'turn/snapshotTaken' && event.off === taken.problem)) log.append({ type: 'turn/snapshotTaken', agentId: mainAgentId, turnId, off: taken.problem });
    return taken.ok;
  }

  private async keep(label: string): Promise<boolean> {
    return (await this.ports.snapshots.take({ sessionId: this.ports.sessionId, label })).ok;
  }

  private next(work: () => Promise<boolean>): Promise<boolean> {
    const done = this.last.then(work);
    this.last = done;
    return done;
  }
}

function refused(problem: string): UndoReport {
  return { restored: [], skipped: [], commitsStay: false, problem };
}
