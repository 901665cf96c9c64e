import { addUsage } from '../protocol/addUsage';
import { err, ok, type Result } from '../base/result';
import { estimateTokens } from '../base/estimateTokens';
import { estimateBlockTokens, estimateRequestTokens } from '../model/tokenEstimate';
import type { Clock, ModelClient, ModelRequest } from '../ports';
import type { Usage } from '../protocol/content';
import type { Notice } from '../protocol/events';
import type { EventLog } from '../session/eventLog';
import { maxSummaryLevel, summaryMessages } from '../session/compaction';

export interface CompactorPorts {
  readonly agentId: string;
  readonly log: EventLog;
  readonly clock: Clock;
  readonly client: () => ModelClient | undefined;
  /** The agent's next request as it stands. */
  readonly request: () => ModelRequest;
  /** Percent of the model's window; undefined: only when a request was too long. */
  readonly compactAtPercent: () => number | undefined;
  /** The model has replied since the last compaction, so another one gains something. */
  readonly hasReplies: () => boolean;
  readonly raise: (notice: Omit<Notice, 'noticeId'>) => void;
  /** Before it (a hook may refuse: problem) and after it. */
  readonly before?: ((trigger: CompactionTrigger, instructions: string) => Promise<Result<undefined, string>>) | undefined;
  readonly after?: ((trigger: CompactionTrigger, summary: string) => Promise<void>) | undefined;
}

export type CompactionTrigger = 'auto' | 'manual' | 'overflow';

interface Summary {
  readonly text: string;
  readonly usage: Usage;
  readonly costUsd: number | null;
}

/** After as many failures in a row it is tried no more until a request is too long. */
const maxFailures = 2;

/** Keeps one agent's conversation within its model's window: replaces it by the model's own summary. */
export class Compactor {
  private failures = 0;
  private wanted: string | undefined;

  constructor(private readonly ports: CompactorPorts) {}

  /** The next step of the running turn begins with it. */
  ask(instructions: string): void {
    this.wanted = instructions;
  }

  /** @returns whether the conversation was replaced */
  async makeRoom(why: 'step' | 'overflow', signal: AbortSignal): Promise<boolean> {
    const wish = this.wanted;
    this.wanted = undefined;
    if (wish !== undefined) return (await this.compact('manual', wish, signal)).ok;
    if (!this.ports.hasReplies()) return false;
    if (why === 'overflow') return (await this.compact('overflow', '', signal)).ok;
    if (this.failures >= maxFailures || !this.isNearlyFull()) return false;
    return (await this.compact('auto', '', signal)).ok;
  }

  async compact(trigger: CompactionTrigger, instructions: string, signal: AbortSignal): Promise<Result<undefined, string>> {
    const { ports } = this;
    const refused = (await ports.before?.(trigger, instructions)) ?? ok(undefined);
    if (!refused.ok) return refused;
    const startedAtMs = ports.clock.nowMs();
    const beforeTokens = this.usedTokens();
    const { activity = '', status = 'idle' } = ports.log.view.agents[ports.agentId] ?? {};
    ports.log.append({ type: 'agent/statusChanged', agentId: ports.agentId, status: 'working', activity: 'summarises the conversation' });
    const summary = await this.summarise(instructions, { signal, isTooLong: trigger === 'overflow' });
    if (!summary.ok) {
      ports.log.append({ type: 'agent/statusChanged', agentId: ports.agentId, status, activity });
      return this.failed(trigger, summary.problem, signal);
    }
    this.failures = 0;
    const { system, tools } = ports.request();
    const afterTokens = estimateRequestTokens({ system, tools, messages: [] }) + estimateTokens(summary.value.text);
    ports.log.append({
      type: 'context/compacted',
      agentId: ports.agentId,
      trigger,
      summary: summary.value.text,
      beforeTokens,
      afterTokens,
      usage: summary.value.usage,
      costUsd: summary.value.costUsd,
      durationMs: ports.clock.nowMs() - startedAtMs,
    });
    ports.log.append({ type: 'agent/statusChanged', agentId: ports.agentId, status, activity });
    await ports.after?.(trigger, summary.value.text);
    return ok(undefined);
  }

  /** Of the context now: what the provider counted at the last reply and an estimate of what came since. */
  usedTokens(): number {
    const request = this.ports.request();
    const counted = this.ports.log.view.agents[this.ports.agentId]?.contextTokens;
    if (counted === undefined || !this.ports.hasReplies()) return estimateRequestTokens(request);
    const last = request.messages.at(-1);
    return counted + (last?.role === 'user' ? last.content.reduce((sum, block) => sum + estimateBlockTokens(block), 0) : 0);
  }

  /** Where it compacts by itself; undefined when it does not. */
  limitTokens(): number | undefined {
    const percent = this.ports.compactAtPercent();
    const client = this.ports.client();
    if (percent === undefined || !client) return undefined;
    return Math.floor((client.capabilities(this.ports.request().model).contextTokens * percent) / 100);
  }

  private isNearlyFull(): boolean {
    const limit = this.limitTokens();
    return limit !== undefined && this.usedTokens() > limit;
  }

  private failed(trigger: CompactionTrigger, problem: string, signal: AbortSignal): Result<never, string> {
    if (signal.aborted) return err('It was stopped.');
    this.failures++;
    if (trigger !== 'manual') {
      this.ports.raise({ agentId: this.ports.agentId, level: 'warning', code: 'notCompacted', title: 'The conversation is nearly full and could not be summarised.', detail: `${problem}\n\nWork goes on with what fits. Start a new session for a new task, or try /compact.` });
    }
    return err(problem);
  }

  private async summarise(instructions: string, how: { readonly signal: AbortSignal; readonly isTooLong: boolean }): Promise<Result<Summary, string>> {
    const client = this.ports.client();
    if (!client) return err('No model is set up.');
    const request = this.ports.request();
    let usage: Usage = {};
    let costUsd: number | null = 0;
    for (let level = how.isTooLong ? 1 : 0; level <= maxSummaryLevel; level++) {
      const asked = { ...request, messages: summaryMessages(request.messages, instructions, level) };
      for await (const event of client.stream(asked, how.signal)) {
        if (event.type !== 'end' && event.type !== 'failed') continue;
        usage = addUsage(usage, event.usage);
        costUsd = costUsd === null || event.costUsd === null ? null : costUsd + event.costUsd;
        if (event.type === 'failed' && event.problem.code !== 'contextOverflow') return err(event.problem.message);
        const text = event.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n').trim();
        if (event.type === 'end') return text === '' ? err('The model wrote no summary.') : ok({ text, usage, costUsd });
      }
      if (how.signal.aborted) break;
    }
    return err(how.signal.aborted ? 'It was stopped.' : 'Even its last part is too long for the model.');
  }
}
