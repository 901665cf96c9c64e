import { expect } from 'vitest';
import { type Disposable, Emitter } from '../../../extension/base/disposable';
import type { Engine } from '../../../extension/engine';
import type { Envelope, Transport } from '../../../extension/protocol/envelope';
import { EngineHost } from '../../../extension/vscode/engineHost';
import { ShownViews } from '../../../extension/vscode/shownViews';
import { connectWebview } from '../../../extension/vscode/webviewConnection';
import { verifies } from '../../support/verifies';

const quiet = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const raise = (thrown: unknown): void => {
  throw thrown;
};
const hello = { kind: 'request', id: '1', method: 'hello', params: { protocolVersion: 1 } };
const subscribe = (sessionId: string): unknown => ({ kind: 'request', id: '2', method: 'view/subscribe', params: { sessionId } });
const focusAsk: Envelope = { kind: 'ui', command: { name: 'focusAsk' } };
const reply: Envelope = { kind: 'reply', id: '1', result: {} };

/** A page: what it was sent, what it says, and whether it is on screen. */
class Page {
  readonly received: unknown[] = [];
  readonly failures: string[] = [];
  private readonly messages = new Emitter<unknown>(raise);
  private readonly visibility = new Emitter<void>(raise);
  private visible = true;

  constructor(private readonly viewId: string) {}

  connect(engine: EngineHost, views: ShownViews): Disposable {
    const pipe = { postMessage: async (message: unknown) => this.received.push(message) > 0, onDidReceiveMessage: (listener: (message: unknown) => void) => this.messages.on(listener) };
    return connectWebview(
      { viewId: this.viewId, pipe, isVisible: () => this.visible, onDidChangeVisibility: (listener) => this.visibility.on(listener), showFailure: (message) => this.failures.push(message) },
      { engine, views, log: quiet },
    );
  }

  say(message: unknown): void {
    this.messages.fire(message);
  }

  setVisible(visible: boolean): void {
    this.visible = visible;
    this.visibility.fire();
  }
}

/** The serving side of the engine: what is connected now, and what each connection heard. */
function serving(): { readonly engine: EngineHost; readonly open: Set<Transport>; readonly heard: unknown[]; start: () => void } {
  const open = new Set<Transport>();
  const heard: unknown[] = [];
  let start: () => void = () => undefined;
  const started = new Promise<void>((resolve) => (start = resolve));
  const connect = (transport: Transport): Disposable => {
    open.add(transport);
    const listening = transport.onMessage((message) => heard.push(message));
    return { dispose: () => [open.delete(transport), listening.dispose()] };
  };
  const engine = new EngineHost(async () => {
    await started;
    return { connect } as unknown as Engine;
  });
  return { engine, open, heard, start: () => start() };
}

verifies('workbench:view:early-messages-are-kept', async () => {
  const host = serving();
  const page = new Page('chat');
  page.connect(host.engine, new ShownViews(raise));
  page.say(hello);
  page.say(subscribe('s1'));
  expect(host.heard).toEqual([]);
  host.start();
  await host.engine.get();
  await Promise.resolve();
  expect(host.heard).toEqual([hello, subscribe('s1')]);
});

verifies('workbench:view:hidden-gets-nothing', async () => {
  const host = serving();
  host.start();
  const page = new Page('chat');
  const views = new ShownViews(raise);
  const connection = page.connect(host.engine, views);
  await host.engine.get();
  expect(host.open.size).toBe(0); // not before the page talks
  page.say(hello);
  await host.engine.get();
  const [first] = host.open;
  first?.send(reply);
  page.setVisible(false);
  first?.send(reply);
  page.say(hello);
  expect([page.received.length, host.open.size, views.isAnyShown()]).toEqual([1, 0, false]);

  page.setVisible(true);
  page.say(hello);
  await host.engine.get();
  expect([host.open.size, host.open.has(first!), views.front()]).toEqual([1, false, 'chat']);
  connection.dispose();
  expect([host.open.size, views.isAnyShown()]).toEqual([0, false]);
});

verifies('workbench:view:one-gets-the-command', async () => {
  const host = serving();
  host.start();
  const views = new ShownViews(raise);
  const [sidebar, wide] = [new Page('chat'), new Page('wide')];
  for (const page of [sidebar, wide]) {
    page.connect(host.engine, views);
    page.say(hello);
  }
  await host.engine.get();
  await Promise.resolve();
  for (const transport of host.open) transport.send(focusAsk);
  views.show('chat');
  for (const transport of host.open) transport.send(reply);
  for (const transport of host.open) transport.send(focusAsk);
  expect([sidebar.received, wide.received]).toEqual([
    [reply, focusAsk],
    [focusAsk, reply],
  ]);
});

verifies('workbench:view:failed-start-is-said', async () => {
  const engine = new EngineHost(() => Promise.reject(new Error('The folder /x is gone.')));
  const page = new Page('chat');
  page.connect(engine, new ShownViews(raise));
  page.say(hello);
  await expect(engine.get()).rejects.toThrow();
  await Promise.resolve();
  expect(page.failures).toEqual(['The folder /x is gone.']);
});

verifies('workbench:view:session-in-sight', () => {
  const views = new ShownViews(raise);
  const [sidebar, wide] = [new Page('chat'), new Page('wide')];
  const { engine } = serving();
  expect(views.session()).toBeUndefined();
  sidebar.connect(engine, views);
  wide.connect(engine, views);
  sidebar.say(subscribe('s1'));
  wide.say(subscribe('s2'));
  wide.say({ kind: 'request', id: '3', method: 'view/subscribe', params: { sessionId: null } });
  expect([views.session(), views.sessionOf('chat'), views.sessionOf('wide')]).toEqual(['s2', 's1', 's2']);
  views.show('chat');
  expect(views.session()).toBe('s1');
  sidebar.setVisible(false);
  wide.setVisible(false);
  expect(views.session()).toBe('s1');
});
