import { mainAgentId } from '../../extension/base/ids';
import type { Envelope, Transport, UiCommand } from '../../extension/protocol/envelope';
import type { DurableBody, EphemeralEvent, UiEvent } from '../../extension/protocol/events';
import { type MethodName, type MethodResult, methods, type Params } from '../../extension/protocol/methods';
import { protocolVersion } from '../../extension/protocol/protocolVersion';
import { emptyView, reduceView } from '../../extension/protocol/reduceView';
import type { View, WorkspaceView } from '../../extension/protocol/view';
import type { PageHost } from './pageHost';

type Answer<M extends MethodName> = (params: Params<M>) => MethodResult<M> | Promise<MethodResult<M>>;
type Answers = { [M in MethodName]?: Answer<M> };
interface Call {
  readonly method: MethodName;
  readonly params: unknown;
}

export const readyWorkspace: WorkspaceView = {
  sessions: [],
  model: { state: 'ready', provider: 'anthropic', model: 'opus', label: 'Opus', contextTokens: 200_000, baseUrl: undefined },
  editor: { file: undefined, selection: undefined, problemCount: 0 },
  trusted: true,
  skillCount: 0,
  problemCount: 0,
  worktrees: { worktrees: [], trash: [] },
};

/** An engine played in memory: it numbers and folds events as the real one does, and answers calls as scripted. For tests and for the page in a plain browser. */
export class FakeHost implements PageHost {
  readonly calls: Call[] = [];
  view: View;
  workspace: WorkspaceView = readyWorkspace;
  private readonly listeners = new Set<(message: unknown) => void>();
  private readonly answers: Answers = { 'command/run': ({ name }) => (name === 'permissions' ? { kind: 'go', to: 'permissions' } : { kind: 'prompt' }) };
  private saved: unknown;

  readonly transport: Transport = {
    send: (envelope) => void this.receive(envelope),
    onMessage: (listener) => {
      this.listeners.add(listener);
      return { dispose: () => this.listeners.delete(listener) };
    },
  };

  constructor(sessionId = 'session-1') {
    this.view = emptyView(sessionId);
    this.append({ type: 'session/started', sessionId, projectRoot: '/repo', cwd: '/repo', model: 'demo', mode: 'default', version: '0' });
  }

  readonly loadState = (): unknown => this.saved;
  readonly saveState = (state: unknown): void => {
    this.saved = state;
  };

  answer<M extends MethodName>(method: M, answer: Answer<M>): void {
    Object.assign(this.answers, { [method]: answer });
  }

  /** Folds the event without sending it: the page has missed it. */
  append(body: DurableBody): UiEvent {
    const event: UiEvent = { ...body, seq: this.view.seq + 1, atMs: Date.now() };
    this.view = reduceView(this.view, event);
    return event;
  }

  emit(...bodies: DurableBody[]): void {
    const fromSeq = this.view.seq;
    this.sendEvents(
      fromSeq,
      bodies.map((body) => this.append(body)),
    );
  }

  emitLive(...events: (EphemeralEvent extends infer E ? (E extends EphemeralEvent ? Omit<E, 'afterSeq'> : never) : never)[]): void {
    const full = events.map((event): EphemeralEvent => ({ ...event, afterSeq: this.view.seq }));
    for (const event of full) this.view = reduceView(this.view, event);
    this.sendEvents(this.view.seq, full);
  }

  sendEvents(fromSeq: number, events: UiEvent[]): void {
    this.send({ kind: 'events', sessionId: this.view.session.sessionId, fromSeq, events });
  }

  sendWorkspace(change: Partial<WorkspaceView>): void {
    this.workspace = { ...this.workspace, ...change };
    this.send({ kind: 'workspace', workspace: this.workspace });
  }

  command(command: UiCommand): void {
    this.send({ kind: 'ui', command });
  }

  private send(envelope: Envelope): void {
    for (const listener of this.listeners) listener(structuredClone(envelope));
  }

