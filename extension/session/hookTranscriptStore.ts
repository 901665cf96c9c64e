import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { mainAgentId } from '../base/ids';
import type { AssistantBlock } from '../protocol/content';
import type { DurableEvent } from '../protocol/events';

type Line = Readonly<Record<string, unknown>>;

/** The files hooks are told of as `transcript_path`: one agent's conversation each, as `assistant` and `user` lines (spec 17, 20). */
export class HookTranscripts {
  private readonly open = new Set<string>();
  private readonly callOf = new Map<string, string>();

  constructor(
    private readonly dir: string,
    private readonly session: { readonly sessionId: string; readonly events: () => readonly DurableEvent[] },
  ) {
    for (const event of session.events()) this.note(event);
  }

  /** Made whole at the first asking, kept up from then on. */
  path(agentId: string): string {
    const path = this.pathOf(agentId);
    if (this.open.has(agentId)) return path;
    this.open.add(agentId);
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(path, this.session.events().map((event) => this.line(event, agentId)).join(''), { mode: 0o600 });
    return path;
  }

  /** An event that was just put on record. */
  take(event: DurableEvent): void {
    this.note(event);
    if (!('agentId' in event) || typeof event.agentId !== 'string' || !this.open.has(event.agentId)) return;
    const line = this.line(event, event.agentId);
    if (line !== '') appendFileSync(this.pathOf(event.agentId), line);
  }

  private pathOf(agentId: string): string {
    return agentId === mainAgentId ? join(this.dir, 'transcript.jsonl') : join(this.dir, 'agents', `${agentId.replace(/[^\w-]/g, '')}.jsonl`);
  }

  private note(event: DurableEvent): void {
    if (event.type === 'agent/spawned' && event.callId !== undefined) this.callOf.set(event.agentId, event.callId);
  }

  private line(event: DurableEvent, agentId: string): string {
    if (!('agentId' in event) || event.agentId !== agentId) return '';
    const body = lineOf(event);
    if (!body) return '';
    return `${JSON.stringify({ ...body, parent_tool_use_id: this.callOf.get(agentId) ?? null, session_id: this.session.sessionId, timestamp: new Date(event.atMs).toISOString() })}\n`;
  }
}

function lineOf(event: DurableEvent): Line | undefined {
  switch (event.type) {
    case 'message/completed':
      return { type: 'assistant', message: { id: event.messageId, type: 'message', role: 'assistant', model: event.model, content: event.content.map(apiBlock), stop_reason: event.stopReason } };
    case 'message/received':
      return { type: 'user', message: { role: 'user', content: event.content }, ...(event.origin === 'person' ? {} : { isMeta: true }) };
    case 'tool/completed':
      return { type: 'user', message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: event.callId, content: event.content, ...(event.outcome === 'completed' ? {} : { is_error: true }) }] } };
    default:
      return undefined;
  }
}

function apiBlock(block: AssistantBlock): Line {
  if (block.type === 'opaque') return block.block;
  return block.type === 'tool_use' ? { type: 'tool_use', id: block.id, name: block.name, input: block.input } : block;
}
