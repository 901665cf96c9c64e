import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect } from 'vitest';
import { verifies } from '../support/verifies';
import { type OpenPage, type PageOptions, type Theme, WebviewHost } from './host';
import { exampleGrants, sceneOf, scenes } from './scenes';

const axe = readFileSync('node_modules/axe-core/axe.min.js', 'utf8');
const themes: readonly Theme[] = ['dark', 'light', 'hc'];
/** `SHOTS=test/.out` keeps a picture of each look, for people. */
const pictures = process.env['SHOTS'];
let host: WebviewHost;
beforeAll(async () => {
  host = await WebviewHost.start();
});
afterAll(() => host.stop());

/** A state, and what the person did in it before it is looked at. */
const states: Readonly<Record<string, { readonly scene: keyof typeof scenes; readonly act?: (open: OpenPage) => Promise<void> }>> = {
  ...Object.fromEntries(Object.keys(scenes).map((scene) => [scene, { scene }])),
  hooked: {
    scene: 'hooked',
    act: async ({ page }) => {
      await page.locator('.tool .row').first().click();
      await page.getByRole('list', { name: 'Hooks' }).waitFor();
    },
  },
  permissions: { scene: 'hooked', act: openPermissions },
  permissionsNone: {
    scene: 'empty',
    act: async ({ page, engine }) => {
      engine.answer('permission/grants', () => ({ grants: [] }));
      await page.getByLabel('Message', { exact: true }).fill('/permissions');
      await page.keyboard.press('Enter');
      await page.getByText('No rules count here').waitFor();
    },
  },
  setUpForms: {
    scene: 'setUp',
    act: async ({ page }) => {
      await page.getByText('Another server').click();
    },
  },
  always: {
    scene: 'dock',
    act: async ({ page }) => {
      await page.getByRole('button', { name: 'Always…' }).click();
    },
  },
  denying: {
    scene: 'dock',
    act: async ({ page }) => {
      await page.getByRole('button', { name: 'Deny and say what to do instead' }).click();
    },
  },
  slash: {
    scene: 'empty',
    act: async ({ page, engine }) => {
      engine.answer('skill/list', () => ({
        skills: [{ name: 'review-diff', qualified: 'review-diff', kind: 'skill', source: 'Project', description: 'Review a diff', argumentHint: '[branch]', path: '/s' }],
      }));
      await page.getByLabel('Message', { exact: true }).pressSequentially('/re');
      await page.getByRole('option').first().waitFor();
    },
  },
  mode: {
    scene: 'streaming',
    act: async ({ page }) => {
      await page.getByRole('button', { name: 'Mode: Ask first' }).click();
    },
  },
  context: {
    scene: 'streaming',
    act: async ({ page }) => {
      await page.getByRole('button', { name: /^Context/ }).click();
    },
  },
  agentsTab: {
    scene: 'agents',
    act: async ({ page }) => {
      await page.getByRole('tab', { name: /Agents/ }).click();
    },
  },
  localPage: {
    scene: 'empty',
    act: async ({ page, engine }) => {
      engine.answer('command/run', () => ({
        kind: 'page',
        page: {
          title: 'Doctor',
          intro: '2 things deserve a look.',
          groups: [
            {
              title: 'Programs',
              rows: [
                { name: 'git', detail: '2.39.5', badge: 'ok', tone: 'good' },
                { name: 'sandbox', detail: 'bwrap is not installed (Debian: apt install bubblewrap)', badge: 'missing', tone: 'error' },
                { name: 'review-the-diff-of-this-branch/SKILL.md:2', detail: 'the value is never closed', badge: 'warning', tone: 'warning', path: '/repo/SKILL.md', line: 2 },
              ],
            },
          ],
        },
      }));
      await page.getByLabel('Message', { exact: true }).fill('/doctor ');
      await page.getByLabel('Message', { exact: true }).press('Enter');
      await page.getByRole('region', { name: 'Doctor' }).waitFor();
    },
  },
  reviewTab: { scene: 'review', act: openReview },
  reviewEmpty: { scene: 'empty', act: openReview },
  reviewOffTab: { scene: 'reviewOff', act: openReview },
  reviewMore: {
    scene: 'review',
    act: async (open) => {
      await openReview(open);
      await open.page.getByRole('button', { name: 'More for bright-running-fox' }).click();
    },
  },
  merge: {
    scene: 'review',
    act: async (open) => {
      open.engine.answer('worktree/preview', () => ({
        branch: 'main',
        files: ['src/core/retry.ts', 'src/core/queue.ts', 'test/scheduler.test.ts'],
        isDirty: true,
        isFastForward: false,
        conflicts: [],
      }));
      await openMerge(open);
    },
  },
  mergeConflict: {
    scene: 'review',
    act: async (open) => {
      open.engine.answer('worktree/preview', () => ({
        branch: 'main',
        files: [],
        isDirty: true,
        isFastForward: false,
        conflicts: [
          { path: 'src/core/retry.ts', reason: 'branch' },
          { path: 'src/core/queue.ts', reason: 'uncommitted' },
        ],
        problem: 'Nothing was changed: two files would conflict.',
      }));
      await openMerge(open);
    },
  },
  discarded: {
    scene: 'review',
    act: async (open) => {
      open.engine.answer('worktree/discard', () => {
        const { worktrees, trash } = open.engine.workspace.worktrees;
        const entry = { id: 'bright-1', name: 'bright-running-fox', branch: 'worktree-bright-running-fox', discardedAtMs: Date.now(), files: 3 };
        open.engine.sendWorkspace({ worktrees: { worktrees: worktrees.slice(1, 2), trash: [entry, ...trash] } });
        return { trashId: entry.id };
      });
      await openReview(open);
      await open.page.getByRole('button', { name: 'Discard bright-running-fox' }).click();
      await open.page.getByRole('button', { name: 'Undo', exact: true }).waitFor();
    },
  },
  undoMenu: {
    scene: 'undone',
    act: async ({ page }) => {
      await page.getByText('Count the berths.').click({ button: 'right' });
      await page.getByRole('menu').waitFor();
    },
  },
  sessions: {
    scene: 'empty',
    act: async ({ page }) => {
      await page.getByRole('tab', { name: 'Agents' }).click();
      await page.getByText('Move the docs to Vite').hover();
      await page.getByRole('button', { name: /^Delete Move/ }).click();
    },
  },
};

