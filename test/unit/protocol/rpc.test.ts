import { expect } from 'vitest';
import { CallError } from '../../../extension/protocol/callError';
import type { Envelope, Transport } from '../../../extension/protocol/envelope';
import type { Caller, Handlers } from '../../../extension/protocol/methods';
import { RpcClient } from '../../../extension/protocol/rpc';
import { serve } from '../../../extension/protocol/serve';
import { verifies } from '../../support/verifies';

/** Two ends of one pipe; what is sent arrives as JSON would bring it. */
function pipe(): { readonly front: Transport; readonly back: Transport; readonly raw: (message: unknown) => void; readonly sent: Envelope[] } {
  const listeners = { front: new Set<(message: unknown) => void>(), back: new Set<(message: unknown) => void>() };
  const sent: Envelope[] = [];
  const tell = (to: 'front' | 'back', message: unknown): void => {
    const copy: unknown = JSON.parse(JSON.stringify(message));
    for (const listener of listeners[to]) listener(copy);
  };
  const end = (own: 'front' | 'back', other: 'front' | 'back'): Transport => ({
    send: (envelope) => {
      if (own === 'back') sent.push(envelope);
      tell(other, envelope);
    },
    onMessage: (listener) => {
      listeners[own].add(listener);
      return { dispose: () => listeners[own].delete(listener) };
    },
  });
  return { front: end('front', 'back'), back: end('back', 'front'), raw: (message) => tell('back', message), sent };
}

const caller: Caller = { viewId: 'v', subscribe: () => undefined };
const only = (handlers: Partial<Handlers>): Handlers => handlers as Handlers;
const failure = async (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'no failure',
    (thrown) => (thrown instanceof CallError ? `${thrown.code}: ${thrown.message}` : `not a CallError: ${String(thrown)}`),
  );

verifies('protocol:rpc:round-trip', async () => {
  const { front, back } = pipe();
  const subscribed: unknown[] = [];
  serve(back, only({
    'turn/unqueue': async ({ queueId }) => ({ text: `took ${queueId}` }),
    'view/subscribe': async ({ sessionId }, who) => {
      who.subscribe(sessionId === null ? undefined : { sessionId, agentId: who.viewId });
      return {};
    },
  }), { ...caller, subscribe: (target) => subscribed.push(target) });
  const client = new RpcClient(front, () => undefined);
  const both = await Promise.all([client.call('turn/unqueue', { sessionId: 's', queueId: 'a' }), client.call('turn/unqueue', { sessionId: 's', queueId: 'b' })]);
  expect(both).toEqual([{ text: 'took a' }, { text: 'took b' }]);
  await client.call('view/subscribe', { sessionId: 's' });
  expect(subscribed).toEqual([{ sessionId: 's', agentId: 'v' }]);
});

verifies('protocol:rpc:round-trip', () => {
  const { front, back } = pipe();
  const told: string[] = [];
  new RpcClient(front, (envelope) => told.push(envelope.kind));
  back.send({ kind: 'ui', command: { name: 'focusAsk' } });
  back.send({ kind: 'events', sessionId: 's', fromSeq: 0, events: [] });
  back.send({ kind: 'reply', id: 'nobody asked', result: 1 });
  expect(told).toEqual(['ui', 'events']);
}, { case: 'what is no reply goes to the listener, stray replies to nobody' });

verifies('protocol:rpc:errors', async () => {
  const { front, back } = pipe();
  serve(back, only({
    'session/resume': async () => { throw new CallError('readOnly', 'Another window works on this session.'); },
    'session/delete': async () => { throw new Error('a bug'); },
  }), caller);
  const client = new RpcClient(front, () => undefined);
  expect(await failure(client.call('session/resume', { sessionId: 's' }))).toBe('readOnly: Another window works on this session.');
  expect(await failure(client.call('session/delete', { sessionId: 's' }))).toBe('internal: a bug');
  expect(await failure(client.call('session/rename', { sessionId: 's', title: '' }))).toMatch(/^invalid: session\/rename: title: /);
  expect(await failure(client.call('file/search', { query: 'x', limit: 1, more: 1 } as never))).toMatch(/^invalid: file\/search: .*more/);
}, { case: 'the caller hears the code and the field' });

verifies('protocol:rpc:errors', async () => {
  const { back, raw, sent } = pipe();
  serve(back, only({}), caller);
  const replies = (): unknown[] => sent.map((envelope) => (envelope.kind === 'reply' ? [envelope.id, envelope.error?.code] : envelope));
  raw({ kind: 'request', id: '1', method: 'no/such', params: {} });
  raw({ kind: 'request', id: '2', method: 'toString', params: {} });
  raw({ kind: 'request', id: '3', method: 7, params: {} });
  raw({ kind: 'request', id: '4', method: 'hello', params: {}, surprise: true });
  raw({ kind: 'request', id: '5', method: 'hello', params: null });
  for (const nothing of [null, 'x', 3, [], {}, { kind: 'request' }, { kind: 'reply', id: '9' }]) raw(nothing);
  await new Promise(setImmediate);
  expect(replies().sort()).toEqual([['1', 'invalid'], ['2', 'invalid'], ['3', 'invalid'], ['4', 'invalid'], ['5', 'invalid']]);
}, { case: 'misshapen requests are answered as long as they have an id' });

verifies('protocol:rpc:closed', async () => {
  const { front } = pipe();
  const client = new RpcClient(front, () => undefined);
  const waiting = failure(client.call('session/current', {}));
  client.dispose();
  expect(await waiting).toBe('unavailable: The connection was closed.');
});
