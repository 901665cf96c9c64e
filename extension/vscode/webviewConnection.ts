import type { Disposable } from '../base/disposable';
import { errorText } from '../base/errorText';
import type { Log } from '../ports';
import type { EngineHost } from './engineHost';
import { type MessagePipe, PostMessageTransport } from './postMessageTransport';
import { type ShownViews, subscribedSession } from './shownViews';

export interface ConnectedWebview {
  readonly viewId: string;
  readonly pipe: MessagePipe;
  readonly isVisible: () => boolean;
  readonly onDidChangeVisibility: (listener: () => void) => Disposable;
  /** The engine did not start; `message` is fit for a person. */
  readonly showFailure: (message: string) => void;
}

/**
 * Connects a webview to the engine while it is on screen. VS Code drops a hidden page and loads it anew when shown,
 * so each time on screen is a connection of its own and a hidden view is sent nothing.
 */
export function connectWebview(view: ConnectedWebview, deps: { readonly engine: EngineHost; readonly views: ShownViews; readonly log: Log }): Disposable {
  let connection: Disposable | undefined;
  const update = (): void => {
    if (view.isVisible() === (connection !== undefined)) return;
    connection?.dispose();
    connection = view.isVisible() ? openConnection(view, deps) : undefined;
  };
  const watching = view.onDidChangeVisibility(update);
  update();
  return {
    dispose: () => {
      watching.dispose();
      connection?.dispose();
      connection = undefined;
    },
  };
}

function openConnection(view: ConnectedWebview, deps: { readonly engine: EngineHost; readonly views: ShownViews; readonly log: Log }): Disposable {
  const { engine, views, log } = deps;
  const { viewId } = view;
  let served: Disposable | undefined;
  let isClosed = false;
  let isAsked = false;
  let hasFailed = false;

  const fail = (thrown: unknown): void => {
    if (hasFailed) return;
    hasFailed = true;
    log.error(`Troupe could not start: ${errorText(thrown)}`);
    if (!isClosed) view.showFailure(errorText(thrown));
  };
  const serve = (): void => {
    if (isAsked || hasFailed) return;
    isAsked = true;
    engine.get().then((running) => {
      if (!isClosed) served = running.connect(transport);
    }, fail);
  };
  const transport = new PostMessageTransport(view.pipe, {
    accepts: (envelope) => envelope.kind !== 'ui' || views.front() === viewId,
    onReceive: (message) => {
      const sessionId = subscribedSession(message);
      if (sessionId !== undefined) views.noteSession(viewId, sessionId);
      // Connecting only once the page talks: what the engine sends first must find a page that listens.
      serve();
    },
  });
  views.show(viewId);
  engine.get().catch(fail); // starts it while the page loads
  return {
    dispose: () => {
      isClosed = true;
      served?.dispose();
      transport.dispose();
      views.hide(viewId);
    },
  };
}
