import { expect } from 'vitest';
import * as z from 'zod';
import { AgentRunner, type Draft, type RunnerPorts } from '../../../extension/agents/agentRunner';
import type { Incoming, TurnEnd } from '../../../extension/agents/turnLoop';
import { ok } from '../../../extension/base/result';
import { ToolEvents } from '../../../extension/engine/toolEvents';
import { buildRequestBody } from '../../../extension/model/requestBody';
import { createFileStore } from '../../../extension/platform/fileStore';
import type { ModelRequest } from '../../../extension/ports';
import type { UserBlock } from '../../../extension/protocol/content';
import { emptyView } from '../../../extension/protocol/reduceView';
import { EventLog } from '../../../extension/session/eventLog';
import { History } from '../../../extension/session/history';
import { defineTool, text } from '../../../extension/tools/defineTool';
import { FileState } from '../../../extension/tools/fileState';
import { createToolRegistry } from '../../../extension/tools/registry';
import { runToolCalls } from '../../../extension/tools/scheduler';
import { refuse } from '../../support/anthropicServerRules';
import { serverModel } from '../../support/anthropicServerModels';
import { createThinkingLedger } from '../../support/anthropicServerThinking';
import { createManualClock } from '../../support/manualClock';
import { createScriptedModel, type ScriptedModel, type ScriptedReply } from '../../support/scriptedModel';

export interface World {
  readonly runner: AgentRunner;
  readonly model: ScriptedModel;
  readonly log: EventLog;
  readonly history: History;
  readonly ends: readonly TurnEnd[];
  readonly problems: readonly string[];
  readonly request: () => ModelRequest;
  /** Submits, and resolves when the agent has nothing left to do. */
  readonly send: (text: string, steer?: boolean) => Promise<TurnEnd | undefined>;
  /** Types of the durable events since the last call, the agent's context left out. */
  readonly types: () => readonly string[];
}

export interface WorldOptions {
  readonly script?: readonly ScriptedReply[];
  /** Told at every point where something else could happen. */
  readonly onPoint?: (name: string) => void | Promise<void>;
  readonly ports?: Partial<RunnerPorts>;
}

/** A model on which a conversation must end with the person: the strictest there is. */
export const strictModel = 'claude-sonnet-4-6';

/** One agent with a scripted model; its log, history, scheduler and one tool are real, permission is always given. */
export function createWorld({ script = [], onPoint = () => undefined, ports = {} }: WorldOptions = {}): World {
  const clock = createManualClock();
  const model = createScriptedModel(script, { onPoint });
  const log = new EventLog({ append: () => undefined, sync: () => undefined }, clock.nowMs, { view: emptyView('s'), events: [], onListenerError: (thrown) => { throw thrown; } });
  const history = new History('main');
  log.on((event) => { if ('seq' in event) history.add(event); });
  const tools = createToolRegistry([echoTool(onPoint)]);
  const request = (): ModelRequest => ({ model: strictModel, system: ['You help.'], tools: tools.schemas(), messages: history.messages() });
  const ends: TurnEnd[] = [];
  const problems: string[] = [];
  let told = false;
  const opening = async (): Promise<readonly Incoming[]> => {
    await onPoint('context');
    if (told) return [];
    told = true;
    return [{ origin: 'context', content: [{ type: 'text', text: 'Today is Monday.' }] }];
  };
  const runner = new AgentRunner({
    agentId: 'main', nowMs: clock.nowMs, append: (event) => log.append(event), live: (event) => log.live(event), request, client: () => model, maxReplies: undefined,
    openCalls: () => history.openCalls().notStarted,
    runCalls: async (calls, turn) => {
      await onPoint('before the calls');
      await runToolCalls({
        calls, tools, clock, store: createFileStore(), outputsDir: '/nowhere', signal: turn.signal, listener: new ToolEvents(log, { agentId: 'main', turnId: turn.turnId }),
        broker: { agentPath: ['main'], derive: () => { throw new Error('no children'); }, decide: async () => ({ behavior: 'allow', updatedInput: undefined, explanation: { decision: 'allow', reason: 'test' }, by: 'rule' }) },
        context: (call) => ({ sessionId: 's', agentId: 'main', callId: call.id, cwd: '/', projectRoot: '/', workingDirs: ['/'], mode: 'default', signal: turn.signal, files: new FileState(), output: () => undefined, spawned: () => undefined }),
      });
      await onPoint('after the calls');
    },
    endsWithReply: () => history.endsWithReply,
    queue: () => log.view.queue,
    compose: async (draft: Draft) => {
      await onPoint('compose');
      return draft.text.startsWith('/nope') ? { ok: false, problem: 'There is no skill /nope.' } : ok([{ origin: 'person', content: [{ type: 'text', text: draft.text }] }]);
    },
    context: opening,
    takeSaid: async () => { await onPoint('between steps'); return []; },
    onProblem: (message, draft) => problems.push(`${draft?.text}: ${message}`),
    onTurnEnd: (end) => ends.push(end),
    ...ports,
  });
  let seen = 0;
  return {
    runner, model, log, history, ends, problems, request,
    send: (words, steer = false) => { runner.submit({ text: words, attachments: [] }, steer); return runner.settled(); },
    types: () => {
      const fresh = log.events.slice(seen);
      seen = log.events.length;
      return fresh.filter((event) => !(event.type === 'message/received' && event.origin === 'context')).map((event) => event.type);
    },
  };
}

function echoTool(onPoint: (name: string) => void | Promise<void>) {
  return defineTool({
    name: 'Echo', description: 'Says it back.', kind: 'other', input: z.object({ say: z.string() }), readOnly: false, title: ({ say }) => say, describe: ({ say }) => ({ title: `say ${say}` }),
    run: async ({ say }) => {
      await onPoint('in the call');
      return text(say);
    },
  });
}

/** Throws with the API's words when the next request would be refused. */
export function expectAccepted(request: ModelRequest): void {
  expect(refuse(buildRequestBody(request), { version: '2023-06-01', betas: [], models: [serverModel(request.model)], ledger: createThinkingLedger(true), counting: false })).toBeUndefined();
}

/** The texts of a conversation, for short comparisons. */
export function wordsOf(request: ModelRequest): readonly string[] {
  return request.messages.flatMap((message) => message.content.map((block) => (block.type === 'text' ? block.text : block.type === 'tool_result' ? resultText(block) : block.type)));
}

function resultText(block: Extract<UserBlock, { type: 'tool_result' }>): string {
  return `result: ${typeof block.content === 'string' ? block.content : block.content.length}`;
}
