import type { AssistantBlock } from '../../extension/protocol/content';
import type { DurableBody, ToolOutcome } from '../../extension/protocol/events';
import type { PermissionGrant, PermissionRequest } from '../../extension/protocol/permission';
import type { ToolDisplay } from '../../extension/protocol/toolDisplay';
import type { WorktreeFileView, WorktreeView } from '../../extension/protocol/worktree';
import { FakeHost } from '../../webview/transport/fakeTransport';

const main = 'main';
const turnId = 'turn-1';
const usage = { inputTokens: 3000, outputTokens: 900, cacheReadTokens: 38_000 };

export function said(text: string, id = `ask-${text.length}`, agentId = main): DurableBody {
  return { type: 'message/received', agentId, turnId, messageId: id, role: 'user', origin: 'person', content: [{ type: 'text', text }] };
}

export function replied(id: string, content: AssistantBlock[], agentId = main): DurableBody {
  return { type: 'message/completed', agentId, turnId, messageId: id, role: 'assistant', content, model: 'opus', stopReason: 'end_turn', usage, costUsd: 0.21 };
}

export function text(value: string): AssistantBlock {
  return { type: 'text', text: value };
}

export function use(id: string, name: string, input: Record<string, unknown> = {}): AssistantBlock {
  return { type: 'tool_use', id, name, input };
}

interface Call {
  readonly id: string;
  readonly name: string;
  readonly kind: string;
  readonly title: string;
  readonly input?: Record<string, unknown>;
  readonly agentId?: string;
}

export function started(call: Call): DurableBody {
  return { type: 'tool/started', agentId: call.agentId ?? main, turnId, callId: call.id, name: call.name, title: call.title, input: call.input ?? {}, kind: call.kind };
}

export function completed(call: Call, end: { outcome?: ToolOutcome; display?: ToolDisplay; note?: string; content?: string } = {}): DurableBody {
  return {
    type: 'tool/completed',
    agentId: call.agentId ?? main,
    turnId,
    callId: call.id,
    name: call.name,
    outcome: end.outcome ?? 'completed',
    content: end.content ?? '',
    display: end.display,
    note: end.note,
    durationMs: 4100,
  };
}

export function spawned(agentId: string, name: string, parentId = main, callId?: string): DurableBody {
  return {
    type: 'agent/spawned',
    agentId,
    parentId,
    callId,
    agentType: 'coder',
    name,
    description: `edit ${name}`,
    model: 'sonnet',
    depth: parentId === main ? 1 : 2,
    background: false,
    cwd: '/repo',
    worktree: `/repo/.claude/worktrees/${name}`,
  };
}

export function request(requestId: string, change: Partial<PermissionRequest> = {}): DurableBody {
  return { type: 'permission/requested', request: { ...commandRequest, requestId, ...change } };
}

export const commandRequest: PermissionRequest = {
  requestId: 'ask-1',
  callId: 'call-1',
  agentPath: ['main'],
  subject: {
    tool: 'Bash',
    kind: 'command',
    title: 'run a command',
    input: { command: 'npm install --save p-queue' },
    command: 'npm install --save p-queue',
    cwd: '/repo/scheduler',
    risks: ['Downloads from the network and runs package scripts'],
    readOnly: false,
  },
  suggestions: [
    { rules: ['Bash(npm install *)'], scopes: ['agent', 'session', 'local', 'project', 'user'], also: ['npm install lodash@4', 'npm install -g tsx'], not: ['npm run build'] },
  ],
  explanation: { decision: 'ask', reason: 'No rule allows this command' },
  askedAtMs: 0,
};

const editDiff: ToolDisplay = {
  kind: 'diff',
  diff: {
    path: '/repo/src/core/retry.ts',
    kind: 'edit',
    added: 3,
    removed: 1,
    hunks: [
      { oldStart: 38, oldLines: 3, newStart: 38, newLines: 5, lines: [' try {', '-  await task();', '+  signal.throwIfAborted();', '+  await task({ signal });', ' } finally {'] },
    ],
  },
};

