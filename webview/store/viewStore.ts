import { errorText } from '../../extension/base/errorText';
import { mainAgentId } from '../../extension/base/ids';
import type { Transport, UiCommand } from '../../extension/protocol/envelope';
import type { UiEvent } from '../../extension/protocol/events';
import { isEphemeral } from '../../extension/protocol/isEphemeral';
import type { MethodName, MethodResult, Params } from '../../extension/protocol/methods';
import { protocolVersion } from '../../extension/protocol/protocolVersion';
import { reduceView } from '../../extension/protocol/reduceView';
import { RpcClient } from '../../extension/protocol/rpc';
import type { View, WorkspaceView } from '../../extension/protocol/view';
import { Observable } from './observable';

export interface AppState {
  readonly phase: 'connecting' | 'ready' | 'failed';
  /** Why `phase` is `failed`. */
  readonly problem: string | undefined;
  readonly workspace: WorkspaceView | undefined;
  readonly view: View | undefined;
  /** Whose conversation is shown. */
  readonly agentId: string;
  /** The last call that failed, for the line above the composer. */
  readonly callProblem: string | undefined;
}

interface EventBatch {
  readonly sessionId: string;
  readonly fromSeq: number;
  readonly events: readonly UiEvent[];
}

export interface ViewStoreOptions {
  readonly transport: Transport;
  /** Runs a notification soon; in the page once per animation frame, so that many envelopes make one render. */
  readonly schedule: (run: () => void) => void;
  readonly onCommand: (command: UiCommand) => void;
}

const start: AppState = { phase: 'connecting', problem: undefined, workspace: undefined, view: undefined, agentId: mainAgentId, callProblem: undefined };

/** The page's copy of one session. Folds what the host sends; a gap in `seq` fetches a snapshot, never a guess. */
export class ViewStore extends Observable<AppState> {
  private readonly rpc: RpcClient;
  private scheduled = false;
  /** Events that arrive while a snapshot is on its way; undefined when none is. */
  private held: EventBatch[] | undefined;

  constructor(private readonly options: ViewStoreOptions) {
    super(start);
    this.rpc = new RpcClient(options.transport, (envelope) => {
      if (envelope.kind === 'events') this.receive(envelope);
      else if (envelope.kind === 'workspace') this.change({ workspace: envelope.workspace });
      else options.onCommand(envelope.command);
    });
  }

  call<M extends MethodName>(method: M, params: Params<M>): Promise<MethodResult<M>> {
    return this.rpc.call(method, params);
  }

  /** Says hello and shows `fixed`, the session of an editor tab; else the folder's current session, best the one shown last. */
  async start({ fixed, last }: { readonly fixed?: string | undefined; readonly last?: string | undefined } = {}): Promise<void> {
    this.change({ phase: 'connecting', problem: undefined });
    try {
      const hello = await this.call('hello', { protocolVersion });
      if (hello.protocolVersion !== protocolVersion) {
        this.change({ phase: 'failed', problem: 'This view is from another version of Troupe. Reload the window to bring both to the same one.' });
        return;
      }
      this.change({ workspace: hello.workspace });
      const opened = (fixed && (await this.resume(fixed))) || (await this.call('session/current', last === undefined ? {} : { preferred: last }));
      await this.show(opened.view);
    } catch (thrown) {
      this.change({ phase: 'failed', problem: errorText(thrown) });
    }
  }

  async openSession(sessionId: string): Promise<void> {
    await this.show((await this.call('session/resume', { sessionId })).view);
  }

  async newSession(): Promise<void> {
    await this.show((await this.call('session/start', {})).view);
  }

  /** Only the shown agent's text is streamed; the rest of a running reply comes with a snapshot. */
  async showAgent(agentId: string): Promise<void> {
    const { view } = this.get();
    if (!view || agentId === this.get().agentId) return;
    this.change({ agentId });
    await this.call('view/subscribe', { sessionId: view.session.sessionId, agentId });
    if (view.agents[agentId]?.status === 'working') await this.refetch();
  }

  report(callProblem: string | undefined): void {
    this.change({ callProblem });
  }

  dispose(): void {
    this.rpc.dispose();
  }

  private async resume(sessionId: string): Promise<MethodResult<'session/resume'> | undefined> {
    try {
      return await this.call('session/resume', { sessionId });
    } catch (thrown) {
      this.report(`The session shown last could not be opened again (${errorText(thrown)}). This is the current one.`);
      return undefined;
    }
  }

  private async show(view: View): Promise<void> {
    this.change({ phase: 'ready', view, agentId: mainAgentId });
    await this.call('view/subscribe', { sessionId: view.session.sessionId, agentId: mainAgentId });
  }

  private receive(batch: EventBatch): void {
    const { view } = this.get();
    if (batch.sessionId !== view?.session.sessionId) return;
    if (this.held) {
      this.held.push(batch);
      return;
    }
    const folded = fold(view, batch);
    this.change({ view: folded.view });
    if (folded.gap) void this.refetch();
  }

  private async refetch(): Promise<void> {
    const sessionId = this.get().view?.session.sessionId;
    if (!sessionId || this.held) return;
    this.held = [];
    try {
      const { view } = await this.call('session/snapshot', { sessionId });
      if (this.get().view?.session.sessionId === sessionId) this.change({ view });
    } catch (thrown) {
      this.report(`This view may be behind: ${errorText(thrown)}`);
    }
    const held: readonly EventBatch[] = this.held;
    this.held = undefined;
    for (const batch of held) this.receive(batch);
  }

  private change(part: Partial<AppState>): void {
    this.replace({ ...this.get(), ...part });
    if (this.scheduled) return;
    this.scheduled = true;
    this.options.schedule(() => {
      this.scheduled = false;
      this.notify();
    });
  }
}

/** Events already folded in are passed over; `gap` says that something before these is missing. */
function fold(view: View, batch: EventBatch): { view: View; gap: boolean } {
  if (batch.fromSeq > view.seq) return { view, gap: true };
  let next = view;
  for (const event of batch.events) {
    if (isEphemeral(event)) {
      if (event.afterSeq <= next.seq) next = reduceView(next, event);
    } else if (event.seq > next.seq + 1) return { view: next, gap: true };
    else if (event.seq === next.seq + 1) next = reduceView(next, event);
  }
  return { view: next, gap: false };
}
