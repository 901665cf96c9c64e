import { type Disposable, Emitter } from '../base/disposable';

/**
 * Which Troupe views are on screen and which of them the person used last. Commands go to that one only:
 * with the sidebar and an editor tab open, "fix this" must not be sent twice.
 */
export class ShownViews {
  /** On screen, the one used last at the end. */
  private order: readonly string[] = [];
  private readonly sessions = new Map<string, string>();
  private lastSession: string | undefined;
  private readonly changed: Emitter<void>;

  constructor(onListenerError: (thrown: unknown) => void) {
    this.changed = new Emitter(onListenerError);
  }

  /** The view came on screen, or the person turned to it. */
  show(viewId: string): void {
    this.order = [...this.order.filter((id) => id !== viewId), viewId];
    this.lastSession = this.sessions.get(viewId) ?? this.lastSession;
    this.changed.fire();
  }

  hide(viewId: string): void {
    this.order = this.order.filter((id) => id !== viewId);
    this.changed.fire();
  }

  noteSession(viewId: string, sessionId: string): void {
    this.sessions.set(viewId, sessionId);
    this.lastSession = sessionId;
    this.changed.fire();
  }

  front(): string | undefined {
    return this.order.at(-1);
  }

  isAnyShown(): boolean {
    return this.order.length > 0;
  }

  /** What the person looks at, or looked at last. */
  session(): string | undefined {
    const front = this.front();
    return (front === undefined ? undefined : this.sessions.get(front)) ?? this.lastSession;
  }

  sessionOf(viewId: string): string | undefined {
    return this.sessions.get(viewId);
  }

  onDidChange(listener: () => void): Disposable {
    return this.changed.on(listener);
  }
}

/** The session a view asks to be sent, read from its `view/subscribe` call. A hint only: the engine checks the call itself. */
export function subscribedSession(message: unknown): string | undefined {
  if (!isRecord(message) || message['kind'] !== 'request' || message['method'] !== 'view/subscribe') return undefined;
  const params = message['params'];
  if (!isRecord(params)) return undefined;
  const sessionId = params['sessionId'];
  return typeof sessionId === 'string' && sessionId !== '' ? sessionId : undefined;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
