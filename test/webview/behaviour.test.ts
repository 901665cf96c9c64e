import { afterAll, beforeAll, expect } from 'vitest';
import type { DurableBody } from '../../extension/protocol/events';
import { FakeHost } from '../../webview/transport/fakeTransport';
import { verifies } from '../support/verifies';
import { type OpenPage, type PageOptions, WebviewHost } from './host';
import { commandRequest, completed, replied, request, said, sceneOf, spawned, started, text, use } from './scenes';

let host: WebviewHost;
beforeAll(async () => {
  host = await WebviewHost.start();
});
afterAll(() => host.stop());

const main = 'main';
const turnId = 'turn-1';
const turnStarted: DurableBody = { type: 'turn/started', agentId: main, turnId };
const messageStarted: DurableBody = { type: 'message/started', agentId: main, turnId, messageId: 'm1', model: 'opus' };

function delta(offset: number, piece: string, messageId = 'm1') {
  return { type: 'message/delta', agentId: main, messageId, block: 0, kind: 'text', offset, text: piece } as const;
}

/** Runs with an open page and closes it whatever happens; an error on the page fails the test. */
async function withPage(engine: FakeHost, run: (open: OpenPage) => Promise<void>, options: PageOptions = {}): Promise<void> {
  const open = await host.open(engine, options);
  try {
    await open.page.locator('.app').waitFor();
    await open.settled();
    await run(open);
    expect(open.errors).toEqual([]);
  } finally {
    await open.close();
  }
}

function box(open: OpenPage) {
  return open.page.getByLabel('Message', { exact: true });
}

function longChat(count: number): FakeHost {
  const engine = new FakeHost();
  engine.append(turnStarted);
  engine.append(said('Start.'));
  for (let i = 0; i < count; i++) engine.append(replied(`r${i}`, [text(`Reply number ${i}.\n\nWith a second paragraph that is somewhat longer than the first.`)]));
  return engine;
}

const scroller = '.chat-scroll';
const fromEnd = (open: OpenPage): Promise<number> => open.page.locator(scroller).evaluate((e) => Math.round(e.scrollHeight - e.scrollTop - e.clientHeight));
const afterGuard = (open: OpenPage): Promise<void> => open.page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 420)));

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
    for (let i = 0; i < 20; i++) open.engine.emitLive(delta(i * 30, 'word '.repeat(5) + '\n\n\n\n\n'));
    await open.settled();
    await open.settled();
    expect(await fromEnd(open)).toBeLessThanOrEqual(6);
  }),
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
    await open.settled();
    await open.settled();
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

verifies('webview:dock:focus', () =>
  withPage(longChat(2), async (open) => {
    await box(open).pressSequentially('a thought');
    open.engine.emit(request('ask-1'));
    await open.page.getByText('lead wants to run a command').waitFor();
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

for (const [key, decision] of [['Enter', { behavior: 'allow', scope: 'once' }], ['Escape', { behavior: 'deny' }]] as const) {
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
    open.engine.emit({ type: 'question/asked', request: { requestId: 'q1', callId: 'c1', agentPath: ['main', 'agent-1'], askedAtMs: 0, questions: [{ question: 'Which one?', header: 'Which', multiSelect: false, options: [{ label: 'A', description: '' }] }] } });
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
    const rule = sheet.getByLabel('Rule');
    expect(await rule.inputValue()).toBe('Bash(npm install *)');
    for (const said of ['npm install lodash@4', 'also allowed', 'still asks', 'saved in .claude/settings.local.json, not shared', 'saved in .claude/settings.json, shared through git']) await sheet.getByText(said).first().waitFor();
    await rule.fill('Bash(npm install p-queue)');
    await sheet.getByLabel('This project, only you').check();
    await sheet.getByRole('button', { name: 'Save rule and allow' }).click();
    expect(await open.called('permission/reply')).toEqual({ sessionId: 'session-1', requestId: 'ask-1', decision: { behavior: 'allow', scope: 'local', rules: ['Bash(npm install p-queue)'] } });
  }),
);

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
    open.engine.emit({ type: 'turn/queued', agentId: main, queueId: 'q1', text: 'one', attachments: [] }, { type: 'turn/queued', agentId: main, queueId: 'q2', text: 'two', attachments: [] });
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
  const skill = (name: string, source: string) => ({ name, qualified: name, kind: 'skill' as const, source, description: `About ${name}`, argumentHint: '[branch]', path: `/${name}` });
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
  engine.answer('file/search', ({ query }) => ({ files: query === '' ? [] : ['/work/src/core/scheduler.ts', '/work/test/scheduler.test.ts'], cut: false }));
  return withPage(engine, async (open) => {
    await box(open).pressSequentially('Look at @sch');
    await open.page.getByRole('option').first().waitFor();
    await box(open).press('Tab');
    expect(await box(open).inputValue()).toBe('Look at @src/core/scheduler.ts ');
    expect(await box(open).evaluate((e: HTMLTextAreaElement) => e.selectionStart)).toBe('Look at @src/core/scheduler.ts '.length);
  });
});

