import { afterAll, beforeAll, expect } from 'vitest';
import { verifies } from '../support/verifies';
import { WebviewHost } from './host';
import { commandRequest, request, sceneOf, spawned } from './scenes';
import { scroller, box, longChat, afterGuard, withPageOf } from './withPage';

let host: WebviewHost;
beforeAll(async () => {
  host = await WebviewHost.start();
});
afterAll(() => host.stop());
const withPage = withPageOf(() => host);

verifies('webview:dock:focus', () =>
  withPage(longChat(2), async (open) => {
    await box(open).pressSequentially('a thought');
    open.engine.emit(request('ask-1'));
    await open.page.getByRole('heading', { name: 'lead wants to run a command' }).waitFor();
    expect(await box(open).evaluate((e) => e === document.activeElement)).toBe(true);
    await afterGuard(open);
    await box(open).press('Escape');
    await open.page.locator(scroller).focus();
    await open.page.keyboard.press('Enter');
    expect(open.calls('permission/reply')).toEqual([]);
  }),
);

verifies('webview:dock:guard', () =>
  withPage(longChat(2), async (open) => {
    open.engine.emit(request('ask-1'), request('ask-2'));
    const dock = open.page.locator('section.dock');
    await dock.focus();
    await afterGuard(open);
    await open.page.keyboard.press('Enter');
    await open.page.getByText('Enter allows, Esc denies.').waitFor();
    await open.page.keyboard.press('Enter');
    await open.page.keyboard.press('Escape');
    await open.settled();
    expect(open.calls('permission/reply')).toHaveLength(1);
    await afterGuard(open);
    await open.page.keyboard.press('Escape');
    await open.called('permission/reply', 1);
    expect(open.calls('permission/reply')).toEqual([
      { sessionId: 'session-1', requestId: 'ask-1', decision: { behavior: 'allow', scope: 'once' } },
      { sessionId: 'session-1', requestId: 'ask-2', decision: { behavior: 'deny' } },
    ]);
  }),
);

for (const [key, decision] of [
  ['Enter', { behavior: 'allow', scope: 'once' }],
  ['Escape', { behavior: 'deny' }],
] as const) {
  verifies(
    'webview:dock:keys',
    () =>
      withPage(longChat(2), async (open) => {
        open.engine.emit(request('ask-1'));
        await open.page.locator('section.dock').focus();
        await afterGuard(open);
        await open.page.keyboard.press(key);
        expect(await open.called('permission/reply')).toEqual({ sessionId: 'session-1', requestId: 'ask-1', decision });
        expect(await open.page.locator('section.dock').count()).toBe(0);
      }),
    { case: key },
  );
}

verifies('webview:dock:queue', () =>
  withPage(longChat(2), async (open) => {
    for (const n of [1, 2, 3]) open.engine.emit(request(`ask-${n}`, { subject: { ...commandRequest.subject, command: `command ${n}` } }));
    const shown = open.page.locator('section.dock pre');
    await open.page.getByText('1 of 3').waitFor();
    await open.page.locator('section.dock').focus();
    await open.page.keyboard.press('Alt+ArrowDown');
    await open.page.getByText('2 of 3').waitFor();
    expect(await shown.textContent()).toBe('command 2');
    await open.page.getByRole('button', { name: 'Allow once' }).click();
    await open.page.getByText('2 of 2').waitFor();
    expect(await shown.textContent()).toBe('command 3');
    await open.page.keyboard.press('Alt+ArrowUp');
    await open.page.getByText('1 of 2').waitFor();
    expect(await shown.textContent()).toBe('command 1');
  }),
);

verifies('webview:dock:whole', () =>
  withPage(longChat(2), async (open) => {
    const command = Array.from({ length: 60 }, (_, i) => `step-${i} --with-an-option=${i}`).join(' && ');
    open.engine.emit(request('ask-1', { subject: { ...commandRequest.subject, command } }));
    const shown = open.page.locator('section.dock pre');
    expect(await shown.textContent()).toBe(command);
    expect(await shown.evaluate((e) => [e.scrollWidth <= e.clientWidth, e.scrollHeight > e.clientHeight, getComputedStyle(e).overflowY])).toEqual([true, true, 'auto']);
    expect(await open.page.getByRole('button', { name: 'Allow once' }).isVisible()).toBe(true);
  }),
);

