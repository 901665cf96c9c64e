import { afterAll, beforeAll, expect } from 'vitest';
import { verifies } from '../support/verifies';
import { WebviewHost } from './host';
import { exampleGrants, sceneOf } from './scenes';
import { box, withPageOf } from './withPage';

let host: WebviewHost;
beforeAll(async () => {
  host = await WebviewHost.start();
});
afterAll(() => host.stop());
const withPage = withPageOf(() => host);

verifies('webview:permissions:page', () => {
  const engine = sceneOf('hooked');
  let grants = exampleGrants;
  engine.answer('permission/grants', () => ({ grants: [...grants] }));
  engine.answer('permission/revoke', ({ grantId }) => {
    if (grantId === 'g3') return { problem: '/repo/.claude/settings.local.json can’t be written: it is read-only' };
    grants = grants.filter((grant) => grant.id !== grantId);
    return {};
  });
  engine.answer('permission/replay', ({ rule }) => (rule.startsWith('Write') ? { total: 2, matched: 0, calls: [], problem: 'write it as Edit(x)' } : { total: 2, matched: 1, calls: [{ callId: 'push', agentId: 'main', name: 'Bash', title: 'Bash git push origin main', matched: true, outcome: 'denied' }] }));
  return withPage(engine, async (open) => {
    await box(open).fill('/permissions');
    await open.page.keyboard.press('Enter');
    const rules = open.page.getByRole('list', { name: 'Rules that count now' }).getByRole('listitem');
    await rules.first().waitFor();
    const shown = async (): Promise<string[]> => (await rules.all()).reduce<Promise<string[]>>(async (all, row) => [...(await all), (await row.innerText()).replace(/\s+/g, ' ')], Promise.resolve([]));
    expect(await shown()).toEqual([
      'allow Bash(npm test *) this session Revoke',
      expect.stringMatching(/^allow Edit\(\/src\/core\/\*\*\) only .* Revoke$/),
      'allow Bash(npx vitest run scheduler --reporter=dot --pool=forks) .claude/settings.local.json Revoke',
      // What an organisation says stays.
      'deny Read(**/.env) /etc/claude-code/managed-settings.json',
    ]);
    await rules.first().getByRole('button', { name: 'Revoke' }).click();
    expect(await open.called('permission/revoke')).toEqual({ sessionId: 'session-1', grantId: 'g1' });
    await expect.poll(() => rules.count()).toBe(3);
    await rules.nth(1).getByRole('button', { name: 'Revoke' }).click();
    await open.page.getByRole('alert').filter({ hasText: 'it is read-only' }).waitFor();
    expect(await rules.count()).toBe(3);

    await open.page.getByRole('combobox', { name: 'What the rule does' }).selectOption('deny');
    await open.page.getByRole('textbox', { name: 'Rule' }).fill('Bash(git *)');
    await open.page.keyboard.press('Enter');
    await open.page.getByText('It would have denied 1 of 2 calls.').waitFor();
    expect(await open.called('permission/replay')).toEqual({ sessionId: 'session-1', rule: 'Bash(git *)', behavior: 'deny' });
    expect(await open.page.getByRole('list', { name: 'Calls the rule speaks about' }).innerText()).toContain('git push origin main');
    await open.page.getByRole('textbox', { name: 'Rule' }).fill('Write(x)');
    await open.page.keyboard.press('Enter');
    await open.page.getByText('write it as Edit(x)').waitFor();
    await open.page.getByRole('button', { name: 'Back to the chat' }).click();
    await open.page.getByText('Push it.').waitFor();
  });
});

verifies('webview:tool:hooks', () =>
  withPage(sceneOf('hooked'), async (open) => {
    await open.page.getByText('node .claude/slow.js').first().waitFor();
    await open.page.locator('.tool .row').first().click();
    const list = open.page.getByRole('list', { name: 'Hooks' }).getByRole('listitem');
    await list.first().waitFor();
    const shown = await list.evaluateAll((all) => all.map((row) => [...row.querySelectorAll('.what, code, .meta, p')].map((part) => part.textContent)));
    expect(shown).toEqual([
      ['PreToolUse hook', 'node .claude/format.js', 'project · 0.1s'],
      ['PreToolUse hook refused', 'python3 /etc/guard/push.py --branch main --strict --team docks', 'managed · 2.3s', 'Nobody pushes to main on a Friday.'],
      ['PermissionDenied hook ran out of time', 'sh tell.sh', 'project · 10.0s', 'it did not end within its time limit and was stopped'],
    ]);
    // Said by more than a colour.
    expect(await list.nth(1).locator('.codicon-circle-slash').count()).toBe(1);
  }),
);
