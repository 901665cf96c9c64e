import { setMaxListeners } from 'node:events';
import { errorText } from '../base/errorText';
import { newId } from '../base/ids';
import { err, ok, type Result } from '../base/result';
import type { DurableBody } from '../protocol/events';
import type { Attachment } from '../protocol/interaction';
import type { QueuedMessage } from '../protocol/view';
import { type Incoming, runTurn, type TurnEnd, type TurnPorts } from './turnLoop';

/** What the person typed, before skills and files in it are read. */
export interface Draft {
  readonly text: string;
  readonly attachments: readonly Attachment[];
}

export interface RunnerPorts extends Omit<TurnPorts, 'takeIncoming' | 'append'> {
  readonly append: (event: DurableBody) => void;
  /** Messages typed while the agent worked, as the log has them. */
  readonly queue: () => readonly QueuedMessage[];
  /** Reads skills, `@files` and attachments of a draft. A problem is shown to the person and nothing is sent. */
  readonly compose: (draft: Draft, turn: { readonly signal: AbortSignal }) => Promise<Result<readonly Incoming[], string>>;
  /** What the model should know before this turn: the first message's context, changed listings, the plan mode reminder. */
  readonly context: () => Promise<readonly Incoming[]>;
  /** Reminders and skill texts that calls of this turn produced. */
  readonly takeSaid: () => Promise<readonly Incoming[]>;
  /** A draft was not sent; its text must not be lost. */
  /** The model's own words are the last of the conversation: it needs a word of the other side to go on. */
  readonly endsWithReply: () => boolean;
  readonly onProblem: (message: string, draft: Draft | undefined) => void;
  /** The turn is over and its events are on record. */
  readonly onTurnEnd: (end: TurnEnd) => void;
}

const goOn: Incoming = { origin: 'reminder', content: [{ type: 'text', text: '<reminder>\nYour turn was interrupted. The person wants you to go on from where it stopped.\n</reminder>' }] };

/** The turns of one agent: one at a time, what comes meanwhile is queued or steers. */
export class AgentRunner {
  private running: { readonly abort: AbortController; readonly done: Promise<TurnEnd> } | undefined;
  private readonly steering = new Set<string>();

  constructor(private readonly ports: RunnerPorts) {}

  get isWorking(): boolean {
    return this.running !== undefined;
  }

  /** Resolves when the running turn, and what was queued behind it, has ended. */
  async settled(): Promise<TurnEnd | undefined> {
    let last: TurnEnd | undefined;
    while (this.running) last = await this.running.done;
    return last;
  }

  /** Starts a turn, or queues while one runs. `steer` sends all that is queued in at the next step. @returns the queue id */
  submit(draft: Draft, steer: boolean): string | undefined {
    if (!this.running) {
      this.start([draft]);
      return undefined;
    }
    const queueId = newId('queued');
    this.ports.append({ type: 'turn/queued', agentId: this.ports.agentId, queueId, text: draft.text, attachments: [...draft.attachments] });
    if (steer) for (const queued of this.ports.queue()) this.steering.add(queued.queueId);
    return queueId;
  }

  /** Sends what is queued in at the next step of the running turn. */
  steerQueued(): void {
    if (!this.running) return this.flushQueue();
    for (const queued of this.ports.queue()) this.steering.add(queued.queueId);
  }

  unqueue(queueId: string): QueuedMessage | undefined {
    const queued = this.ports.queue().find((q) => q.queueId === queueId);
    if (!queued) return undefined;
    this.steering.delete(queueId);
    this.ports.append({ type: 'turn/dequeued', agentId: this.ports.agentId, queueId, reason: 'removed' });
    return queued;
  }

  /** Work of another kind in place of a turn, such as a summary: what is typed meanwhile is queued. Only while it does not work. */
  async occupy<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const abort = new AbortController();
    const result = work(abort.signal);
    const idle: TurnEnd = { stop: 'done', replies: 0, usage: {}, costUsd: 0, durationMs: 0, apiMs: 0 };
    const done = result.then(
      () => idle,
      () => idle,
    ).then((end) => {
      this.running = undefined;
      this.flushQueue();
      return end;
    });
    this.running = { abort, done };
    return result;
  }

  interrupt(): void {
    this.running?.abort.abort();
  }

  /** Goes on after an interruption, an error or a reload: open calls first, then the model. */
  resume(): void {
    if (!this.running) this.start([]);
  }

  private flushQueue(): void {
    const next = this.ports.queue()[0];
    if (!next || this.running) return;
    this.ports.append({ type: 'turn/dequeued', agentId: this.ports.agentId, queueId: next.queueId, reason: 'sent' });
    this.start([next]);
  }

  private start(drafts: readonly Draft[]): void {
    const abort = new AbortController();
    setMaxListeners(0, abort.signal); // one for each call that runs, and agents run by the dozen
    const done = this.turn(drafts, abort.signal).then((end) => {
      this.running = undefined;
      this.ports.onTurnEnd(end);
      if (end.stop === 'done' || end.problem?.code === 'notSent') this.flushQueue();
      return end;
    });
    this.running = { abort, done };
  }

  private async turn(drafts: readonly Draft[], signal: AbortSignal): Promise<TurnEnd> {
    const opening = await this.opening(drafts, signal).catch((thrown: unknown) => err(`It could not be read: ${errorText(thrown)}`));
    if (!opening.ok) {
      this.ports.onProblem(opening.problem, drafts[0]);
      return { stop: 'error', problem: { code: 'notSent', message: opening.problem, retryable: false }, replies: 0, usage: {}, costUsd: 0, durationMs: 0, apiMs: 0 };
    }
    const turnId = newId('turn');
    this.ports.append({ type: 'turn/started', agentId: this.ports.agentId, turnId });
    let unsent: readonly Incoming[] = opening.value;
    const takeIncoming = async (): Promise<readonly Incoming[]> => {
      const first = unsent;
      unsent = [];
      return [...first, ...(await this.ports.takeSaid()), ...(await this.takeSteering(signal))];
    };
    return runTurn({ ...this.ports, takeIncoming }, { turnId, signal });
  }

  private async opening(drafts: readonly Draft[], signal: AbortSignal): Promise<Result<readonly Incoming[], string>> {
    const context = await this.ports.context();
    const messages: Incoming[] = [];
    for (const draft of drafts) {
      const composed = await this.ports.compose(draft, { signal });
      if (!composed.ok) return composed;
      messages.push(...composed.value);
    }
    if (drafts.length === 0 && context.length === 0 && this.ports.endsWithReply()) messages.push(goOn);
    return ok([...context, ...messages]);
  }

  private async takeSteering(signal: AbortSignal): Promise<readonly Incoming[]> {
    const messages: Incoming[] = [];
    for (const queued of this.ports.queue().filter((q) => this.steering.has(q.queueId))) {
      this.steering.delete(queued.queueId);
      // Taken off first: from here on it can't be taken back any more.
      this.ports.append({ type: 'turn/dequeued', agentId: this.ports.agentId, queueId: queued.queueId, reason: 'sent' });
      const composed = await this.ports.compose(queued, { signal });
      if (composed.ok) messages.push(...composed.value.map((m) => ({ ...m, steering: true })));
      else this.ports.onProblem(composed.problem, queued);
    }
    return messages;
  }
}