const reads: readonly Call[] = [1, 2, 3].map((n) => ({
  id: `read-${n}`,
  name: n === 3 ? 'Grep' : 'Read',
  kind: n === 3 ? 'search' : 'read',
  title: n === 3 ? 'setTimeout' : `/repo/src/core/file${n}.ts`,
}));
const edit: Call = { id: 'edit-1', name: 'Edit', kind: 'edit', title: '/repo/src/core/retry.ts' };
const check: Call = { id: 'run-1', name: 'Bash', kind: 'command', title: 'npm run typecheck', input: { command: 'npm run typecheck' } };
const test: Call = { id: 'run-2', name: 'Bash', kind: 'command', title: 'npm test', input: { command: 'npm test' } };
const fetchDocs: Call = { id: 'fetch-1', name: 'WebFetch', kind: 'fetch', title: 'nodejs.org/api/timers.html', input: { url: 'https://nodejs.org/api/timers.html' } };
const mcp: Call = { id: 'mcp-1', name: 'mcp__github__create_issue', kind: 'mcp', title: 'create_issue', input: { title: 'Retry leaks timers' } };
const failed: ToolDisplay = { kind: 'output', text: 'FAIL scheduler.test.ts\n  expected 0 pending timers, got 2\n  at scheduler.test.ts:48', exitCode: 1 };

function worked(host: FakeHost): void {
  host.append({ type: 'turn/started', agentId: main, turnId });
  host.append(said('Make the scheduler cancel cleanly and add tests.'));
  host.append(
    replied('m1', [
      { type: 'thinking', thinking: 'Where are the timers made?\nIn the retry loop, it seems.', signature: '' },
      text('The retry loop ignores the signal, so a cancelled run keeps two timers. I will read the callers first.'),
      ...reads.map((r) => use(r.id, r.name)),
    ]),
  );
  for (const read of reads) host.append(started(read));
  for (const read of reads) host.append(completed(read, { note: '214 lines' }));
  host.append(replied('m2', [use(edit.id, 'Edit'), use(check.id, 'Bash'), use(test.id, 'Bash'), use(fetchDocs.id, 'WebFetch'), use(mcp.id, mcp.name)]));
  for (const call of [edit, check, test, fetchDocs, mcp]) host.append(started(call));
  host.append(completed(edit, { display: editDiff }));
  host.append(completed(check, { display: { kind: 'output', text: 'ok' } }));
  host.append(completed(test, { outcome: 'failed', display: failed, note: 'Failed · 6.2s' }));
  host.append(completed(fetchDocs, { note: '12 KB' }));
  host.append(completed(mcp, { content: 'Created issue 12.' }));
}

const fix = [
  'Two timers survive because `retry()` never clears them. The fix:',
  '',
  '```ts',
  'for (const t of tasks) {',
  '  if (signal.aborted) break;',
  "  await run(t, { signal, name: 'retry' });",
  '}',
  '```',
  '',
  '- pass `signal` to every retry',
  '- clear the timer in `finally`',
  '',
  '| file | lines |',
  '|---|---|',
  '| [retry.ts](https://example.com/retry) | 12 |',
].join('\n');

export function changed(path: string, change: Partial<WorktreeFileView> = {}): WorktreeFileView {
  return { path, kind: 'modified', added: 18, removed: 4, isBinary: false, isUncommitted: false, ...change };
}

export function worktree(name: string, change: Partial<WorktreeView> = {}): WorktreeView {
  const files = change.files ?? [changed('src/core/retry.ts'), changed('src/core/queue.ts', { added: 6, removed: 2 }), changed('test/scheduler.test.ts', { kind: 'added', added: 41, removed: 0, isUncommitted: true })];
  const sum = (pick: (file: WorktreeFileView) => number): number => files.reduce((total, file) => total + pick(file), 0);
  return {
    name,
    path: `/repo/.claude/worktrees/${name}`,
    branch: `worktree-${name}`,
    baseSha: 'a'.repeat(40),
    state: 'ready',
    ownerAgentId: 'agent-3',
    sessionId: 'session-1',
    files,
    moreFiles: 0,
    added: sum((file) => file.added),
    removed: sum((file) => file.removed),
    commits: 2,
    createdAtMs: 1000,
    isApplied: false,
    conflicts: [],
    skipped: [],
    ...change,
  };
}

export const exampleGrants: readonly PermissionGrant[] = [
  { id: 'g1', scope: 'session', behavior: 'allow', rule: 'Bash(npm test *)', revocable: true },
  { id: 'g2', scope: 'agent', behavior: 'allow', rule: 'Edit(/src/core/**)', agentId: 'agent-1', revocable: true },
  { id: 'g3', scope: 'local', behavior: 'allow', rule: 'Bash(npx vitest run scheduler --reporter=dot --pool=forks)', path: '/repo/.claude/settings.local.json', revocable: true },
  { id: 'g4', scope: 'managed', behavior: 'deny', rule: 'Read(**/.env)', path: '/etc/claude-code/managed-settings.json', revocable: false },
];

