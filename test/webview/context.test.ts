import { afterAll, beforeAll, expect } from 'vitest';
import { verifies } from '../support/verifies';
import { WebviewHost } from './host';
import { box, longChat, main, withPageOf } from './withPage';

let host: WebviewHost;
beforeAll(async () => {
  host = await WebviewHost.start();
});
afterAll(() => host.stop());
const withPage = withPageOf(() => host);

verifies('webview:note:remember', () => {
  const engine = longChat(2);
  engine.answer('memory/add', () => ({ path: '/p/CLAUDE.md' }));
  return withPage(engine, async (open) => {
    await box(open).fill('## not a note\nbut text');
    expect(await open.page.getByRole('group', { name: 'Remember this note' }).count()).toBe(0);
    await box(open).fill('# use tabs');
    await open.page.getByRole('group', { name: 'Remember this note' }).getByRole('button', { name: 'This project' }).click();
    expect(await open.called('memory/add')).toEqual({ sessionId: 'session-1', scope: 'project', text: 'use tabs' });
    await open.page.getByText('Remembered in CLAUDE.md').waitFor();
    expect([await box(open).inputValue(), open.calls('turn/submit')]).toEqual(['', []]);
  });
});

const usage = { inputTokens: 100_000, outputTokens: 10 };

verifies('webview:gauge:parts', () => {
  const engine = longChat(2);
  engine.answer('context/report', () => ({ usedTokens: 100_010, limitTokens: 200_000, compactsAtTokens: 180_000, parts: [{ kind: 'messages', label: 'Messages', tokens: 60_000 }, { kind: 'files', label: 'Files read', tokens: 40_000 }] }));
  engine.answer('context/compact', () => ({}));
  return withPage(engine, async (open) => {
    open.engine.emit({ type: 'message/completed', agentId: main, turnId: 't', messageId: 'm9', role: 'assistant', content: [{ type: 'text', text: 'Hello' }], model: 'x', stopReason: 'end_turn', usage, costUsd: 0 });
    await open.page.getByRole('button', { name: 'Context 50% full' }).click();
    const dialog = open.page.getByRole('dialog', { name: 'Context and cost' });
    await dialog.getByText('Files read').waitFor();
    expect(await dialog.getByRole('list', { name: 'What fills the context' }).getByRole('listitem').allTextContents()).toEqual(['Messages60k · 30%', 'Files read40k · 20%']);
    await dialog.getByText('Summarised by itself at 90%.').waitFor();
    await dialog.getByRole('button', { name: 'Summarise now' }).click();
    expect(await open.called('context/compact')).toEqual({ sessionId: 'session-1', agentId: main });
    await dialog.waitFor({ state: 'hidden' });
  });
});

verifies('webview:compaction:row', () =>
  withPage(longChat(2), async (open) => {
    open.engine.emit({ type: 'context/compacted', agentId: main, trigger: 'auto', summary: '# Goal\nShip **it**.', beforeTokens: 142_000, afterTokens: 18_000, usage: {}, costUsd: 0, durationMs: 5 });
    const row = open.page.getByRole('article', { name: 'Conversation summarised' });
    await row.getByText('142k to 18k').waitFor();
    await row.getByText('Earlier turns summarised').click();
    await row.getByText('Ship it.').waitFor();
  }),
);