verifies('webview:context:off', () => {
  const engine = sceneOf('empty');
  engine.answer('editor/attachment', () => ({ attachment: { kind: 'selection', path: '/work/src/core/scheduler.ts', startLine: 40, endLine: 62, text: 'code' } }));
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
    await open.page.getByRole('button', { name: /coder-1/ }).first().click();
    await open.page.getByRole('button', { name: 'Back to lead' }).waitFor();
    expect(await box(open).inputValue()).toBe('');
    await open.page.getByRole('button', { name: 'Back to lead' }).click();
    await open.page.waitForFunction(() => document.querySelector('textarea')?.value === 'half a thought');
  });
});

verifies('webview:setup:key', () => {
  const engine = sceneOf('setUp');
  engine.answer('model/setup', (setup) => (setup.way === 'apiKey' && setup.key === 'good' ? {} : { problem: 'The key was not accepted. Check it and enter it again.' }));
  return withPage(engine, async (open) => {
    await open.page.getByText('Choose a model to start').waitFor();
    await open.page.getByText('Anthropic API key').click();
    await open.page.getByRole('textbox', { name: 'API key' }).fill('bad');
    await open.page.getByRole('button', { name: 'Use this model' }).click();
    await open.page.getByText('The key was not accepted.').waitFor();
    await open.page.getByRole('textbox', { name: 'API key' }).fill('good');
    await open.page.keyboard.press('Enter');
    await open.called('model/setup', 1);
    open.engine.sendWorkspace({ model: { state: 'ready', provider: 'anthropic', model: 'opus', label: 'Opus', contextTokens: 200_000, baseUrl: undefined } });
    await open.page.getByText('What should the troupe do?').waitFor();
  });
});

verifies('webview:setup:key', () => {
  const engine = sceneOf('setUp');
  engine.workspace = { ...engine.workspace, model: { state: 'none', ways: ['apiKey'], problem: 'The saved key is no longer valid.' } };
  return withPage(engine, async (open) => {
    await open.page.getByText('The saved key is no longer valid.').waitFor();
    expect(await open.page.locator('.choice').allTextContents()).toEqual(['Anthropic API keyKept in VS Code’s secret storage']);
  });
}, { case: 'only the ways there are' });

verifies('webview:setup:probe', () => {
  const engine = sceneOf('setUp');
  engine.answer('model/probe', () => ({ models: [{ id: 'small', label: 'Small', provider: 'local' }, { id: 'big', label: 'Big', provider: 'local' }] }));
  return withPage(engine, async (open) => {
    await open.page.getByText('Another server').click();
    await open.page.getByRole('textbox', { name: 'Address' }).fill('http://localhost:11434');
    await open.page.getByRole('button', { name: 'Find its models' }).click();
    await open.page.getByRole('combobox').selectOption('big');
    await open.page.getByRole('button', { name: 'Use this model' }).click();
    expect(await open.called('model/setup')).toEqual({ way: 'baseUrl', baseUrl: 'http://localhost:11434', model: 'big' });
  });
});

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

verifies('webview:end:resume', () =>
  withPage(sceneOf('ends'), async (open) => {
    await open.page.getByText('You stopped lead').waitFor();
    await open.page.getByRole('button', { name: 'Resume' }).click();
    expect(await open.called('turn/resume')).toEqual({ sessionId: 'session-1', agentId: main });
    open.engine.emit(turnStarted);
    open.engine.emit({ type: 'turn/completed', agentId: main, turnId: 'turn-2', stop: 'error', problem: { code: 'overloaded', message: 'The model service is busy', retryable: true }, usage: {}, costUsd: 0, durationMs: 1 });
    await open.page.getByText('The model service is busy').waitFor();
    await open.page.getByRole('button', { name: 'Retry' }).click();
    await open.called('turn/resume', 1);
    await open.page.getByRole('button', { name: 'Switch model…' }).click();
    await open.page.getByText('Set up another model').waitFor();
  }),
);

