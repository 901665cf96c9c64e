import { expect } from 'vitest';
import { EventLog } from '../../../extension/session/eventLog';
import { emptyView } from '../../../extension/protocol/reduceView';
import type { DurableEvent, UiEvent } from '../../../extension/protocol/events';
import { verifies } from '../../support/verifies';

function newLog() {
  const order: string[] = [];
  const written: DurableEvent[] = [];
  const log = new EventLog(
    { append: (event) => { written.push(event); order.push(`written ${event.seq}`); }, sync: () => order.push('synced') },
    () => 1_000,
    { view: emptyView('s'), events: [], onListenerError: (thrown) => { throw thrown; } },
  );
  const told: UiEvent[] = [];
  log.on((event) => { told.push(event); order.push(`told, view at ${log.view.seq}`); });
  return { log, order, written, told };
}

verifies('session:log:one-door', () => {
  const { log, order, written } = newLog();
  log.append({ type: 'session/renamed', title: 'One' });
  log.append({ type: 'session/renamed', title: 'Two' });
  expect(order).toEqual(['written 1', 'told, view at 1', 'written 2', 'told, view at 2']);
  expect(written[1]).toEqual({ type: 'session/renamed', title: 'Two', seq: 2, atMs: 1_000 });
  expect(log.view.session.title).toBe('Two');
});

verifies('session:log:live-unwritten', () => {
  const { log, written, told } = newLog();
  log.append({ type: 'message/started', agentId: 'main', turnId: 't', messageId: 'm', model: 'x' });
  log.live({ type: 'message/delta', agentId: 'main', messageId: 'm', block: 0, kind: 'text', offset: 0, text: 'hel' });
  expect(written).toHaveLength(1);
  expect(told.at(-1)).toEqual({ type: 'message/delta', agentId: 'main', messageId: 'm', block: 0, kind: 'text', offset: 0, text: 'hel', afterSeq: 1 });
  expect(log.view.streaming['main']?.blocks).toEqual([{ kind: 'text', tool: undefined, text: 'hel' }]);
});
