import type { Draft } from '../agents/agentRunner';
import type { Incoming, TurnEnd } from '../agents/turnLoop';
import { mainAgentId } from '../base/ids';
import { err, ok, type Result } from '../base/result';
import type { HookEventName } from '../hooks/hookEvents';
import type { HookOutcome } from '../hooks/hookOutcome';
import type { ToolUseBlock } from '../protocol/content';
import type { Notice } from '../protocol/events';
import type { EventLog } from '../session/eventLog';
import type { BackgroundTasks } from '../tools/backgroundTasks';
import type { FinishedCall, ToolHooks } from '../tools/toolRun';
import { lastWordsOf } from './agentRecord';
import type { CompactionTrigger } from './compactor';
import type { HookMoment, Hooks } from './hookMoment';
import { createToolHooks, toolInput, toolResponse } from './toolHooks';

export interface AgentHookPorts {
  readonly home: {
    readonly sessionId: string;
    readonly log: EventLog;
    readonly hooks: Hooks;
    readonly kit: { readonly tasks: BackgroundTasks };
    readonly raise: (notice: Omit<Notice, 'noticeId'>) => void;
  };
  readonly agentId: string;
  readonly remind: (text: string) => void;
  readonly cwd: () => string;
  /** A sub-agent that waits for agents of its own has not ended yet. */
  readonly hasBackground: () => boolean;
}

type Turn = { readonly turnId: string; readonly signal: AbortSignal };

/** How often in a row a Stop hook may keep an agent from ending (spec 05.5). */
const maxStopBlocks = 8;

/** The events of one agent's turns, and what their hooks change in them. Costs nothing while there are no hooks. */
export class AgentHooks {
  private halt: string | undefined;
  private stopBlocks = 0;
  private hasOpened = false;

  constructor(private readonly ports: AgentHookPorts) {}

  /** A hook has ended everything: why; asked once. */
  takeHalt(): string | undefined {
    const why = this.halt;
    this.halt = undefined;
    return why;
  }

  /** For the scheduler; undefined while there are no hooks. */
  toolHooks(): ToolHooks | undefined {
    const { home, agentId } = this.ports;
    if (!home.hooks.isOpen) return undefined;
    return createToolHooks({ hooks: home.hooks, agentId, halt: (why) => this.stopAll(why) });
  }

  /** The person's words, unless a hook refuses them. */
  async prompt(draft: Draft, signal: AbortSignal, compose: () => Promise<Result<readonly Incoming[], string>>): Promise<Result<readonly Incoming[], string>> {
    const outcome = await this.fire('UserPromptSubmit', { prompt: draft.text }, { signal });
    const refused = refusal(outcome);
    if (refused !== undefined) return err(refused);
    this.titled(outcome);
    const composed = await compose();
    return composed.ok ? ok([...composed.value, ...contextOf('UserPromptSubmit', outcome)]) : composed;
  }

  /** A command the person typed, before it becomes its text. @returns problem: why it may not; else what the model is told beside */
  async expansion(command: { readonly name: string; readonly args: string; readonly source: string; readonly prompt: string }, signal: AbortSignal): Promise<Result<readonly Incoming[], string>> {
    const { name, args, source, prompt } = command;
    const outcome = await this.fire('UserPromptExpansion', { expansion_type: 'slash_command', command_name: name, command_args: args, command_source: source, prompt }, { signal });
    const refused = refusal(outcome);
    return refused === undefined ? ok(contextOf('UserPromptExpansion', outcome)) : err(refused);
  }

  /** What hooks add to the opening of a conversation. */
  async opening(context: readonly Incoming[]): Promise<readonly Incoming[]> {
    const { home, agentId } = this.ports;
    if (this.hasOpened) return context;
    this.hasOpened = true;
    if (agentId === mainAgentId) return [...context, ...(await home.hooks.takeStart())];
    const type = home.log.view.agents[agentId]?.agentType ?? '';
    const outcome = await this.fire('SubagentStart', { agent_id: agentId, agent_type: type }, { signal: new AbortController().signal });
    return [...context, ...contextOf('SubagentStart', outcome)];
  }

  async batch(calls: readonly ToolUseBlock[], finished: readonly FinishedCall[], signal: AbortSignal): Promise<void> {
    if (!this.ports.home.hooks.isOpen || calls.length === 0 || signal.aborted) return;
    const cwd = this.ports.cwd();
    const tool_calls = calls.map((call, i) => ({ tool_name: call.name, tool_input: toolInput(call.input, cwd), tool_use_id: call.id, tool_response: JSON.stringify(toolResponse(call.name, call.input, finished[i])) }));
    const outcome = await this.fire('PostToolBatch', { tool_calls }, { signal });
    for (const { content } of contextOf('PostToolBatch', outcome)) for (const block of content) if (block.type === 'text') this.ports.remind(block.text);
    if (outcome.block) this.stopAll(outcome.block.reason);
  }

