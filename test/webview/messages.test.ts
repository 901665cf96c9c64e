import { afterAll, beforeAll, expect } from 'vitest';
import { FakeHost } from '../../webview/transport/fakeTransport';
import { verifies } from '../support/verifies';
import { WebviewHost } from './host';
import { sceneOf } from './scenes';
import { main, box, longChat, withPageOf } from './withPage';

let host: WebviewHost;
beforeAll(async () => {
  host = await WebviewHost.start();
});
afterAll(() => host.stop());
const withPage = withPageOf(() => host);

verifies('webview:submit:enter', () =>
  withPage(new FakeHost(), async (open) => {
    await box(open).pressSequentially('first');
    await box(open).press('Shift+Enter');
    await box(open).pressSequentially('second');
    await box(open).press('Alt+Enter');
    await open.settled();
    expect(open.calls('turn/submit')).toEqual([]);
    await box(open).press('Enter');
    expect(await open.called('turn/submit')).toEqual({ sessionId: 'session-1', agentId: main, text: 'first\nsecond', attachments: [] });
    expect(await box(open).inputValue()).toBe('');
  }),
);

verifies('webview:submit:failed', () => {
  const engine = new FakeHost();
  engine.answer('turn/submit', () => {
    throw new Error('The model is not set up.');
  });
  return withPage(engine, async (open) => {
    await box(open).fill('do it');
    await box(open).press('Enter');
    await open.page.getByRole('alert').getByText('The model is not set up.').waitFor();
    expect(await box(open).inputValue()).toBe('do it');
  });
});

verifies('webview:queue:steer', () =>
  withPage(longChat(2), async (open) => {
    await box(open).fill('then the docs');
    await box(open).press('Enter');
    expect(await open.called('turn/submit')).toEqual({ sessionId: 'session-1', agentId: main, text: 'then the docs', attachments: [] });
    open.engine.emit({ type: 'turn/queued', agentId: main, queueId: 'q1', text: 'then the docs', attachments: [] });
    await open.page.getByRole('group', { name: 'Queued messages' }).getByText('then the docs').waitFor();
    open.engine.answer('turn/unqueue', () => ({ text: 'then the docs' }));
    await box(open).press('Enter');
    expect(await open.called('turn/submit', 1)).toEqual({ sessionId: 'session-1', agentId: main, text: 'then the docs', attachments: [], steer: true });
    await box(open).fill('no, this first');
    await box(open).press('Enter');
    expect(await open.called('turn/submit', 2)).toEqual({ sessionId: 'session-1', agentId: main, text: 'no, this first', attachments: [], steer: true });
  }),
);

verifies('webview:queue:edit', () =>
  withPage(longChat(2), async (open) => {
    open.engine.emit(
      { type: 'turn/queued', agentId: main, queueId: 'q1', text: 'one', attachments: [] },
      { type: 'turn/queued', agentId: main, queueId: 'q2', text: 'two', attachments: [] },
    );
    await open.page.getByText('two', { exact: true }).waitFor();
    open.engine.answer('turn/unqueue', ({ queueId }) => {
      open.engine.emit({ type: 'turn/dequeued', agentId: main, queueId, reason: 'removed' });
      return { text: 'two' };
    });
    await box(open).press('ArrowUp');
    await open.page.waitForFunction(() => document.querySelector('textarea')?.value === 'two');
    expect(open.calls('turn/unqueue')).toEqual([{ sessionId: 'session-1', queueId: 'q2' }]);
    await open.page.getByRole('button', { name: 'Remove message 1' }).click();
    await open.called('turn/unqueue', 1);
  }),
);

verifies('webview:stop:escape', () =>
  withPage(longChat(2), async (open) => {
    await box(open).press('Escape');
    expect(await open.called('turn/interrupt')).toEqual({ sessionId: 'session-1', agentId: main });
  }),
);

verifies('webview:slash:menu', () => {
  const engine = new FakeHost();
  const skill = (name: string, source: string) => ({
    name,
    qualified: name,
    kind: 'skill' as const,
    source,
    description: `About ${name}`,
    argumentHint: '[branch]',
    path: `/${name}`,
  });
  engine.answer('skill/list', () => ({ skills: [skill('release-notes', 'User'), skill('review-diff', 'Project'), skill('deploy', 'acme-kit')] }));
  return withPage(engine, async (open) => {
    await box(open).pressSequentially('/rvd');
    await open.page.getByRole('option').first().waitFor();
    expect(await open.page.getByRole('option').allTextContents()).toEqual(['review-diff[branch]Project']);
    await open.page.getByText('About review-diff').waitFor();
    await box(open).fill('/re');
    await open.page.getByRole('option', { name: /release-notes/ }).waitFor();
    await box(open).press('ArrowDown');
    const active = await box(open).getAttribute('aria-activedescendant');
    expect(await open.page.locator(`[id="${active}"]`).getAttribute('aria-selected')).toBe('true');
    await box(open).press('Enter');
    expect(await box(open).inputValue()).toMatch(/^\/(review-diff|release-notes) $/);
    expect(open.calls('turn/submit')).toEqual([]);
    await box(open).fill('/de');
    await open.page.getByRole('option').first().waitFor();
    await box(open).press('Escape');
    expect(await open.page.getByRole('listbox').count()).toBe(0);
  });
});