verifies('webview:dock:feedback', () =>
  withPage(longChat(2), async (open) => {
    open.engine.emit(request('ask-1'));
    await open.page.getByRole('button', { name: 'Deny and say what to do instead' }).click();
    await open.page.getByLabel('What should lead do instead?').fill('Use pnpm');
    await open.page.getByRole('button', { name: 'Deny and send' }).click();
    expect(await open.called('permission/reply')).toEqual({ sessionId: 'session-1', requestId: 'ask-1', decision: { behavior: 'deny', feedback: 'Use pnpm' } });
  }),
);

verifies('webview:dock:elsewhere', () =>
  withPage(longChat(2), async (open) => {
    open.engine.emit(spawned('agent-1', 'coder-1'));
    open.engine.emit({
      type: 'question/asked',
      request: {
        requestId: 'q1',
        callId: 'c1',
        agentPath: ['main', 'agent-1'],
        askedAtMs: 0,
        questions: [{ question: 'Which one?', header: 'Which', multiSelect: false, options: [{ label: 'A', description: '' }] }],
      },
    });
    await open.page.getByLabel('coder-1 asks a question').getByRole('button', { name: 'Show' }).click();
    await open.page.getByText('Which one?').waitFor();
    await open.settled();
    expect(await open.page.locator('.dock.elsewhere').count()).toBe(0);
  }),
);

verifies('webview:always:rule', () =>
  withPage(longChat(2), async (open) => {
    open.engine.emit(request('ask-1'));
    await open.page.getByRole('button', { name: 'Always…' }).click();
    const sheet = open.page.getByRole('dialog', { name: 'Always allow' });
    const rule = sheet.getByLabel('Rule', { exact: true });
    expect(await rule.inputValue()).toBe('Bash(npm install *)');
    for (const said of [
      'npm install lodash@4',
      'also allowed',
      'still asks',
      'saved in .claude/settings.local.json, not shared',
      'saved in .claude/settings.json, shared through git',
    ])
      await sheet.getByText(said).first().waitFor();
    await rule.fill('Bash(npm install p-queue)');
    await sheet.getByLabel('This project, only you').check();
    await sheet.getByRole('button', { name: 'Save rule and allow' }).click();
    expect(await open.called('permission/reply')).toEqual({
      sessionId: 'session-1',
      requestId: 'ask-1',
      decision: { behavior: 'allow', scope: 'local', rules: ['Bash(npm install p-queue)'] },
    });
  }),
);

verifies('webview:plan:approve', () =>
  withPage(sceneOf('plan'), async (open) => {
    await open.page.getByRole('button', { name: 'Edit the plan here' }).click();
    await open.page.getByLabel('Plan', { exact: true }).and(open.page.locator('textarea')).fill('1. Only this');
    await open.page.getByRole('button', { name: 'Finish editing' }).click();
    await open.page.getByText('You changed this plan.').waitFor();
    await open.page.getByRole('button', { name: 'Approve and accept edits' }).click();
    expect(await open.called('plan/reply')).toEqual({ sessionId: 'session-1', requestId: 'plan-1', reply: { behavior: 'approve', mode: 'acceptEdits', plan: '1. Only this' } });
    open.engine.emit({ type: 'plan/resolved', requestId: 'plan-1', reply: { behavior: 'approve', mode: 'acceptEdits', plan: '1. Only this' } });
    await open.page.getByText('Plan approved').waitFor();
  }),
);

verifies('webview:plan:back', () =>
  withPage(sceneOf('plan'), async (open) => {
    await open.page.getByRole('button', { name: 'Send back…' }).click();
    await open.page.getByRole('textbox', { name: 'What should lead change?' }).fill('Make the limit a setting');
    await open.page.getByRole('button', { name: 'Send back', exact: true }).click();
    expect(await open.called('plan/reply')).toEqual({ sessionId: 'session-1', requestId: 'plan-1', reply: { behavior: 'sendBack', feedback: 'Make the limit a setting' } });
  }),
);

verifies('webview:question:answer', () =>
  withPage(sceneOf('question'), async (open) => {
    await open.page.getByLabel('Reject with AbortError').check();
    await open.page.getByLabel('Scheduler').check();
    await open.page.getByLabel('Something else').nth(1).check();
    await open.page.getByRole('textbox', { name: 'Your answer' }).fill('the docs too');
    await open.page.getByRole('button', { name: 'Answer', exact: true }).click();
    expect(await open.called('question/reply')).toEqual({
      sessionId: 'session-1',
      requestId: 'q-1',
      reply: { behavior: 'answer', answers: { 'What should a cancelled run return?': 'Reject with AbortError', 'Which parts get tests?': 'Scheduler, the docs too' } },
    });
  }),
);
