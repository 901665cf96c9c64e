import { execFileSync } from 'node:child_process';
import { existsSync, symlinkSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished } from 'vitest';
import type { AgentWorktrees } from '../../extension/agents/worktreePort';
import { ok } from '../../extension/base/result';
import type { EngineOptions, EnginePorts } from '../../extension/engine';
import { createEngineParts } from '../../extension/engine/engineParts';
import { openSettings } from '../../extension/engine/openSettings';
import { createSessionKit } from '../../extension/engine/sessionKitOf';
import { Sessions } from '../../extension/engine/sessions';
import { createModelAccess } from '../../extension/model/modelAccess';
import { createGitRunner } from '../../extension/platform/gitRunner';
import { systemClock } from '../../extension/platform/systemClock';
import type { DurableEvent } from '../../extension/protocol/events';
import type { PermissionRequest } from '../../extension/protocol/permission';
import { agent, agentNamed, bash } from '../support/agentScripts';
import { callTool, reply, say, when } from '../support/script';
import { once, startModel } from '../support/startEngine';
import { createTempRepo, type TempRepo } from '../support/tempRepo';
import { verifies } from '../support/verifies';

/** Plain `git worktree`, as the port's other side will do it with more care. */
function plainWorktrees(repo: TempRepo, finished: string[]): AgentWorktrees {
  const finish = async (name: string) => {
    finished.push(name);
    return { note: `Its changes are on worktree-${name}.` };
  };
  const at = (name: string) => ({ name, path: repo.path(`.claude/worktrees/${name}`), branch: `worktree-${name}`, note: 'This is a worktree of your own.', finish: () => finish(name) });
  return {
    open: async ({ name }) => {
      const tree = at(name.replaceAll(/\W+/g, '-'));
      execFileSync('git', ['worktree', 'add', '-q', '-b', tree.branch, tree.path], { cwd: repo.root, stdio: 'ignore' });
      return ok(tree);
    },
    reopen: async ({ name }) => ok(at(name)),
  };
}

async function openSessions(repo: TempRepo, url: string, finished: string[]): Promise<Sessions> {
  const quiet = (): void => undefined;
  const ports: EnginePorts = {
    clock: systemClock,
    log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
    secrets: { get: async () => undefined, set: async () => undefined, delete: async () => undefined },
    trust: { isTrusted: () => true, onDidGrant: () => ({ dispose: quiet }) },
  };
  const options: EngineOptions = {
    cwd: repo.root,
    addDirs: [],
    configRoot: repo.configRoot,
    homeDir: repo.homeDir,
    env: { PATH: process.env['PATH'] ?? '', HOME: repo.homeDir, TMPDIR: repo.tempDir, ANTHROPIC_API_KEY: 'test-key', ANTHROPIC_BASE_URL: url },
    assetsDir: fileURLToPath(new URL('../../node_modules/@vscode/tree-sitter-wasm/wasm', import.meta.url)),
    ripgrepPath: undefined,
    version: '0.0.0-test',
    flagSettings: [],
    interactive: true,
  };
  const settings = await openSettings(ports, options, createGitRunner(options.cwd));
  const parts = createEngineParts(ports, options, settings);
  const models = await createModelAccess({ env: options.env, secrets: ports.secrets, settings: settings.model, saveChoice: settings.saveModelChoice, clock: ports.clock, log: ports.log });
  const sessions = new Sessions({ ...createSessionKit({ ports, options, settings, parts, models }), worktrees: plainWorktrees(repo, finished) });
  onTestFinished(async () => {
    await sessions.close();
    models.dispose();
    settings.dispose();
    await parts.close();
  });
  return sessions;
}

type Live = Awaited<ReturnType<Sessions['start']>>;
const untilAsk = (session: Live): Promise<PermissionRequest> =>
  new Promise((resolve) => {
    const open = session.log.view.pendingAsks[0];
    if (open?.kind === 'permission') resolve(open.request);
    else
      session.log.on((event) => {
        if (event.type === 'permission/requested') resolve(event.request);
      });
  });
