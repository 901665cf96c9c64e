import { afterAll, beforeAll, expect } from 'vitest';
import type { MergePreviewView } from '../../extension/protocol/worktree';
import type { FakeHost } from '../../webview/transport/fakeTransport';
import { verifies } from '../support/verifies';
import { type OpenPage, WebviewHost } from './host';
import { changed, replied, said, sceneOf, text, worktree } from './scenes';
import { main, turnId, turnStarted, withPageOf } from './withPage';

let host: WebviewHost;
beforeAll(async () => {
  host = await WebviewHost.start();
});
afterAll(() => host.stop());
const withPage = withPageOf(() => host);

const fox = 'bright-running-fox';
const clear: MergePreviewView = { branch: 'main', files: ['src/core/retry.ts', 'src/core/queue.ts'], isDirty: true, isFastForward: false, conflicts: [] };

async function review({ page }: OpenPage) {
  await page.getByRole('tab', { name: 'Review' }).click();
  const card = page.getByRole('region', { name: `Worktree ${fox}` });
  await card.waitFor();
  return card;
}

verifies('webview:review:card', () =>
  withPage(sceneOf('review'), async (open) => {
    const card = await review(open);
    expect(await open.page.getByRole('tab', { name: 'Review' }).textContent()).toContain('3');
    expect(await card.locator('.fbtn').evaluateAll((all) => all.map((e) => e.textContent))).toEqual([
      'retry.tssrc/core, modified',
      'queue.tssrc/core, modified',
      'scheduler.test.tstest, added',
    ]);
    for (const fact of ['Ready to review', '2 commits', '1 not committed']) await card.getByText(fact).waitFor();
    const conflicted = open.page.getByRole('region', { name: 'Worktree keen-painting-lynx' });
    for (const said of ['Conflicts', 'Applied', 'src/view/short.tsx: both sides changed it', 'data/huge.bin', 'Its branch was moved by hand', 'and 34 more files'])
      await conflicted.getByText(said).first().waitFor();
    await card.getByRole('button', { name: 'explorer' }).click();
    await open.page.getByRole('heading', { name: 'explorer' }).waitFor();
    expect(await open.called('view/subscribe', 1)).toEqual({ sessionId: 'session-1', agentId: 'agent-3' });
  }),
);

verifies('webview:review:open', () =>
  withPage(sceneOf('review'), async (open) => {
    const card = await review(open);
    await card.getByRole('button', { name: 'Review 3 files' }).click();
    expect(await open.called('worktree/openDiff')).toEqual({ name: fox });
    await card.locator('.fbtn').first().focus();
    await open.page.keyboard.press('ArrowDown');
    await open.page.keyboard.press('Enter');
    expect(await open.called('worktree/openDiff', 1)).toEqual({ name: fox, path: 'src/core/queue.ts' });
    await card.getByRole('button', { name: `More for ${fox}` }).click();
    await open.page.getByRole('menuitem', { name: 'Open in a terminal' }).click();
    expect(await open.called('worktree/open')).toEqual({ name: fox, where: 'terminal' });
    await open.page.getByRole('button', { name: 'Look again' }).click();
    await open.called('worktree/refresh');
  }),
);

verifies('webview:review:ticks', () =>
  withPage(sceneOf('review'), async (open) => {
    const card = await review(open);
    await card.locator('.fbtn').first().focus();
    await open.page.keyboard.press('Space');
    await open.page.getByText('1 of 8 reviewed').waitFor();
    await card.getByRole('checkbox', { name: 'Reviewed: src/core/queue.ts' }).click();
    await open.page.getByText('2 of 8 reviewed').waitFor();
    await open.page.reload();
    await open.page.getByText('2 of 8 reviewed').waitFor();
    const { worktrees, trash } = open.engine.workspace.worktrees;
    const files = [changed('src/core/retry.ts', { added: 19 }), changed('src/core/queue.ts', { added: 6, removed: 2 })];
    open.engine.sendWorkspace({ worktrees: { worktrees: [worktree(fox, { files }), ...worktrees.slice(1)], trash } });
    await open.page.getByText('1 of 7 reviewed').waitFor();
    expect(await card.getByRole('checkbox', { name: 'Reviewed: src/core/retry.ts' }).isChecked()).toBe(false);
  }),
);

