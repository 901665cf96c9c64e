import { errorText } from '../../extension/base/errorText';
import { mainAgentId } from '../../extension/base/ids';
import type { Attachment, PlanReply, QuestionReply } from '../../extension/protocol/interaction';
import { commandIn, type LocalOutcome } from '../../extension/protocol/localCommand';
import type { MethodName, MethodResult, Params } from '../../extension/protocol/methods';
import type { PermissionDecision, PermissionMode } from '../../extension/protocol/permission';
import { workingAgents } from './selectors';
import type { UiStateStore } from './uiState';
import type { ViewStore } from './viewStore';

export interface Message {
  readonly text: string;
  readonly attachments: readonly Attachment[];
  readonly steer: boolean;
}

export type Actions = ReturnType<typeof createActions>;

/** Everything a person can make happen. A call that fails is reported above the composer, never swallowed. */
export function createActions(store: ViewStore, ui: UiStateStore) {
  const attempt = async <T>(run: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await run();
    } catch (thrown) {
      store.report(errorText(thrown));
      return undefined;
    }
  };
  const call = <M extends MethodName>(method: M, params: Params<M>): Promise<MethodResult<M> | undefined> => attempt(() => store.call(method, params));
  const sessionId = (): string => store.get().view?.session.sessionId ?? '';
  const here = (): { sessionId: string; agentId: string } => ({ sessionId: sessionId(), agentId: store.get().agentId });
  const remember = (): void => ui.change({ sessionId: sessionId(), selectedCallId: undefined, tab: 'chat' });

  /** Shows what came of a local command. @returns false when the draft must stay */
  const followed = async (outcome: LocalOutcome, name: string): Promise<boolean> => {
    ui.change({ said: undefined });
    if (outcome.kind === 'unknown') {
      const near = outcome.near.length === 0 ? 'Type / to see what there is' : `Did you mean ${outcome.near.map((one) => `/${one}`).join(' or ')}?`;
      store.report(`There is no command /${name}. ${near}${outcome.near.length === 0 ? '.' : ''} To send it as text, put a blank before it.`);
      return false;
    }
    if (outcome.kind === 'done') ui.change({ said: outcome.text });
    else if (outcome.kind === 'page') ui.change({ page: outcome.page, tab: 'chat', announcement: outcome.page.title });
    else if (outcome.kind === 'go') await went(outcome.to);
    return true;
  };
  const went = async (to: Extract<LocalOutcome, { kind: 'go' }>['to']): Promise<void> => {
    if (to === 'permissions') ui.change({ page: 'permissions', tab: 'chat' });
    else if (to === 'sessions') ui.change({ tab: 'agents' });
    else if (to === 'setUp') ui.change({ setupOpen: true, tab: 'chat' });
    else {
      await attempt(() => store.newSession());
      remember();
    }
  };

  return {
    call,
    reconnect: () => store.start({ last: ui.get().sessionId }),
    dismissProblem: () => store.report(undefined),
    newSession: async () => {
      await attempt(() => store.newSession());
      remember();
    },
    openSession: async (id: string) => {
      await attempt(() => store.openSession(id));
      remember();
    },
    deleteSession: async (id: string) => {
      const isShown = id === sessionId();
      if (!(await call('session/delete', { sessionId: id })) || !isShown) return;
      await attempt(() => store.newSession());
      remember();
    },
    showAgent: (agentId: string) => attempt(() => store.showAgent(agentId)),
    /** @returns whether the engine took it; if not, the draft must stay. */
    submit: async ({ text, attachments, steer }: Message): Promise<boolean> => {
      const command = attachments.length === 0 && here().agentId === mainAgentId ? commandIn(text) : undefined;
      if (command) {
        const outcome = await call('command/run', { sessionId: sessionId(), ...command });
        if (outcome?.kind !== 'prompt') return outcome !== undefined && followed(outcome, command.name);
      }
      ui.change({ said: undefined, page: undefined });
      const reply = await call('turn/submit', { ...here(), text, attachments: [...attachments], ...(steer ? { steer } : {}) });
      return reply !== undefined;
    },
    unqueue: async (queueId: string) => (await call('turn/unqueue', { sessionId: sessionId(), queueId }))?.text,
    interrupt: () => call('turn/interrupt', here()),
    resume: () => call('turn/resume', here()),
    /** In one step, since `redoTurn` takes it back; what it did comes as an event. */
    undoTurn: async (turnId: string) => {
      const report = await call('turn/undo', { sessionId: sessionId(), turnId });
      if (report?.problem !== undefined) store.report(report.problem);
      else if (report) ui.change({ announcement: `Turn undone. Files put back: ${report.restored.length}. Left as they are: ${report.skipped.length}.` });
    },
    redoTurn: async (turnId: string, backup: string) => {
      const report = await call('turn/redo', { sessionId: sessionId(), turnId, backup });
      if (report?.problem !== undefined) store.report(report.problem);
      else if (report) ui.change({ announcement: `Undo taken back. Files changed: ${report.restored.length}.` });
    },
    stopAgent: (agentId: string) =>
      agentId === mainAgentId ? call('turn/interrupt', { sessionId: sessionId(), agentId }) : call('agent/stop', { sessionId: sessionId(), agentId }),
    stopAll: async () => {
      const { view } = store.get();
      if (!view) return;
      await Promise.all(
        workingAgents(view).map(({ agentId }) =>
          agentId === mainAgentId ? call('turn/interrupt', { sessionId: sessionId(), agentId }) : call('agent/stop', { sessionId: sessionId(), agentId }),
        ),
      );
    },
    /** @returns false when somebody else was faster or the call failed. */
    decide: async (requestId: string, decision: PermissionDecision) => (await call('permission/reply', { sessionId: sessionId(), requestId, decision }))?.accepted,
    answer: async (requestId: string, reply: QuestionReply) => (await call('question/reply', { sessionId: sessionId(), requestId, reply }))?.accepted,
    replyToPlan: async (requestId: string, reply: PlanReply) => (await call('plan/reply', { sessionId: sessionId(), requestId, reply }))?.accepted,
    setMode: (mode: PermissionMode) => call('session/setMode', { sessionId: sessionId(), mode }),
    setModel: (model: string) => call('session/setModel', { sessionId: sessionId(), model }),
    openFile: (path: string, line?: number) => call('file/open', line === undefined ? { path } : { path, line }),
    openDiff: (callId: string) => call('file/openDiff', { sessionId: sessionId(), callId }),
    openLink: (url: string) => call('link/open', { url }),
    openSetup: (setupOpen: boolean) => ui.change({ setupOpen }),
    dismissNotice: (noticeId: string) => call('notice/dismiss', { sessionId: sessionId(), noticeId }),
  };
}
