import { afterAll, beforeAll, expect } from 'vitest';
import { FakeHost } from '../../webview/transport/fakeTransport';
import { verifies } from '../support/verifies';
import { WebviewHost } from './host';
import { completed, replied, request, said, sceneOf, started, text, use } from './scenes';
import { main, turnId, turnStarted, messageStarted, scroller, delta, longChat, fromEnd, withPageOf } from './withPage';

let host: WebviewHost;
beforeAll(async () => {
  host = await WebviewHost.start();
});
afterAll(() => host.stop());
const withPage = withPageOf(() => host);

verifies('webview:stream:in-place', () =>
  withPage(new FakeHost(), async (open) => {
    open.engine.emit(turnStarted, said('Hello'), messageStarted);
    open.engine.emitLive(delta(0, 'One '), delta(4, 'two'));
    const reply = open.page.locator('[data-row=text]');
    await reply.getByText('One two').waitFor();
    await reply.evaluate((e) => e.setAttribute('data-mark', 'same'));
    open.engine.emitLive(delta(7, ' three'));
    await reply.getByText('One two three').waitFor();
    expect(await reply.locator('.streaming').count()).toBe(1);
    open.engine.emit(replied('m1', [text('One two three.')]));
    await reply.getByText('One two three.').waitFor();
    expect(await reply.getAttribute('data-mark')).toBe('same');
    expect(await reply.locator('.streaming').count()).toBe(0);
  }),
);

verifies('webview:scroll:follows', () =>
  withPage(longChat(60), async (open) => {
    expect(await fromEnd(open)).toBeLessThanOrEqual(6);
    open.engine.emit(messageStarted);
    for (let i = 0; i < 20; i++) open.engine.emitLive(delta(i * 30, `${'word '.repeat(5)}\n\n\n\n\n`));
    await open.settled();
    await open.settled();
    expect(await fromEnd(open)).toBeLessThanOrEqual(6);
  }),
);

verifies(
  'webview:scroll:follows',
  () =>
    withPage(sceneOf('dock'), async (open) => {
      await open.page.getByRole('button', { name: 'Always…' }).click();
      await open.page.getByLabel('Rule', { exact: true }).waitFor();
      await open.settled();
      expect(await fromEnd(open)).toBeLessThanOrEqual(6);
      await open.page.getByRole('button', { name: 'Cancel' }).click();
      await open.settled();
      await open.settled();
      expect(await fromEnd(open)).toBeLessThanOrEqual(6);
      expect(await open.page.locator('.newpill').count()).toBe(0);
    }),
  { case: 'also when the card above the message box grows' },
);

verifies('webview:scroll:detaches', () =>
  withPage(longChat(60), async (open) => {
    await open.page.locator(scroller).hover();
    await open.page.mouse.wheel(0, -400);
    await open.page.getByRole('button', { name: 'To the end' }).waitFor();
    await open.settled();
    const top = await open.page.locator(scroller).evaluate((e) => e.scrollTop);
    open.engine.emit(replied('n1', [text('New one.')]), replied('n2', [text('New two.')]));
    await open.page.getByRole('button', { name: '2 new' }).waitFor();
    expect(Math.abs((await open.page.locator(scroller).evaluate((e) => e.scrollTop)) - top)).toBeLessThanOrEqual(2);
    await open.page.getByRole('button', { name: '2 new' }).click();
    await open.page.getByText('New two.').waitFor();
    await open.settled();
    expect(await fromEnd(open)).toBeLessThanOrEqual(6);
    expect(await open.page.locator('.newpill').count()).toBe(0);
  }),
);

verifies('webview:scroll:long', () =>
  withPage(longChat(10_000), async (open) => {
    await open.page.getByText('Reply number 9999.').waitFor();
    expect(await open.page.locator('.chat-row').count()).toBeLessThan(60);
  }),
);

verifies('webview:position:kept', () =>
  withPage(longChat(200), async (open) => {
    await open.page.locator(scroller).hover();
    await open.page.mouse.wheel(0, -3000);
    await open.page.waitForFunction(() => JSON.parse(sessionStorage.getItem('state') ?? '{}').anchors?.['session-1/main'] !== undefined);
    const topRow = () => open.page.evaluate(() => [...document.querySelectorAll('.chat-row')].find((row) => row.getBoundingClientRect().bottom > 90)?.textContent);
    const before = await topRow();
    await open.page.reload();
    await open.page.locator('.chat-row').first().waitFor();
    for (let i = 0; i < 6; i++) await open.settled();
    expect(await topRow()).toBe(before);
  }),
);

verifies('webview:gap:snapshot', () =>
  withPage(longChat(3), async (open) => {
    open.engine.append(replied('lost', [text('This one was lost on the way.')]));
    open.engine.emit(replied('next', [text('This one arrived.')]));
    await open.page.getByText('This one was lost on the way.').waitFor();
    await open.page.getByText('This one arrived.').waitFor();
    expect(open.calls('session/snapshot')).toEqual([{ sessionId: 'session-1' }]);
    open.engine.emit(replied('after', [text('And on it goes.')]));
    await open.page.getByText('And on it goes.').waitFor();
    expect(open.calls('session/snapshot')).toHaveLength(1);
  }),
);

