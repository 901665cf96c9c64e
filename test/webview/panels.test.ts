import { afterAll, beforeAll, expect } from 'vitest';
import { verifies } from '../support/verifies';
import { WebviewHost } from './host';
import { request, sceneOf } from './scenes';
import { longChat, withPageOf } from './withPage';

let host: WebviewHost;
beforeAll(async () => {
  host = await WebviewHost.start();
});
afterAll(() => host.stop());
const withPage = withPageOf(() => host);

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

verifies(
  'webview:setup:key',
  () => {
    const engine = sceneOf('setUp');
    engine.workspace = { ...engine.workspace, model: { state: 'none', ways: ['apiKey'], problem: 'The saved key is no longer valid.' } };
    return withPage(engine, async (open) => {
      await open.page.getByText('The saved key is no longer valid.').waitFor();
      expect(await open.page.locator('.choice').allTextContents()).toEqual(['Anthropic API keyKept in VS Code’s secret storage']);
    });
  },
  { case: 'only the ways there are' },
);

verifies('webview:setup:probe', () => {
  const engine = sceneOf('setUp');
  engine.answer('model/probe', () => ({
    models: [
      { id: 'small', label: 'Small', provider: 'local' },
      { id: 'big', label: 'Big', provider: 'local' },
    ],
  }));
  return withPage(engine, async (open) => {
    await open.page.getByText('Another server').click();
    await open.page.getByRole('textbox', { name: 'Address' }).fill('http://localhost:11434');
    await open.page.getByRole('button', { name: 'Find its models' }).click();
    await open.page.getByRole('combobox').selectOption('big');
    await open.page.getByRole('button', { name: 'Use this model' }).click();
    expect(await open.called('model/setup')).toEqual({ way: 'baseUrl', baseUrl: 'http://localhost:11434', model: 'big' });
  });
});

verifies('webview:agents:tree', () =>
  withPage(sceneOf('agents'), async (open) => {
    await open.page.getByRole('tab', { name: 'Chat' }).focus();
    await open.page.keyboard.press('ArrowRight');
    const items = open.page.getByRole('treeitem');
    await items.first().waitFor();
    expect(await items.evaluateAll((all) => all.map((e) => `${e.getAttribute('aria-level')} ${e.querySelector('.name')?.textContent}`))).toEqual([
      '1 lead',
      '2 coder-1',
      '3 tests',
      '2 coder-2',
      '2 explorer',
      '2 tester',
    ]);
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

verifies('webview:command:host', () => {
  const engine = longChat(2);
  engine.answer('editor/attachment', () => ({ attachment: { kind: 'file', path: '/repo/a.ts' } }));
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