  /** Before a turn ends. @returns whether a hook has said what is still to be done */
  async keepsGoing(turn: Turn): Promise<boolean> {
    const { home, agentId, remind, hasBackground } = this.ports;
    if (!home.hooks.isOpen || turn.signal.aborted) return false;
    const isMain = agentId === mainAgentId;
    if (!isMain && hasBackground()) return false;
    if (this.stopBlocks >= maxStopBlocks) {
      home.raise({ agentId, level: 'warning', code: 'stopHook', title: `A Stop hook kept the agent going ${maxStopBlocks} times in a row; now it ends all the same.` });
      return false;
    }
    const event = isMain ? 'Stop' : 'SubagentStop';
    const outcome = await this.fire(event, { stop_hook_active: this.stopBlocks > 0, ...(isMain ? {} : await this.asSubagent()), last_assistant_message: lastWordsOf(home.log, agentId), background_tasks: this.backgroundTasks(), session_crons: [] }, { signal: turn.signal });
    if (outcome.stop !== undefined || turn.signal.aborted) return false;
    const said = outcome.block ? [`You are not done yet: ${outcome.block.reason}`] : outcome.contexts;
    for (const text of said) remind(text);
    if (said.length > 0) this.stopBlocks += 1;
    return said.length > 0;
  }

  turnEnded({ stop, problem }: TurnEnd): void {
    this.stopBlocks = 0;
    const { home, agentId } = this.ports;
    if (stop !== 'error' || !problem || problem.code === 'notSent' || problem.code === 'stoppedByHook' || !home.hooks.isOpen) return;
    void this.fire('StopFailure', { error: failureNames[problem.code] ?? 'unknown', error_details: problem.message, last_assistant_message: lastWordsOf(home.log, agentId) }, { signal: new AbortController().signal });
  }

  /** The words to show in place of a reply's; undefined: as they are. */
  async display(reply: { readonly turnId: string; readonly messageId: string; readonly text: string }, signal: AbortSignal): Promise<string | undefined> {
    const outcome = await this.fire('MessageDisplay', { turn_id: reply.turnId, message_id: reply.messageId, index: 0, final: true, delta: reply.text }, { signal });
    return outcome.specifics.findLast((one) => one.displayContent !== undefined)?.displayContent;
  }

  /** Before a conversation is summarised. @returns problem: a hook keeps it as it is, and why */
  async beforeCompact(trigger: CompactionTrigger, instructions: string): Promise<Result<undefined, string>> {
    const outcome = await this.fire('PreCompact', { trigger: trigger === 'manual' ? 'manual' : 'auto', custom_instructions: instructions }, { signal: new AbortController().signal });
    const refused = refusal(outcome);
    return refused === undefined ? ok(undefined) : err(`A hook keeps the conversation as it is: ${refused}`);
  }

  async afterCompact(trigger: CompactionTrigger, summary: string): Promise<void> {
    await this.fire('PostCompact', { trigger: trigger === 'manual' ? 'manual' : 'auto', compact_summary: summary }, { signal: new AbortController().signal });
  }

  private fire(event: HookEventName, input: Readonly<Record<string, unknown>>, moment: Omit<HookMoment, 'agentId'>): Promise<HookOutcome> {
    const { home, agentId } = this.ports;
    return home.hooks.fire(event, input, { ...moment, agentId }).then((outcome) => {
      // Prompts that end here were never sent; a Stop hook's stop is the end it would be anyway.
      if (outcome.stop !== undefined && !['UserPromptSubmit', 'UserPromptExpansion', 'Stop', 'SubagentStop', 'StopFailure'].includes(event)) this.stopAll(outcome.stop);
      return outcome;
    });
  }

  private stopAll(why: string): void {
    this.halt ??= why;
  }

  private async asSubagent(): Promise<Readonly<Record<string, unknown>>> {
    const { home, agentId } = this.ports;
    const transcript = await home.hooks.transcriptOf(agentId);
    return { agent_id: agentId, agent_type: home.log.view.agents[agentId]?.agentType ?? '', ...(transcript === undefined ? {} : { agent_transcript_path: transcript }) };
  }

  private titled({ specifics }: HookOutcome): void {
    const title = specifics.findLast((one) => one.sessionTitle !== undefined)?.sessionTitle;
    if (title !== undefined && title.trim() !== '') this.ports.home.log.append({ type: 'session/renamed', title: title.trim().slice(0, 200) });
  }

  private backgroundTasks(): readonly Readonly<Record<string, unknown>>[] {
    const { kit, sessionId } = this.ports.home;
    return kit.tasks.running(sessionId).map((task) => ({ id: task.id, type: task.kind === 'shell' ? 'shell' : 'subagent', status: task.status(), description: task.title, ...(task.kind === 'shell' ? { command: task.title } : { agent_type: this.ports.home.log.view.agents[task.id]?.agentType ?? '', name: task.title }) }));
  }
}

/** Our codes in the words hooks match on. */
const failureNames: Readonly<Record<string, string>> = { auth: 'authentication_failed', rateLimit: 'rate_limit', overloaded: 'server_error', server: 'server_error', network: 'server_error', idle: 'server_error', invalidRequest: 'invalid_request', contextOverflow: 'invalid_request', maxTokens: 'max_output_tokens', permission: 'authentication_failed', notFound: 'invalid_request' };

function refusal({ stop, block }: HookOutcome): string | undefined {
  if (stop !== undefined) return `A hook stopped it: ${stop}`;
  return block ? `A hook (${block.by}) refused it: ${block.reason}` : undefined;
}

/** As the model reads it, hidden in the chat. */
export function contextOf(event: string, { contexts }: HookOutcome): readonly Incoming[] {
  return contexts.map((text) => ({ origin: 'reminder', content: [{ type: 'text', text: `<hook-context event="${event}">\n${text}\n</hook-context>` }] }));
}
