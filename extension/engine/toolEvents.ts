import type { ToolUseBlock } from '../protocol/content';
import type { EventLog } from '../session/eventLog';
import type { FinishedCall, ToolRunListener } from '../tools/toolRun';

/** Live output of one call beyond this is not sent: the whole is in its result or file. */
const maxLiveChars = 64_000;

/** Writes what the scheduler tells into the log. */
export class ToolEvents implements ToolRunListener {
  private readonly sent = new Map<string, number>();

  constructor(
    private readonly log: EventLog,
    private readonly turn: { readonly agentId: string; readonly turnId: string },
  ) {}

  started(call: ToolUseBlock, about: { readonly name: string; readonly title: string; readonly kind: string; readonly input: Readonly<Record<string, unknown>> }): void {
    this.log.append({ type: 'tool/started', ...this.turn, callId: call.id, name: about.name, title: about.title, kind: about.kind, input: { ...about.input } });
  }

  spawned(call: ToolUseBlock, pid: number, processStartedAtMs: number): void {
    this.log.append({ type: 'tool/spawned', agentId: this.turn.agentId, callId: call.id, pid, processStartedAtMs });
  }

  output(call: ToolUseBlock, text: string): void {
    const offset = this.sent.get(call.id) ?? 0;
    const kept = text.slice(0, Math.max(0, maxLiveChars - offset));
    if (kept === '') return;
    this.sent.set(call.id, offset + kept.length);
    this.log.live({ type: 'tool/updated', agentId: this.turn.agentId, callId: call.id, offset, text: kept });
  }

  completed(call: ToolUseBlock, finish: FinishedCall): void {
    this.log.append({
      type: 'tool/completed',
      ...this.turn,
      callId: call.id,
      name: call.name,
      outcome: finish.outcome,
      content: typeof finish.content === 'string' ? finish.content : [...finish.content],
      ...(finish.display ? { display: finish.display } : {}),
      ...(finish.note === undefined ? {} : { note: finish.note }),
      durationMs: finish.durationMs,
      ...(finish.decidedBy === undefined ? {} : { decidedBy: finish.decidedBy }),
      ...(finish.decision === undefined ? {} : { decision: finish.decision }),
    });
  }
}
