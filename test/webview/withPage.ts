import { expect } from 'vitest';
import type { DurableBody } from '../../extension/protocol/events';
import { FakeHost } from '../../webview/transport/fakeTransport';
import type { OpenPage, PageOptions, WebviewHost } from './host';
import { replied, said, text } from './scenes';

export const main = 'main';
export const turnId = 'turn-1';
export const turnStarted: DurableBody = { type: 'turn/started', agentId: main, turnId };
export const messageStarted: DurableBody = { type: 'message/started', agentId: main, turnId, messageId: 'm1', model: 'opus' };
export const scroller = '.chat-scroll';

/** Runs with an open page and closes it whatever happens; an error on the page fails the test. */
export type WithPage = (engine: FakeHost, run: (open: OpenPage) => Promise<void>, options?: PageOptions) => Promise<void>;

export function withPageOf(host: () => WebviewHost): WithPage {
  return async (engine, run, options = {}) => {
    const open = await host().open(engine, options);
    try {
      await open.page.locator('.app').waitFor();
      await open.settled();
      await run(open);
      expect(open.errors).toEqual([]);
    } finally {
      await open.close();
    }
  };
}

export function delta(offset: number, piece: string, messageId = 'm1') {
  return { type: 'message/delta', agentId: main, messageId, block: 0, kind: 'text', offset, text: piece } as const;
}

export function box(open: OpenPage) {
  return open.page.getByLabel('Message', { exact: true });
}

export function longChat(count: number): FakeHost {
  const engine = new FakeHost();
  engine.append(turnStarted);
  engine.append(said('Start.'));
  for (let i = 0; i < count; i++) engine.append(replied(`r${i}`, [text(`Reply number ${i}.\n\nWith a second paragraph that is somewhat longer than the first.`)]));
  return engine;
}

export function fromEnd(open: OpenPage): Promise<number> {
  return open.page.locator(scroller).evaluate((e) => Math.round(e.scrollHeight - e.scrollTop - e.clientHeight));
}

/** The 400 ms in which keys do not answer a card are real time in the page. */
export function afterGuard(open: OpenPage): Promise<void> {
  return open.page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 420)));
}