const result = (events: readonly DurableEvent[], callId: string) => {
  const event = events.findLast((one) => one.type === 'tool/completed' && one.callId === callId);
  return event?.type === 'tool/completed' ? { outcome: event.outcome, content: String(event.content) } : undefined;
};

verifies('subagents:place:worktree', async () => {
  const repo = createTempRepo({ 'src/a.txt': 'a\n', 'CLAUDE.md': 'Tabs.\n' });
  const server = await startModel([
    when({ first: 'APART' }, [
      callTool('Write', { file_path: repo.path('.claude/worktrees/fix/new.txt'), content: 'new\n' }, { id: 'w1' }),
      callTool('Write', { file_path: repo.path('stolen.txt'), content: 'x' }, { id: 'w2' }),
      callTool('Write', { file_path: repo.path('.claude/worktrees/fix/link/x.txt'), content: 'x' }, { id: 'w3' }),
      bash('cd .. && echo x > ../../stolen2.txt', 'w4'),
      reply(bash('pwd', 'w5'), bash('git -C ../../.. commit --allow-empty -m x', 'w6')),
      say('made apart'),
    ]),
    agent('APART', 'm1', { isolation: 'worktree', name: 'fix' }),
    say('done'),
  ]);
  const finished: string[] = [];
  const sessions = await openSessions(repo, server.url, finished);
  const session = await sessions.start('default');
  const asked: PermissionRequest[] = [];
  session.log.on((event) => {
    if (event.type === 'agent/spawned') symlinkSync(repo.outside, repo.path('.claude/worktrees/fix/link'));
    if (event.type !== 'permission/requested') return;
    asked.push(event.request);
    void session.replyPermission(event.request.requestId, { behavior: 'deny' });
  });
  session.submit({ text: 'go', attachments: [] }, false);
  expect(await session.settled()).toMatchObject({ stop: 'done' });
  const events = session.log.events;
  const { agentId } = agentNamed(session.log.view, 'APART');
  expect(['w1', 'w2', 'w3', 'w4', 'w5', 'w6'].map((id) => [id, result(events, id)?.outcome])).toEqual([['w1', 'completed'], ['w2', 'denied'], ['w3', 'denied'], ['w4', 'denied'], ['w5', 'completed'], ['w6', 'denied']]);
  expect(result(events, 'w5')?.content).toContain('.claude/worktrees/fix');
  expect(result(events, 'w2')?.content).toContain('main checkout');
  for (const request of asked) expect(request).toMatchObject({ agentPath: ['main', agentId], worktree: 'fix' });
  expect([existsSync(repo.path('new.txt')), existsSync(repo.path('stolen.txt')), existsSync(repo.path('stolen2.txt'))]).toEqual([false, false, false]);
  expect(repo.git('log', '--oneline').trim().split('\n')).toHaveLength(1);
  expect(session.log.view.agents[agentId]).toMatchObject({ worktree: 'fix', status: 'done' });
  expect(result(events, 'm1')?.content).toMatch(/made apart[\s\S]*worktree-fix[\s\S]*Its changes are on worktree-fix\./);
  expect(finished).toEqual(['fix']);
});

verifies(
  'subagents:place:worktree',
  async () => {
    const repo = createTempRepo();
    const server = await startModel([when({ first: 'APART' }, [bash('node -e 0', 'w1'), say('made apart')]), agent('APART', 'm1', { isolation: 'worktree', name: 'fix' }), say('done')]);
    const finished: string[] = [];
    const first = await openSessions(repo, server.url, finished);
    const before = await first.start('default');
    before.submit({ text: 'go', attachments: [] }, false);
    const request = await untilAsk(before);
    await first.close();
    expect(finished).toEqual([]);
    const second = await openSessions(repo, server.url, finished);
    const after = await second.resume(before.sessionId);
    expect(await untilAsk(after)).toEqual(request);
    await after.replyPermission(request.requestId, once);
    expect(await after.settled()).toMatchObject({ stop: 'done' });
    expect(result(after.log.events, 'm1')?.content).toContain('made apart');
    expect(finished).toEqual(['fix']);
  },
  { case: 'after a reload' },
);