verifies('webview:review:merge', () => {
  const engine = sceneOf('review');
  engine.answer('worktree/branches', () => ({ current: 'main', branches: ['main', 'next', `worktree-${fox}`] }));
  engine.answer('worktree/preview', ({ into }) => ({ ...clear, branch: into ?? 'main' }));
  engine.answer('worktree/take', ({ name }) => {
    const { worktrees, trash } = engine.workspace.worktrees;
    engine.sendWorkspace({ worktrees: { worktrees: worktrees.filter((w) => w.name !== name), trash } });
    return { files: clear.files, commit: '4f1c2ab0'.repeat(5), backupRef: 'refs/troupe/backup/1', removed: true, conflicts: [] };
  });
  return withPage(engine, async (open) => {
    const card = await review(open);
    await card.getByRole('button', { name: `Merge ${fox}…` }).click();
    const sheet = open.page.getByRole('dialog', { name: `Take in ${fox}` });
    await sheet.getByText('A merge commit on main: 2 files.').waitFor();
    await sheet.getByText('You have uncommitted changes there').waitFor();
    expect(await sheet.locator('option').allTextContents()).toEqual(['main (checked out)', 'next']);
    await sheet.getByRole('combobox').selectOption('next');
    await sheet.getByText('A merge commit on next: 2 files.').waitFor();
    await sheet.getByRole('radio', { name: /Apply/ }).check();
    await sheet.getByText('2 files of yours change; nothing is committed.').waitFor();
    await sheet.getByRole('radio', { name: /^Merge/ }).check();
    await sheet.getByLabel('Commit message').fill('Retry with a signal');
    expect(open.calls('worktree/take')).toEqual([]);
    await sheet.getByRole('button', { name: 'Merge into next' }).click();
    expect(await open.called('worktree/take')).toEqual({ name: fox, kind: 'merge', into: 'next', message: 'Retry with a signal' });
    const toast = open.page.getByRole('group', { name: 'Last change' });
    await toast.getByText(`Merged ${fox} into next`).waitFor();
    expect(await toast.innerText()).toContain('refs/troupe/backup/1');
    await card.waitFor({ state: 'detached' });
    expect(await open.page.getByRole('status').textContent()).toBe(`Merged ${fox} into next`);
  });
});

verifies('webview:review:conflict', () => {
  const engine = sceneOf('review');
  engine.answer('worktree/preview', () => ({ ...clear, files: [], conflicts: [{ path: 'src/core/retry.ts', reason: 'branch' }], problem: 'Nothing was changed.' }));
  return withPage(engine, async (open) => {
    const card = await review(open);
    await card.getByRole('button', { name: `Merge ${fox}…` }).click();
    const sheet = open.page.getByRole('dialog');
    await sheet.getByText('src/core/retry.ts: both sides changed it').waitFor();
    expect(await sheet.getByRole('button', { name: /^Merge/ }).count()).toBe(0);
    await sheet.getByRole('button', { name: 'Ask explorer to resolve' }).click();
    expect(await open.called('turn/submit')).toMatchObject({ sessionId: 'session-1', agentId: 'agent-3', text: expect.stringContaining('src/core/retry.ts') });
    await open.page.getByText('Merge again when it is done.').waitFor();
  });
});

verifies(
  'webview:review:conflict',
  () => {
    const engine = sceneOf('review');
    engine.answer('worktree/preview', () => clear);
    engine.answer('worktree/take', () => ({
      files: [],
      removed: false,
      conflicts: [{ path: 'src/core/queue.ts', reason: 'staged' }],
      problem: 'Nothing was changed: src/core/queue.ts',
    }));
    return withPage(engine, async (open) => {
      const card = await review(open);
      await card.getByRole('button', { name: `Merge ${fox}…` }).click();
      await open.page.getByRole('button', { name: 'Merge into main' }).click();
      await open.page.getByText('src/core/queue.ts: you have staged a change in it').waitFor();
      await open.page.keyboard.press('Escape');
      await open.page.getByRole('dialog').waitFor({ state: 'detached' });
      await open.page.waitForFunction(() => document.activeElement?.getAttribute('aria-label')?.startsWith('Merge'));
    });
  },
  { case: 'that came up after the preview' },
);

