import { expect } from 'vitest';
import type { DurableBody } from '../../../extension/protocol/events';
import { milestone } from '../../../webview/store/milestones';
import { emptyDraft, UiStateStore } from '../../../webview/store/uiState';
import { ViewStore } from '../../../webview/store/viewStore';
import { FakeHost } from '../../../webview/transport/fakeTransport';
import { verifies } from '../../support/verifies';

const turnId = 't1';

function said(id: string): DurableBody {
  return { type: 'message/received', agentId: 'main', turnId, messageId: id, role: 'user', origin: 'person', content: [{ type: 'text', text: id }] };
}

async function startStore(host: FakeHost): Promise<{ store: ViewStore; frames: (() => void)[] }> {
  const frames: (() => void)[] = [];
  const store = new ViewStore({ transport: host.transport, schedule: (run) => frames.push(run), onCommand: () => undefined });
  await store.start();
  return { store, frames };
}

const shown = (store: ViewStore): string[] => (store.get().view?.conversations['main'] ?? []).map((entry) => entry.id);

verifies(
  'webview:fold:once',
  async () => {
    const host = new FakeHost();
    const { store } = await startStore(host);
    const events = [host.append(said('a')), host.append(said('b'))];
    host.sendEvents(1, events);
    host.sendEvents(1, events);
    expect(shown(store)).toEqual(['a', 'b']);
    expect(store.get().view?.seq).toBe(3);
  },
  { case: 'the same events twice' },
);

verifies(
  'webview:fold:once',
  async () => {
    const host = new FakeHost();
    const { store } = await startStore(host);
    host.emit({ type: 'message/started', agentId: 'main', turnId, messageId: 'm1', model: 'opus' });
    const delta = { type: 'message/delta', agentId: 'main', messageId: 'm1', block: 0, kind: 'text', afterSeq: 2 } as const;
    host.sendEvents(2, [
      { ...delta, offset: 0, text: 'One' },
      { ...delta, offset: 9, text: 'lost before this' },
      { ...delta, offset: 3, text: ' two' },
      { ...delta, offset: 3, text: ' two' },
    ]);
    expect(store.get().view?.streaming['main']?.blocks.map((b) => b.text)).toEqual(['One two']);
  },
  { case: 'pieces of a stream' },
);

verifies(
  'webview:gap:snapshot',
  async () => {
    const host = new FakeHost();
    const { store } = await startStore(host);
    let release: (() => void) | undefined;
    host.answer('session/snapshot', () => {
      const { view } = host;
      return new Promise((resolve) => {
        release = () => resolve({ view });
      });
    });
    host.append(said('lost'));
    host.emit(said('seen'));
    host.emit(said('while it is on its way'));
    expect(shown(store)).toEqual([]);
    release?.();
    await new Promise((resolve) => setImmediate(resolve));
    expect(shown(store)).toEqual(['lost', 'seen', 'while it is on its way']);
  },
  { case: 'events that arrive while the snapshot is on its way' },
);

verifies(
  'webview:stream:in-place',
  async () => {
    const host = new FakeHost();
    const { store, frames } = await startStore(host);
    for (const run of frames.splice(0)) run();
    let notified = 0;
    store.subscribe(() => notified++);
    for (let i = 0; i < 50; i++) host.emit(said(`m${i}`));
    expect([frames.length, notified]).toEqual([1, 0]);
    for (const run of frames.splice(0)) run();
    expect(notified).toBe(1);
  },
  { case: 'many envelopes, one notification for each frame' },
);

verifies(
  'webview:gap:snapshot',
  async () => {
    const host = new FakeHost();
    host.answer('hello', () => {
      throw new Error('The engine is not ready.');
    });
    const { store } = await startStore(host);
    expect([store.get().phase, store.get().problem]).toEqual(['failed', 'The engine is not ready.']);
  },
  { case: 'a start that fails says why' },
);

verifies(
  'webview:announce:milestones',
  () => {
    const host = new FakeHost();
    host.append({ type: 'turn/started', agentId: 'main', turnId });
    const working = host.view;
    host.append(said('a'));
    const talking = host.view;
    host.append({ type: 'turn/completed', agentId: 'main', turnId, stop: 'error', usage: {}, costUsd: 0, durationMs: 1 });
    expect([milestone(working, talking), milestone(talking, host.view)]).toEqual([undefined, 'lead failed.']);
  },
  { case: 'of one step' },
);

verifies('webview:state:parsed', () => {
  const saved: unknown[] = [];
  const ui = new UiStateStore({ tab: 'no such tab', drafts: 3 }, (state) => saved.push(state));
  expect(ui.get()).toMatchObject({ tab: 'chat', drafts: {} });
  const file = { kind: 'file', path: '/a' } as const;
  ui.setDraft('s/main', { text: 'hi', attachments: [file, { kind: 'image', name: 'p', mediaType: 'image/png', data: 'AAAA' }] });
  expect(saved.at(-1)).toEqual({ sessionId: undefined, tab: 'chat', anchors: {}, reviewed: {}, drafts: { 's/main': { text: 'hi', attachments: [file] } } });
  expect(new UiStateStore(JSON.parse(JSON.stringify(saved.at(-1))), () => undefined).get().drafts).toEqual({ 's/main': { text: 'hi', attachments: [file] } });
  expect(new UiStateStore({ tab: 'agents', drafts: {}, anchors: {} }, () => undefined).get()).toMatchObject({ tab: 'agents', reviewed: {} });
  ui.setReviewed('fox@1', ['modified +1 -0 a.ts']);
  expect(saved.at(-1)).toMatchObject({ reviewed: { 'fox@1': ['modified +1 -0 a.ts'] } });
  ui.setReviewed('fox@1', []);
  expect(saved.at(-1)).toMatchObject({ reviewed: {} });
  ui.setDraft('s/main', emptyDraft);
  expect(ui.get().drafts).toEqual({});
});