  private async receive(envelope: Envelope): Promise<void> {
    if (envelope.kind !== 'request' || !isMethod(envelope.method)) return;
    this.calls.push({ method: envelope.method, params: envelope.params });
    try {
      this.send({ kind: 'reply', id: envelope.id, result: await this.reply(envelope.method, envelope.params) });
    } catch (thrown) {
      this.send({ kind: 'reply', id: envelope.id, error: { code: 'internal', message: thrown instanceof Error ? thrown.message : String(thrown) } });
    }
  }

  private reply<M extends MethodName>(method: M, raw: unknown): unknown {
    const parsed = methods[method].params.safeParse(raw);
    if (!parsed.success) throw new Error(`${method}: ${parsed.error.message}`);
    const scripted = this.answers[method];
    if (scripted) return scripted(parsed.data as Params<M>); // parsed by this very row
    return this.plain(method);
  }

  private plain(method: MethodName): unknown {
    const session = { sessionId: this.view.session.sessionId, view: this.view };
    const results: Partial<Record<MethodName, unknown>> = {
      hello: { protocolVersion, workspace: this.workspace },
      'session/start': session,
      'session/resume': session,
      'session/current': session,
      'session/snapshot': { view: this.view },
      'turn/unqueue': { text: '' },
      'permission/reply': { accepted: true },
      'question/reply': { accepted: true },
      'plan/reply': { accepted: true },
      'skill/list': { skills: [] },
      'file/search': { files: [], cut: false },
      'editor/attachment': { attachment: null },
      'context/report': {
        usedTokens: 42_000,
        limitTokens: 200_000,
        compactsAtTokens: 160_000,
        parts: [
          { kind: 'tools', label: 'Tools', tokens: 9000 },
          { kind: 'files', label: 'Files read', tokens: 33_000 },
        ],
      },
      'model/list': { models: [] },
      'model/probe': { models: [] },
      'worktree/branches': { current: 'main', branches: ['main'] },
      'worktree/preview': { branch: 'main', files: [], isDirty: false, isFastForward: true, conflicts: [] },
    };
    return results[method] ?? {};
  }
}

function isMethod(name: string): name is MethodName {
  return Object.hasOwn(methods, name);
}

/** `esbuild --dev` in a plain browser: an echo that streams, so that the page can be worked on without VS Code. */
export function demoHost(): PageHost {
  const host = new FakeHost();
  host.workspace = { ...host.workspace, model: { state: 'ready', provider: 'demo', model: 'demo', label: 'Demo model', contextTokens: 200_000, baseUrl: undefined } };
  let turn = 0;
  host.answer('turn/submit', ({ text }) => {
    const ids = { agentId: mainAgentId, turnId: `turn-${++turn}` };
    const messageId = `reply-${turn}`;
    host.emit(
      { type: 'turn/started', ...ids },
      { type: 'message/received', ...ids, messageId: `ask-${turn}`, role: 'user', origin: 'person', content: [{ type: 'text', text }] },
      { type: 'message/started', ...ids, messageId, model: 'demo' },
    );
    const reply = `You wrote:\n\n> ${text}\n\nThis page runs without an engine, so that is all there is.`;
    let sent = 0;
    const timer = setInterval(() => {
      const piece = reply.slice(sent, sent + 6);
      if (piece !== '') host.emitLive({ type: 'message/delta', agentId: mainAgentId, messageId, block: 0, kind: 'text', offset: sent, text: piece });
      sent += piece.length;
      if (sent < reply.length) return;
      clearInterval(timer);
      host.emit(
        { type: 'message/completed', ...ids, messageId, role: 'assistant', content: [{ type: 'text', text: reply }], model: 'demo', stopReason: 'end_turn', usage: {}, costUsd: 0 },
        { type: 'turn/completed', ...ids, stop: 'done', usage: {}, costUsd: 0, durationMs: 1000 },
      );
    }, 33);
    return {};
  });
  return host;
}