verifies('webview:at:menu', () => {
  const engine = new FakeHost();
  engine.answer('file/search', ({ query }) => ({ files: query === '' ? [] : query === 'my' ? ['/repo/my notes.md'] : ['/repo/src/core/scheduler.ts', '/repo/test/scheduler.test.ts'], cut: false }));
  return withPage(engine, async (open) => {
    await box(open).pressSequentially('Look at @sch');
    await open.page.getByRole('option').first().waitFor();
    await box(open).press('Tab');
    expect(await box(open).inputValue()).toBe('Look at @src/core/scheduler.ts ');
    expect(await box(open).evaluate((e: HTMLTextAreaElement) => e.selectionStart)).toBe('Look at @src/core/scheduler.ts '.length);
    await box(open).pressSequentially('and @my');
    await open.page.getByRole('option', { name: 'my notes.md' }).waitFor();
    await box(open).press('Enter');
    expect(await box(open).inputValue()).toBe('Look at @src/core/scheduler.ts and @"my notes.md" ');
  });
});

verifies('webview:context:off', () => {
  const engine = sceneOf('empty');
  engine.answer('editor/attachment', () => ({ attachment: { kind: 'selection', path: '/repo/src/core/scheduler.ts', startLine: 40, endLine: 62, text: 'code' } }));
  return withPage(engine, async (open) => {
    await box(open).fill('plain');
    await box(open).press('Enter');
    expect(await open.called('turn/submit')).toMatchObject({ attachments: [] });
    await open.page.getByRole('button', { name: /Attach the selected lines/ }).click();
    await open.page.getByRole('button', { name: 'Remove scheduler.ts:40-62' }).waitFor();
    await box(open).fill('with it');
    await box(open).press('Enter');
    expect(await open.called('turn/submit', 1)).toMatchObject({ text: 'with it', attachments: [{ kind: 'selection', startLine: 40 }] });
  });
});

verifies('webview:mode:menu', () => {
  const engine = longChat(2);
  engine.answer('model/list', () => ({ models: [{ id: 'opus', label: 'Opus', provider: 'Anthropic' }] }));
  return withPage(engine, async (open) => {
    const mode = open.page.getByRole('button', { name: 'Mode: Ask first' });
    await mode.focus();
    await open.page.keyboard.press('Enter');
    await open.page.getByRole('menuitemradio', { name: /Plan/ }).waitFor();
    await open.page.keyboard.press('ArrowDown');
    await open.page.keyboard.press('Enter');
    expect(await open.called('session/setMode')).toEqual({ sessionId: 'session-1', mode: 'acceptEdits' });
    expect(await mode.evaluate((e) => e === document.activeElement)).toBe(true);
    await open.page.getByRole('button', { name: /^Model/ }).click();
    await open.page.getByRole('menuitemradio', { name: /Opus/ }).click();
    expect(await open.called('session/setModel')).toEqual({ sessionId: 'session-1', model: 'opus' });
    await open.page.getByRole('button', { name: /^Model/ }).click();
    await open.page.getByRole('menuitem', { name: 'Set up…' }).click();
    await open.page.getByText('Set up another model').waitFor();
    await open.page.getByRole('button', { name: 'Back to the conversation' }).click();
    await open.page.getByText('Reply number 1.').waitFor();
  });
});

verifies('webview:draft:kept', () => {
  const engine = sceneOf('agents');
  return withPage(engine, async (open) => {
    await box(open).fill('half a thought');
    await open.page.reload();
    await open.page.waitForFunction(() => document.querySelector('textarea')?.value === 'half a thought');
    await open.page
      .getByRole('button', { name: /coder-1/ })
      .first()
      .click();
    await open.page.getByRole('button', { name: 'Back to lead' }).waitFor();
    expect(await box(open).inputValue()).toBe('');
    await open.page.getByRole('button', { name: 'Back to lead' }).click();
    await open.page.waitForFunction(() => document.querySelector('textarea')?.value === 'half a thought');
  });
});