verifies('webview:tool:states', () =>
  withPage(longChat(1), async (open) => {
    const run = { id: 'c1', name: 'Bash', kind: 'command', title: 'npm test', input: { command: 'npm test' } };
    open.engine.emit(replied('m9', [use('c1', 'Bash'), use('c2', 'Edit')]), started(run), started({ id: 'c2', name: 'Edit', kind: 'edit', title: '/work/src/a.ts' }));
    open.engine.emitLive({ type: 'tool/updated', agentId: main, callId: 'c1', offset: 0, text: Array.from({ length: 30 }, (_, i) => `line ${i}\n`).join('') });
    await open.page.getByLabel('Output so far').getByText('line 29').waitFor();
    expect(await open.page.getByLabel('Output so far').textContent()).not.toContain('line 20');
    open.engine.emit(completed(run, { outcome: 'failed', display: { kind: 'output', text: 'FAIL a.test.ts', exitCode: 1 } }));
    await open.page.getByText('FAIL a.test.ts').waitFor();
    open.engine.emit(completed({ id: 'c2', name: 'Edit', kind: 'edit', title: '' }, { display: { kind: 'diff', diff: { path: '/work/src/a.ts', kind: 'edit', added: 1, removed: 0, hunks: [{ oldStart: 1, oldLines: 0, newStart: 1, newLines: 1, lines: ['+const added = 1;'] }] } } }));
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
    open.engine.emit(replied('m9', [text('<img src=x onerror="globalThis.hacked=1"> <b>bold</b>\n\n[good](https://example.com/a) [bad](javascript:alert(1)) [file](file:///etc/passwd)')]));
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

verifies('webview:agents:tree', () =>
  withPage(sceneOf('agents'), async (open) => {
    await open.page.getByRole('tab', { name: 'Chat' }).focus();
    await open.page.keyboard.press('ArrowRight');
    const items = open.page.getByRole('treeitem');
    await items.first().waitFor();
    expect(await items.evaluateAll((all) => all.map((e) => `${e.getAttribute('aria-level')} ${e.querySelector('.name')?.textContent}`))).toEqual(['1 lead', '2 coder-1', '3 tests', '2 coder-2', '2 explorer', '2 tester']);
    await items.first().focus();
    await open.page.keyboard.press('ArrowDown');
    await open.page.keyboard.press('ArrowLeft');
    expect(await items.count()).toBe(5);
    await open.page.keyboard.press('ArrowRight');
    expect(await items.count()).toBe(6);
    await open.page.keyboard.press('t');
    await open.page.keyboard.press('Enter');
    await open.page.getByRole('heading', { name: 'tests' }).waitFor();
    expect(await open.called('view/subscribe', 1)).toEqual({ sessionId: 'session-1', agentId: 'agent-5' });
  }),
);

verifies('webview:sessions:manage', () =>
  withPage(sceneOf('empty'), async (open) => {
    await open.page.getByRole('tab', { name: 'Agents' }).click();
    const sessions = open.page.getByRole('region', { name: 'Sessions' });
    expect(await sessions.locator('h4').allTextContents()).toEqual(['Needs you1', 'Working1', 'Done1']);
    await sessions.getByText('Flaky upload test').hover();
    await sessions.getByRole('button', { name: 'Rename Flaky upload test' }).click();
    await open.page.getByRole('textbox', { name: 'Title' }).fill('Upload test');
    await open.page.keyboard.press('Enter');
    expect(await open.called('session/rename')).toEqual({ sessionId: 's2', title: 'Upload test' });
    await sessions.getByText('Move the docs to Vite').hover();
    await sessions.getByRole('button', { name: 'Delete Move the docs to Vite' }).click();
    expect(open.calls('session/delete')).toEqual([]);
    await open.page.getByRole('button', { name: 'Delete session' }).click();
    expect(await open.called('session/delete')).toEqual({ sessionId: 's1' });
    await sessions.getByText('Flaky upload test').click();
    expect(await open.called('session/resume')).toEqual({ sessionId: 's2' });
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

verifies('webview:command:host', () => {
  const engine = longChat(2);
  engine.answer('editor/attachment', () => ({ attachment: { kind: 'file', path: '/work/a.ts' } }));
  return withPage(engine, async (open) => {
    engine.command({ name: 'compose', text: 'Explain this', submit: false, attach: 'file' });
    await open.page.waitForFunction(() => document.querySelector('textarea')?.value === 'Explain this' && document.activeElement === document.querySelector('textarea'));
    await open.page.getByRole('button', { name: 'Remove a.ts' }).waitFor();
    engine.command({ name: 'compose', text: 'Fix it', submit: true });
    expect(await open.called('turn/submit')).toMatchObject({ text: 'Fix it' });
    engine.emit(request('ask-1'));
    await open.page.locator('section.dock').waitFor();
    engine.command({ name: 'focusAsk' });
    await open.page.waitForFunction(() => document.activeElement?.classList.contains('dock'));
    engine.command({ name: 'showSessions' });
    await open.page.getByRole('region', { name: 'Sessions' }).waitFor();
    engine.command({ name: 'newSession' });
    await open.called('session/start');
    engine.command({ name: 'showSession', sessionId: 's9' });
    expect(await open.called('session/resume')).toEqual({ sessionId: 's9' });
  });
});
