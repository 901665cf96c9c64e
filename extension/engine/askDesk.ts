import { newId } from '../base/ids';
import type { DurableBody } from '../protocol/events';
import type { PlanReply, PlanRequest, QuestionReply, QuestionRequest } from '../protocol/interaction';
import type { PendingAsk } from '../protocol/view';

type Cancelled = { readonly behavior: 'cancelled' };
const cancelled: Cancelled = { behavior: 'cancelled' };

export interface AskDeskPorts {
  readonly append: (event: DurableBody) => void;
  readonly sync: () => void;
  /** What the log says is waiting, live or left over from before a reload. */
  readonly pending: () => readonly PendingAsk[];
  /** A leftover ask was answered and its agent is not running: it should go on. */
  readonly onLeftoverAnswered: (agentPath: readonly string[]) => void;
}

interface Waiting {
  /** Replied to; the reply is about to be written down. */
  answered: boolean;
  readonly resolve: (reply: QuestionReply | PlanReply | Cancelled) => void;
}

/**
 * Questions and plans a session puts before its person (permissions have their broker): written down before it is shown, answered once, found again after a reload.
 * A call asked again after a reload takes up the ask that is still on record, with its old id.
 */
export class AskDesk {
  private readonly waiting = new Map<string, Waiting>();
  private readonly earlyReplies = new Map<string, QuestionReply | PlanReply>();

  constructor(private readonly ports: AskDeskPorts) {}

  async question(request: Omit<QuestionRequest, 'requestId'>, signal: AbortSignal): Promise<QuestionReply | Cancelled> {
    const requestId = this.leftover('question', request.callId) ?? newId('ask');
    const reply = await this.wait(requestId, signal, () => this.ports.append({ type: 'question/asked', request: { ...request, requestId } }));
    const answer: QuestionReply | Cancelled = reply.behavior === 'answer' || reply.behavior === 'decline' ? reply : cancelled;
    this.ports.append({ type: 'question/answered', requestId, reply: answer });
    this.waiting.delete(requestId);
    this.ports.sync();
    return answer;
  }

  async plan(request: Omit<PlanRequest, 'requestId'>, signal: AbortSignal): Promise<PlanReply | Cancelled> {
    const requestId = this.leftover('plan', request.callId) ?? newId('ask');
    const reply = await this.wait(requestId, signal, () => this.ports.append({ type: 'plan/proposed', request: { ...request, requestId } }));
    const answer: PlanReply | Cancelled = reply.behavior === 'approve' || reply.behavior === 'sendBack' ? reply : cancelled;
    this.ports.append({ type: 'plan/resolved', requestId, reply: answer });
    this.waiting.delete(requestId);
    this.ports.sync();
    return answer;
  }

  /** The first reply wins. @returns whether this one counted */
  reply(requestId: string, reply: QuestionReply | PlanReply): boolean {
    const live = this.waiting.get(requestId);
    if (live) {
      if (live.answered) return false;
      live.answered = true;
      live.resolve(reply);
      return true;
    }
    const leftover = this.ports.pending().find((ask) => ask.kind !== 'permission' && ask.request.requestId === requestId);
    if (!leftover || this.earlyReplies.has(requestId)) return false;
    this.earlyReplies.set(requestId, reply);
    this.ports.onLeftoverAnswered(leftover.request.agentPath);
    return true;
  }

  /** Asks on record that no running call stands behind. */
  leftovers(): readonly PendingAsk[] {
    return this.ports.pending().filter((ask) => !this.waiting.has(ask.request.requestId));
  }

  private leftover(kind: PendingAsk['kind'], callId: string): string | undefined {
    return this.leftovers().find((ask) => ask.kind === kind && ask.request.callId === callId)?.request.requestId;
  }

  private async wait(requestId: string, signal: AbortSignal, announce: () => void): Promise<QuestionReply | PlanReply | Cancelled> {
    const early = this.earlyReplies.get(requestId);
    this.earlyReplies.delete(requestId);
    if (early) return early;
    if (signal.aborted) return cancelled;
    const known = this.ports.pending().some((ask) => ask.request.requestId === requestId);
    return new Promise((resolve) => {
      const stop = (): void => resolve(cancelled);
      signal.addEventListener('abort', stop, { once: true });
      this.waiting.set(requestId, {
        answered: false,
        resolve: (reply) => {
          signal.removeEventListener('abort', stop);
          resolve(reply);
        },
      });
      if (!known) announce();
    });
  }
}