verifies('webview:review:discard', () => {
  const engine = sceneOf('review');
  const both = engine.workspace.worktrees;
  engine.answer('worktree/discard', ({ name }) => {
    engine.sendWorkspace({ worktrees: { worktrees: both.worktrees.slice(1), trash: [{ id: 'fox-1', name, branch: 'b', discardedAtMs: Date.now(), files: 3 }, ...both.trash] } });
    return { trashId: 'fox-1' };
  });
  engine.answer('worktree/restore', ({ trashId }) => {
    if (trashId !== 'fox-1') return { problem: 'Its branch name is taken. Rename that branch first.' };
    engine.sendWorkspace({ worktrees: both });
    return { name: fox };
  });
  return withPage(engine, async (open) => {
    const card = await review(open);
    await card.getByRole('button', { name: `Discard ${fox}` }).click();
    expect(await open.called('worktree/discard')).toEqual({ name: fox });
    await card.waitFor({ state: 'detached' });
    expect(await open.page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Changes to review');
    const trash = open.page.getByRole('region', { name: 'Trash' });
    await trash.getByText('3 files · just now').waitFor();
    await open.page.getByRole('button', { name: 'Undo', exact: true }).click();
    expect(await open.called('worktree/restore')).toEqual({ trashId: 'fox-1' });
    await card.waitFor();
    await trash.getByRole('button', { name: 'Restore spike-vite' }).click();
    await open.page.getByText('Its branch name is taken. Rename that branch first.').waitFor();
  });
});

verifies('webview:review:empty', () =>
  withPage(sceneOf('empty'), async (open) => {
    await open.page.getByRole('tab', { name: 'Review' }).click();
    await open.page.getByText('Nothing to review').waitFor();
    open.engine.sendWorkspace({ worktrees: { off: 'This folder is not in a git repository.', worktrees: [], trash: [] } });
    await open.page.getByText('This folder is not in a git repository.').waitFor();
  }),
);

function undoable(state?: { off: string }): FakeHost {
  const engine = sceneOf('empty');
  engine.append(turnStarted);
  engine.append({ type: 'turn/snapshotTaken', agentId: main, turnId, ...state });
  engine.append(said('Make the tide turn at five.'));
  engine.append(replied('m1', [text('Done.')]));
  return engine;
}
const ended = { type: 'turn/completed', agentId: main, turnId, stop: 'done', usage: {}, costUsd: 0, durationMs: 1 } as const;

verifies('webview:undo:turn', () => {
  const engine = undoable();
  const report = { restored: ['src/tide.js'], skipped: [{ path: 'README.md', reason: 'edited-since' as const }], backup: 'before-undo', commitsStay: true };
  engine.answer('turn/undo', () => {
    engine.emit({ type: 'turn/undone', agentId: main, turnId, report });
    return report;
  });
  engine.answer('turn/redo', () => {
    engine.emit({ type: 'turn/redone', agentId: main, turnId, report: { ...report, skipped: [] } });
    return report;
  });
  return withPage(engine, async (open) => {
    const undo = open.page.getByRole('button', { name: /^Undo this turn/ });
    await undo.focus();
    await open.page.keyboard.press('Enter');
    expect(open.calls('turn/undo')).toEqual([]);
    engine.emit(ended);
    await open.settled();
    await undo.focus();
    await open.page.keyboard.press('Enter');
    expect(await open.called('turn/undo')).toEqual({ sessionId: 'session-1', turnId });
    const undone = open.page.getByRole('region', { name: 'This turn was undone' });
    await undone.getByText('Undone: 1 file is as before this message').waitFor();
    await undone.getByText('README.md: edited since, so it was kept').waitFor();
    await undone.getByText('Commits made in this turn stay').waitFor();
    await undone.getByRole('button', { name: 'Redo' }).click();
    expect(await open.called('turn/redo')).toEqual({ sessionId: 'session-1', turnId, backup: 'before-undo' });
    await undone.waitFor({ state: 'detached' });
    await open.page.getByText('Make the tide turn at five.').first().click({ button: 'right' });
    await open.page.getByRole('menuitem', { name: 'Undo this turn' }).click();
    await open.called('turn/undo', 1);
  });
});

verifies(
  'webview:undo:turn',
  () => {
    const engine = undoable({ off: 'there is no git repository here' });
    engine.append(ended);
    return withPage(engine, async (open) => {
      const button = open.page.getByRole('button', { name: 'This turn can’t be undone: there is no git repository here' });
      expect(await button.getAttribute('aria-disabled')).toBe('true');
    });
  },
  { case: 'or says why not' },
);

verifies('webview:demo:label', () =>
  withPage(sceneOf('demo'), async (open) => {
    for (const tab of ['Chat', 'Agents', 'Review']) {
      await open.page.getByRole('tab', { name: tab }).click();
      await open.page.getByText('Demo: scripted, no model').waitFor();
    }
    await open.page.getByRole('button', { name: 'Manage trust' }).click();
    await open.called('trust/manage');
    open.engine.sendWorkspace({ model: { state: 'none', ways: ['apiKey', 'demo'], problem: undefined } });
    await open.page.getByRole('tab', { name: 'Chat' }).click();
    await open.page.getByText('Try the demo').click();
    expect(await open.called('model/setup')).toEqual({ way: 'demo' });
  }),
);

verifies('webview:message:sender', () => {
  const engine = sceneOf('agents');
  for (const words of ['Write the tests.', 'Also the slow ones.'])
    engine.append({ type: 'message/received', agentId: 'agent-5', turnId: 't5', messageId: words, role: 'user', origin: 'agent', content: [{ type: 'text', text: words }] });
  return withPage(engine, async (open) => {
    await open.page.getByRole('tab', { name: 'Agents' }).click();
    await open.page.getByRole('treeitem').filter({ hasText: 'tests' }).first().click();
    await open.page.getByText('Brief from coder-1').waitFor();
    expect(await open.page.locator('.fold .name').allTextContents()).toEqual(['Brief from coder-1', 'coder-1']);
  });
});