verifies('webview:end:resume', () =>
  withPage(sceneOf('ends'), async (open) => {
    await open.page.getByText('You stopped lead').waitFor();
    await open.page.getByRole('button', { name: 'Resume' }).click();
    expect(await open.called('turn/resume')).toEqual({ sessionId: 'session-1', agentId: main });
    open.engine.emit(turnStarted);
    open.engine.emit({
      type: 'turn/completed',
      agentId: main,
      turnId: 'turn-2',
      stop: 'error',
      problem: { code: 'overloaded', message: 'The model service is busy', retryable: true },
      usage: {},
      costUsd: 0,
      durationMs: 1,
    });
    await open.page.getByText('The model service is busy').waitFor();
    await open.page.getByRole('button', { name: 'Retry', exact: true }).click();
    await open.called('turn/resume', 1);
    await open.page.getByRole('button', { name: 'Switch model…' }).click();
    await open.page.getByText('Set up another model').waitFor();
  }),
);

verifies('webview:tool:states', () =>
  withPage(longChat(1), async (open) => {
    const run = { id: 'c1', name: 'Bash', kind: 'command', title: 'npm test', input: { command: 'npm test' } };
    open.engine.emit(replied('m9', [use('c1', 'Bash'), use('c2', 'Edit')]), started(run), started({ id: 'c2', name: 'Edit', kind: 'edit', title: '/repo/src/a.ts' }));
    open.engine.emitLive({ type: 'tool/updated', agentId: main, callId: 'c1', offset: 0, text: Array.from({ length: 30 }, (_, i) => `line ${i}\n`).join('') });
    await open.page.getByLabel('Output so far').getByText('line 29').waitFor();
    expect(await open.page.getByLabel('Output so far').textContent()).not.toContain('line 20');
    open.engine.emit(completed(run, { outcome: 'failed', display: { kind: 'output', text: 'FAIL a.test.ts', exitCode: 1 } }));
    await open.page.getByText('FAIL a.test.ts').waitFor();
    open.engine.emit(
      completed(
        { id: 'c2', name: 'Edit', kind: 'edit', title: '' },
        {
          display: {
            kind: 'diff',
            diff: { path: '/repo/src/a.ts', kind: 'edit', added: 1, removed: 0, hunks: [{ oldStart: 1, oldLines: 0, newStart: 1, newLines: 1, lines: ['+const added = 1;'] }] },
          },
        },
      ),
    );
    const row = open.page.getByRole('button', { name: /Edit.*a\.ts/ });
    await row.waitFor();
    expect(await row.evaluate((e) => e.getBoundingClientRect().height)).toBe(22);
    expect(await open.page.getByText('const added = 1;').count()).toBe(0);
    await row.click();
    await open.page.getByText('const added = 1;').waitFor();
    await open.page.getByRole('button', { name: 'Open diff in editor' }).click();
    expect(await open.called('file/openDiff')).toEqual({ sessionId: 'session-1', callId: 'c2' });
  }),
);

verifies('webview:markdown:safe', () =>
  withPage(longChat(1), async (open) => {
    open.engine.emit(
      replied('m9', [text('<img src=x onerror="globalThis.hacked=1"> <b>bold</b>\n\n[good](https://example.com/a) [bad](javascript:alert(1)) [file](file:///etc/passwd)')]),
    );
    const reply = open.page.locator('.chat-row', { hasText: 'onerror' });
    await reply.waitFor();
    expect(await reply.locator('img, b').count()).toBe(0);
    expect(await reply.locator('a').allTextContents()).toEqual(['good']);
    await reply.getByRole('link', { name: 'good' }).click();
    expect(await open.called('link/open')).toEqual({ url: 'https://example.com/a' });
    expect(await open.page.evaluate(() => 'hacked' in globalThis)).toBe(false);
  }),
);

verifies('webview:announce:milestones', () =>
  withPage(longChat(2), async (open) => {
    const status = open.page.getByRole('status');
    open.engine.emit(messageStarted);
    open.engine.emitLive(delta(0, 'Not for the ears'));
    await open.page.getByText('Not for the ears').waitFor();
    expect(await status.allTextContents()).toEqual(['']);
    open.engine.emit(request('ask-1'));
    await status.getByText('lead wants to run a command.').waitFor();
    open.engine.emit({ type: 'permission/resolved', requestId: 'ask-1', decision: { behavior: 'deny' }, by: 'person' });
    open.engine.emit({ type: 'turn/completed', agentId: main, turnId, stop: 'done', usage: {}, costUsd: 0, durationMs: 1 });
    await status.getByText('lead has finished.').waitFor();
  }),
);

verifies('webview:wide:columns', () =>
  withPage(
    sceneOf('streaming'),
    async (open) => {
      await open.page.getByRole('tree').waitFor();
      await open.page.getByRole('button', { name: /Edit.*retry\.ts/ }).click();
      await open.page.getByLabel('Selected tool call').getByText('signal.throwIfAborted();').waitFor();
      const [left, middle, right] = await Promise.all(['.side', '.mid', '.detail'].map(async (s) => (await open.page.locator(s).boundingBox())?.x ?? -1));
      expect((left ?? 0) < (middle ?? 0) && (middle ?? 0) < (right ?? 0)).toBe(true);
      await open.page.getByRole('button', { name: 'Close' }).click();
      expect(await open.page.locator('.detail').count()).toBe(0);
    },
    { width: 1200, layout: 'wide' },
  ),
);