async function openPermissions({ page, engine }: OpenPage): Promise<void> {
  engine.answer('permission/grants', () => ({ grants: [...exampleGrants] }));
  engine.answer('permission/replay', () => ({ total: 2, matched: 1, calls: [{ callId: 'push', agentId: 'main', name: 'Bash', title: 'Bash git push origin main', matched: true, outcome: 'denied' }, { callId: 'build', agentId: 'main', name: 'Bash', title: 'Bash npm run build', matched: false, outcome: 'running' }] }));
  await page.getByLabel('Message', { exact: true }).fill('/permissions');
  await page.keyboard.press('Enter');
  await page.getByRole('textbox', { name: 'Rule' }).fill('Bash(git *)');
  await page.keyboard.press('Enter');
  await page.getByRole('status').filter({ hasText: '1 of 2' }).waitFor();
}

async function openReview({ page }: OpenPage): Promise<void> {
  await page
    .getByRole('tab', { name: /Review/ })
    .or(page.getByRole('button', { name: /^Review( \d+)?$/ }))
    .click();
  await page
    .getByText(/Nothing to review|Worktrees are off here|worktrees?$/)
    .first()
    .waitFor();
}

async function openMerge(open: OpenPage): Promise<void> {
  await openReview(open);
  await open.page.getByRole('button', { name: 'Merge bright-running-fox…' }).click();
  await open.page.locator('.effect').waitFor();
}

interface Look {
  readonly theme: Theme;
  readonly width: number;
}

/** Opens the state once and looks at it in each theme and width. */
async function look(name: string, looks: readonly Look[], layout: PageOptions['layout'] = 'sidebar'): Promise<string[]> {
  const state = states[name];
  const scene = state && scenes[state.scene];
  if (!scene) throw new Error(`no state ${name}`);
  const open = await host.open(scene(), { width: looks[0]?.width, layout });
  await open.settled();
  await state.act?.(open);
  await open.page.evaluate(axe);
  const found: string[] = [];
  for (const { theme, width } of looks) {
    await open.page.setViewportSize({ width, height: 720 });
    await open.setTheme(theme);
    await open.settled();
    if (pictures) await open.page.screenshot({ path: `${pictures}/${name}-${theme}-${width}.png` });
    const lines = [...(await open.page.evaluate(runAxe)), ...(await open.page.evaluate(sideways))];
    found.push(...lines.map((line) => `${name} ${theme} ${width}: ${line}`));
  }
  found.push(...open.errors);
  await open.close();
  return found;
}

async function runAxe(): Promise<string[]> {
  const { axe: checker } = globalThis as unknown as {
    axe: { run(options: unknown): Promise<{ violations: { id: string; nodes: { html: string; any: { message: string }[] }[] }[] }> };
  };
  const result = await checker.run({ resultTypes: ['violations'] });
  return result.violations.map((v) => `${v.id}: ${v.nodes.map((n) => `${n.html.slice(0, 160)} ${n.any[0]?.message ?? ''}`).join(' | ')}`);
}

function sideways(): string[] {
  return [...document.querySelectorAll<HTMLElement>('*')]
    .filter((e) => e.scrollWidth > e.clientWidth + 1 && ['auto', 'scroll'].includes(getComputedStyle(e).overflowX) && !e.closest('pre, .table-box, textarea'))
    .concat(document.documentElement.scrollWidth > innerWidth ? [document.documentElement] : [])
    .map((e) => `sideways: ${e.tagName}.${e.className} ${e.scrollWidth} > ${e.clientWidth}`);
}

const narrow = themes.flatMap((theme) => [220, 320].map((width) => ({ theme, width })));

for (const name of Object.keys(states)) {
  verifies('webview:axe:clean', async () => expect(await look(name, narrow)).toEqual([]), { case: name, timeoutMs: 60_000 });
}

for (const name of ['agents', 'streaming', 'dock', 'reviewTab', 'mergeConflict']) {
  verifies(
    'webview:axe:clean',
    async () =>
      expect(
        await look(
          name,
          themes.map((theme) => ({ theme, width: 1200 })),
          'wide',
        ),
      ).toEqual([]),
    { case: `${name}, wide`, timeoutMs: 60_000 },
  );
}

verifies(
  'webview:width:fits',
  async () => {
    const looks = [220, 260, 300, 400].map((width) => ({ theme: 'dark' as const, width }));
    const found = [...(await look('streaming', looks)), ...(await look('queue', looks))];
    expect(found.filter((line) => line.includes('sideways'))).toEqual([]);
  },
  { timeoutMs: 60_000 },
);

verifies('webview:csp:holds', async () => {
  const open = await host.open(sceneOf('streaming'));
  await open.page.getByText('signal.aborted').waitFor();
  await open.settled();
  expect(open.errors).toEqual([]);
  await open.close();
});