/** Every state worth looking at: what is checked with axe in each theme and width, and drawn to test/.out. */
export const scenes: Readonly<Record<string, () => FakeHost>> = {
  setUp: () => {
    const host = new FakeHost();
    host.workspace = { ...host.workspace, model: { state: 'none', ways: ['vscodeModel', 'apiKey', 'baseUrl', 'demo'], problem: undefined } };
    return host;
  },
  empty: () => {
    const host = new FakeHost();
    const session = (id: string, title: string, group: 'needsYou' | 'working' | 'done') => ({
      sessionId: id,
      title,
      group,
      startedAtMs: 0,
      lastEventAtMs: Date.now() - 240_000,
      pendingAsks: group === 'needsYou' ? 2 : 0,
      costUsd: 0.84,
      readOnly: false,
    });
    host.workspace = {
      ...host.workspace,
      editor: { file: '/repo/src/core/scheduler.ts', selection: { path: '/repo/src/core/scheduler.ts', startLine: 40, endLine: 62 }, problemCount: 3 },
      sessions: [
        session('s1', 'Move the docs to Vite', 'needsYou'),
        session('s2', 'Flaky upload test', 'working'),
        session('s3', 'Type the event bus, with all its many handlers and their options', 'done'),
      ],
    };
    return host;
  },
  streaming: () => {
    const host = new FakeHost();
    worked(host);
    host.append({ type: 'message/started', agentId: main, turnId, messageId: 'm3', model: 'opus' });
    host.emitLive({ type: 'message/delta', agentId: main, messageId: 'm3', block: 0, kind: 'text', offset: 0, text: fix });
    return host;
  },
  agents: () => {
    const host = new FakeHost();
    host.append({ type: 'turn/started', agentId: main, turnId });
    host.append(said('Make the scheduler cancel cleanly.'));
    host.append(
      replied('m1', [text('Three parts can run side by side, each in its own worktree.'), use('a1', 'Agent'), use('a2', 'Agent'), use('a3', 'Agent'), use('a4', 'Agent')]),
    );
    for (const [id, name, call] of [
      ['agent-1', 'coder-1', 'a1'],
      ['agent-2', 'coder-2', 'a2'],
      ['agent-3', 'explorer', 'a3'],
      ['agent-4', 'tester', 'a4'],
    ] as const) {
      host.append(started({ id: call, name: 'Agent', kind: 'agent', title: name }));
      host.append(spawned(id, name, main, call));
    }
    host.append({ type: 'agent/statusChanged', agentId: 'agent-1', status: 'working', activity: 'Edit src/core/retry.ts' });
    host.append(spawned('agent-5', 'tests', 'agent-1'));
    host.append({ type: 'agent/finished', agentId: 'agent-3', outcome: 'done', summary: 'Found 7 callers', costUsd: 0.01, durationMs: 12_000 });
    host.append({ type: 'agent/finished', agentId: 'agent-4', outcome: 'failed', summary: '3 tests failed', costUsd: 0.01, durationMs: 9_000 });
    return host;
  },
  review: () => {
    const host = sceneOf('agents');
    host.workspace = {
      ...host.workspace,
      worktrees: {
        worktrees: [
          worktree('bright-running-fox'),
          worktree('calm-sailing-owl', { state: 'active', ownerAgentId: 'agent-1', commits: 0, files: [changed('src/core/queue.ts', { isUncommitted: true }), changed('package.json', { added: 4, removed: 1 })] }),
          worktree('keen-painting-lynx', {
            state: 'conflicted',
            ownerAgentId: 'agent-4',
            commits: 1,
            isApplied: true,
            files: [
              changed('src/view/with a rather long name of a component that nobody wanted.tsx', { kind: 'renamed', oldPath: 'src/view/short.tsx' }),
              changed('media/logo.png', { kind: 'added', isBinary: true, added: 0, removed: 0 }),
              changed('src/old.ts', { kind: 'deleted', added: 0, removed: 120 }),
            ],
            moreFiles: 34,
            conflicts: [
              { path: 'src/view/short.tsx', reason: 'branch' },
              { path: 'src/old.ts', reason: 'uncommitted' },
            ],
            skipped: ['data/huge.bin'],
            problem: 'Its branch was moved by hand to another commit. What it holds is shown from there.',
          }),
        ],
        trash: [
          { id: 'swift-flying-hare-1', name: 'swift-flying-hare', branch: 'worktree-swift-flying-hare', discardedAtMs: Date.now() - 20_000, files: 1 },
          { id: 'spike-2', name: 'spike-vite', branch: 'worktree-spike-vite', discardedAtMs: Date.now() - 26 * 3_600_000, files: 6 },
        ],
      },
    };
    return host;
  },
  reviewOff: () => {
    const host = new FakeHost();
    host.workspace = { ...host.workspace, worktrees: { off: 'This folder is not in a git repository. Run `git init` and make a first commit, and agents can work in worktrees.', worktrees: [], trash: [] } };
    return host;
  },
  undone: () => {
    const host = new FakeHost();
    host.append({ type: 'turn/started', agentId: main, turnId: 'turn-0' });
    host.append({ type: 'turn/snapshotTaken', agentId: main, turnId: 'turn-0' });
    host.append({ ...said('Make the tide turn at five.'), turnId: 'turn-0' } as DurableBody);
    host.append({ type: 'turn/completed', agentId: main, turnId: 'turn-0', stop: 'done', usage: {}, costUsd: 0, durationMs: 5000 });
    host.append({
      type: 'turn/undone',
      agentId: main,
      turnId: 'turn-0',
      report: { restored: ['src/tide.js', 'src/berth.js'], skipped: [{ path: 'README.md', reason: 'edited-since' }], backup: 'backup-1', commitsStay: true },
    });
    host.append({ type: 'turn/started', agentId: main, turnId });
    host.append({ type: 'turn/snapshotTaken', agentId: main, turnId });
    host.append(said('Count the berths.'));
    host.append(replied('m1', [text('There are twelve.')]));
    host.append({ type: 'turn/completed', agentId: main, turnId, stop: 'done', usage: {}, costUsd: 0, durationMs: 5000 });
    return host;
  },
  restricted: () => {
    const host = new FakeHost();
    host.workspace = { ...host.workspace, trusted: false };
    return host;
  },
  demoStart: () => {
    const host = new FakeHost();
    host.workspace = { ...host.workspace, model: { state: 'ready', provider: 'demo', model: 'demo', label: 'Demo (scripted, no model)', contextTokens: 200_000, baseUrl: undefined } };
    return host;
  },
  demo: () => {
    const host = sceneOf('undone');
    host.workspace = { ...host.workspace, trusted: false, model: { state: 'ready', provider: 'demo', model: 'demo', label: 'Demo', contextTokens: 200_000, baseUrl: undefined } };
    return host;
  },
  hooked: () => {
    const host = new FakeHost();
    host.append({ type: 'turn/started', agentId: main, turnId });
    host.append(said('Push it.'));
    const push = { id: 'push', name: 'Bash', kind: 'command', title: 'Bash git push origin main', input: { command: 'git push origin main' } };
    host.append(replied('r-push', [use('push', 'Bash', push.input)]));
    host.append(started(push));
    const hook = { type: 'hook/ran', agentId: main, callId: 'push', event: 'PreToolUse', source: 'project' } as const;
    host.append({ ...hook, label: 'node .claude/format.js', outcome: 'ok', durationMs: 120, output: '' });
    host.append({ ...hook, source: 'managed', label: 'python3 /etc/guard/push.py --branch main --strict --team docks', outcome: 'blocked', exitCode: 2, durationMs: 2300, output: 'Nobody pushes to main on a Friday.' });
    host.append({ ...hook, event: 'PermissionDenied', label: 'sh tell.sh', outcome: 'timedOut', durationMs: 10_000, output: 'it did not end within its time limit and was stopped' });
    host.append(completed(push, { outcome: 'denied', content: 'The hook did not let Bash run.' }));
    const build = { id: 'build', name: 'Bash', kind: 'command', title: 'Bash npm run build', input: { command: 'npm run build' } };
    host.append(replied('r-build', [use('build', 'Bash', build.input)]));
    host.append(started(build));
    host.emitLive({ type: 'hook/waiting', agentId: main, callId: 'build', labels: ['node .claude/slow.js'] });
    return host;
  },
  dock: () => {
    const host = new FakeHost();
    worked(host);
    host.append(spawned('agent-1', 'coder-1'));
    host.append(spawned('agent-5', 'tests', 'agent-1'));
    const long = 'npx vitest run scheduler --reporter=dot --pool=forks && npx tsc -p tsconfig.test.json --noEmit';
    host.append(
      request('ask-1', {
        agentPath: ['main', 'agent-1', 'agent-5'],
        worktree: '/repo/.claude/worktrees/coder-1',
        subject: { ...commandRequest.subject, command: long, input: { command: long } },
        explanation: {
          decision: 'ask',
          reason: 'One of the two commands is new',
          parts: [
            { command: 'vitest', decision: 'allow', rule: 'Bash(npx vitest *)' },
            { command: 'tsc', decision: 'ask' },
          ],
        },
        askedAtMs: Date.now() - 31_000,
      }),
    );
    return host;
  },
  queue: () => {
    const host = new FakeHost();
    worked(host);
    host.append(spawned('agent-1', 'coder-1'));
    host.append(request('ask-1', { askedAtMs: Date.now() - 31_000 }));
    host.append(
      request('ask-2', {
        agentPath: ['main', 'agent-1'],
        worktree: '/repo/.claude/worktrees/coder-1',
        subject: {
          ...commandRequest.subject,
          tool: 'Edit',
          kind: 'edit',
          title: 'edit retry.ts',
          command: undefined,
          diff: editDiff.kind === 'diff' ? editDiff.diff : undefined,
          risks: [],
        },
        askedAtMs: Date.now() - 12_000,
      }),
    );
    host.append(
      request('ask-3', {
        subject: { ...commandRequest.subject, tool: 'WebFetch', kind: 'fetch', title: 'reach a new host', command: undefined, url: 'https://registry.npmjs.org/' },
        askedAtMs: Date.now() - 4000,
      }),
    );
    host.append({ type: 'turn/queued', agentId: main, queueId: 'q1', text: 'Also keep the old option name working', attachments: [] });
    host.append({ type: 'turn/queued', agentId: main, queueId: 'q2', text: 'Then update the changelog', attachments: [] });
    return host;
  },
  plan: () => {
    const host = new FakeHost();
    host.append({ type: 'turn/started', agentId: main, turnId });
    host.append(said('Plan the cancellation work.'));
    host.append(replied('m1', [use('p1', 'ExitPlanMode')]));
    host.append({
      type: 'plan/proposed',
      request: {
        requestId: 'plan-1',
        callId: 'p1',
        agentPath: [main],
        plan: '1. Thread the signal through the retry loop\n   - `scheduler.ts`, `retry.ts`\n2. Bound the queue at 64 entries\n3. Add cancellation tests\n4. Review the three diffs together',
        path: '/repo/.claude/plans/p.md',
        askedAtMs: 0,
      },
    });
    return host;
  },
  question: () => {
    const host = new FakeHost();
    host.append({ type: 'turn/started', agentId: main, turnId });
    host.append(said('Make it cancel.'));
    host.append({
      type: 'question/asked',
      request: {
        requestId: 'q-1',
        callId: 'c1',
        agentPath: [main],
        askedAtMs: 0,
        questions: [
          {
            question: 'What should a cancelled run return?',
            header: 'Result',
            multiSelect: false,
            options: [
              { label: 'Reject with AbortError', description: 'What fetch does; callers already handle it' },
              { label: 'Resolve with partial results', description: 'Needs a new return type' },
            ],
          },
          {
            question: 'Which parts get tests?',
            header: 'Tests',
            multiSelect: true,
            options: [
              { label: 'Scheduler', description: '' },
              { label: 'Queue', description: '' },
            ],
          },
        ],
      },
    });
    return host;
  },
  ends: () => {
    const host = new FakeHost();
    worked(host);
    host.append({ type: 'notice/raised', notice: { noticeId: 'n1', level: 'info', code: 'compacted', title: 'Earlier turns summarised · 142k to 18k' } });
    host.append({
      type: 'notice/raised',
      notice: {
        noticeId: 'n2',
        level: 'warning',
        code: 'skill',
        title: 'A skill did not load',
        detail: 'review-diff has no description. Add one to its SKILL.md.',
        actions: [{ id: 'openFile:/repo/.claude/skills/x/SKILL.md', label: 'Open it' }],
      },
    });
    host.append(replied('m4', [text('I was about to edit `queue.ts`.')]));
    host.append({ type: 'turn/completed', agentId: main, turnId, stop: 'interrupted', usage: {}, costUsd: 0, durationMs: 5000 });
    return host;
  },
  error: () => {
    const host = new FakeHost();
    worked(host);
    host.append({
      type: 'turn/completed',
      agentId: main,
      turnId,
      stop: 'error',
      problem: { code: 'rate_limit', message: 'The model service is busy and did not answer after 5 attempts', retryable: true },
      usage: {},
      costUsd: 0,
      durationMs: 5000,
    });
    return host;
  },
};

export function sceneOf(name: string): FakeHost {
  const scene = scenes[name];
  if (!scene) throw new Error(`there is no scene "${name}"; there are ${Object.keys(scenes).join(', ')}`);
  return scene();
}
