import { assertNever } from '../base/assertNever';
import { mainAgentId } from '../base/ids';
import type { SessionDescription, SettledTurn } from '../engine';
import type { AssistantBlock, ToolUseBlock, Usage } from '../protocol/content';
import { addUsage } from '../protocol/addUsage';
import type { UiEvent } from '../protocol/events';

type Json = Readonly<Record<string, unknown>>;

/** Collects one headless run and writes its `stream-json` lines (spec 20). Pure: lines are handed to `print`. */
export class StreamJson {
  private usage: Usage = {};
  private costUsd: number | null = 0;
  private replies = 0;
  private lastText = '';
  private readonly calls = new Map<string, ToolUseBlock>();
  private readonly parentCall = new Map<string, string>();
  /** Ids from the agent that the main agent started down to this one, `a/b/c`. */
  private readonly paths = new Map<string, string>();
  private readonly denials: Json[] = [];

  constructor(
    private readonly sessionId: string,
    private readonly print: (line: Json) => void,
  ) {}

  /** The main agent's last words. */
  get text(): string {
    return this.lastText;
  }

  init(session: SessionDescription): void {
    this.print({
      type: 'system',
      subtype: 'init',
      session_id: this.sessionId,
      cwd: session.cwd,
      model: session.model ?? null,
      permissionMode: session.mode,
      tools: session.tools,
      mcp_servers: session.mcpServers,
      slash_commands: session.slashCommands,
      agents: session.agents,
      skills: session.skills,
      plugins: [],
    });
  }

  take(event: UiEvent): void {
    switch (event.type) {
      case 'agent/spawned':
        this.paths.set(event.agentId, [this.paths.get(event.parentId), event.agentId].filter((part) => part !== undefined).join('/'));
        if (event.callId !== undefined) this.parentCall.set(event.agentId, event.callId);
        return;
      case 'turn/started':
        if (event.agentId === mainAgentId) this.lastText = ''; // each prompt has its own last words
        return;
      case 'message/completed':
        return this.reply(event);
      case 'tool/completed':
        return this.result(event);
      case 'context/compacted':
        this.count(event);
        if (event.agentId === mainAgentId) this.print({ type: 'system', subtype: 'compact_boundary', session_id: this.sessionId, compact_metadata: { trigger: event.trigger, pre_tokens: event.beforeTokens } });
        return;
      case 'message/received':
        if (event.origin === 'skill') this.line('user', event.agentId, { role: 'user', content: event.content });
        return;
      default:
    }
  }

  result(event: Extract<UiEvent, { type: 'tool/completed' }>): void {
    const failed = event.outcome !== 'completed';
    if (event.outcome === 'denied') {
      this.denials.push({
        tool_name: event.name,
        tool_use_id: event.callId,
        tool_input: this.calls.get(event.callId)?.input ?? {},
        reason: typeof event.content === 'string' ? event.content : '',
        ...(event.agentId === mainAgentId ? {} : { agent_path: this.paths.get(event.agentId) ?? event.agentId }),
      });
    }
    this.line('user', event.agentId, { role: 'user', content: [{ type: 'tool_result', tool_use_id: event.callId, content: event.content, ...(failed ? { is_error: true } : {}) }] });
  }

  /** The last line. `is_error` is what the exit code says too. */
  finish(end: SettledTurn | undefined): { readonly line: Json; readonly failed: boolean } {
    const stop = end?.stop ?? 'error';
    const failed = stop !== 'done';
    const line = {
      type: 'result',
      subtype: subtypeOf(stop),
      is_error: failed,
      result: failed ? (end?.problem?.message ?? wordsFor(stop)) : this.lastText,
      num_turns: this.replies,
      duration_ms: end?.durationMs ?? 0,
      duration_api_ms: end?.apiMs ?? 0,
      total_cost_usd: this.costUsd,
      usage: apiUsage(this.usage),
      permission_denials: this.denials,
      session_id: this.sessionId,
    };
    return { line, failed };
  }

  /** The last line of a prompt that never reached the model. */
  local(text: string, failed: boolean): Json {
    return { ...this.finish(undefined).line, subtype: failed ? 'error_during_execution' : 'success', is_error: failed, result: text };
  }

  private count({ usage, costUsd }: { readonly usage: Usage; readonly costUsd: number | null }): void {
    this.usage = addUsage(this.usage, usage);
    this.costUsd = this.costUsd === null || costUsd === null ? null : this.costUsd + costUsd;
  }

  private reply(event: Extract<UiEvent, { type: 'message/completed' }>): void {
    this.count(event);
    for (const block of event.content) if (block.type === 'tool_use') this.calls.set(block.id, block);
    if (event.agentId === mainAgentId) {
      if (!event.partial) this.replies++;
      const text = event.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
      if (text !== '') this.lastText = text;
    }
    this.line('assistant', event.agentId, {
      id: event.messageId,
      type: 'message',
      role: 'assistant',
      model: event.model,
      content: event.content.map(apiBlock),
      stop_reason: event.stopReason,
      usage: apiUsage(event.usage),
    });
  }

  private line(type: 'assistant' | 'user', agentId: string, message: Json): void {
    this.print({ type, message, parent_tool_use_id: this.parentCall.get(agentId) ?? null, session_id: this.sessionId });
  }
}

function apiBlock(block: AssistantBlock): Json {
  switch (block.type) {
    case 'opaque':
      return block.block;
    case 'tool_use':
      return { type: 'tool_use', id: block.id, name: block.name, input: block.input };
    case 'text':
    case 'thinking':
    case 'redacted_thinking':
      return block;
    default:
      return assertNever(block);
  }
}

function apiUsage(usage: Usage): Json {
  return {
    input_tokens: usage.inputTokens ?? null,
    output_tokens: usage.outputTokens ?? null,
    cache_read_input_tokens: usage.cacheReadTokens ?? null,
    cache_creation_input_tokens: usage.cacheWriteTokens ?? null,
  };
}

function subtypeOf(stop: SettledTurn['stop']): string {
  if (stop === 'done') return 'success';
  return stop === 'maxTurns' ? 'error_max_turns' : 'error_during_execution';
}

function wordsFor(stop: SettledTurn['stop']): string {
  switch (stop) {
    case 'maxTurns':
      return 'Stopped at the limit of --max-turns before the work was done.';
    case 'interrupted':
      return 'Interrupted.';
    case 'refusal':
      return 'The model declined to answer this (refusal).';
    case 'done':
      return '';
    case 'error':
      return 'The run failed.';
    default:
      return assertNever(stop);
  }
}
