import { createServer } from 'node:net';
import { expect } from 'vitest';
import { systemClock } from '../../extension/platform/systemClock';
import type { Clock } from '../../extension/ports';
import { callTool, cutInput, dropAfter, reply, say, stallAfter, status, stopWith } from '../support/script';
import { runHeadless } from '../support/spawnHeadless';
import { startEngine, startModel } from '../support/startEngine';
import { createTempRepo } from '../support/tempRepo';
import { verifies } from '../support/verifies';

const json = ['-p', 'go', '--output-format', 'json'];

verifies('scenarios:fails:no-model', async () => {
  const run = await runHeadless(['-p', 'hi'], { repo: createTempRepo() });
  expect(run).toMatchObject({ exitCode: 1, stdout: '' });
  expect(run.stderr.split('troupe:')).toHaveLength(2);
  for (const way of ['ANTHROPIC_API_KEY', 'ANTHROPIC_BASE_URL', 'ANTHROPIC_MODEL']) expect(run.stderr).toContain(way);
});

verifies('scenarios:fails:wrong-key', async () => {
  const server = await startModel([]);
  const run = await runHeadless(json, { repo: createTempRepo(), server, env: { ANTHROPIC_API_KEY: 'sk-wrong-4711' } });
  expect(run).toMatchObject({ exitCode: 1, result: { is_error: true, subtype: 'error_during_execution', result: expect.stringContaining('401') } });
  expect(run.stderr).toContain('401');
  expect(run.stdout + run.stderr).not.toContain('sk-wrong-4711');
  expect(server.messageRequests()).toHaveLength(1);
});

verifies('scenarios:fails:unknown-model', async () => {
  const server = await startModel([]);
  const run = await runHeadless([...json, '--model', 'claude-nothing-9'], { repo: createTempRepo(), server });
  expect(run.exitCode).toBe(1);
  expect(run.stderr).toContain('claude-nothing-9');
  expect(run.stderr).toContain('404');
});

/** Waiting between attempts takes no time, but it passes. */
function createHurriedClock(): Clock {
  let skippedMs = 0;
  return {
    ...systemClock,
    nowMs: () => Date.now() + skippedMs,
    sleep: async (ms, signal) => {
      if (ms > 30_000) return systemClock.sleep(ms, signal); // the watchdog of a stream that may yet come
      skippedMs += ms;
    },
  };
}

verifies('scenarios:fails:no-network', async () => {
  const closed = await new Promise<number>((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
  const session = await startEngine({ script: [], interactive: false, clock: createHurriedClock(), env: { ANTHROPIC_BASE_URL: `http://127.0.0.1:${closed}` } });
  const end = await session.prompt('hi');
  expect(end).toMatchObject({ stop: 'error', problem: { code: 'network', retryable: true, message: expect.stringContaining(`127.0.0.1:${closed}`) } });
  expect(end?.problem?.message).toContain('ECONNREFUSED');
  expect(session.events.some((event) => event.type === 'model/waiting')).toBe(true);
});

verifies('scenarios:ends:refusal', async () => {
  const server = await startModel([reply(say('I can'), stopWith('refusal'))]);
  const run = await runHeadless(json, { repo: createTempRepo(), server });
  expect(run).toMatchObject({ exitCode: 1, result: { subtype: 'error_during_execution', is_error: true, result: expect.stringContaining('refusal') } });
});

verifies('scenarios:ends:max-tokens', async () => {
  const server = await startModel([reply(say('half of'), stopWith('max_tokens')), say(' a sentence')]);
  const run = await runHeadless(['-p', 'go'], { repo: createTempRepo(), server });
  expect(run.exitCode).toBe(0);
  expect(run.stdout).toContain('a sentence');
  expect(server.messageRequests()).toHaveLength(2);
});

verifies('scenarios:ends:cut-call', async () => {
  const server = await startModel([cutInput('Bash', { command: 'touch made.txt' }, 26), say('sorry')]);
  const repo = createTempRepo();
  const run = await runHeadless([...json, '--allowedTools', 'Bash'], { repo, server });
  expect(run.exitCode).toBe(0);
  expect(() => repo.read('made.txt')).toThrow('ENOENT');
  expect(() => repo.read('m')).toThrow('ENOENT');
  expect(JSON.stringify(server.messageRequests()[1]?.body)).toMatch(/"is_error":true/);
});

verifies('scenarios:retries:rate-limit', async () => {
  const server = await startModel([status(429, { retryAfter: 1 }), status(529), say('in the end')]);
  const run = await runHeadless(['-p', 'go'], { repo: createTempRepo(), server });
  expect(run).toMatchObject({ exitCode: 0, stdout: 'in the end\n' });
  const [first, second] = server.messageRequests();
  expect((second?.receivedAtMs ?? 0) - (first?.receivedAtMs ?? 0)).toBeGreaterThanOrEqual(1000);
  expect(server.messageRequests()).toHaveLength(3);
});

verifies('scenarios:retries:broken-streams', async () => {
  const server = await startModel([reply(say('this never ends, as it is dropped in the middle of it'), dropAfter(3)), reply(say('and this one falls silent in the middle of it'), stallAfter(3)), say('whole at last')]);
  const run = await runHeadless(json, { repo: createTempRepo(), server, env: { TROUPE_STREAM_IDLE_MS: '300' } });
  expect(run).toMatchObject({ exitCode: 0, result: { result: 'whole at last', num_turns: 1 } });
  expect(server.messageRequests()).toHaveLength(3);
});

verifies(
  'scenarios:retries:broken-streams',
  async () => {
    const server = await startModel([reply(callTool('Bash', { command: 'echo x >> made.txt' }), dropAfter(3)), callTool('Bash', { command: 'echo x >> made.txt' }), say('made')]);
    const repo = createTempRepo();
    const run = await runHeadless(['-p', 'go', '--allowedTools', 'Bash'], { repo, server });
    expect(run.exitCode).toBe(0);
    expect(repo.read('made.txt')).toBe('x\n');
  },
  { case: 'a call of a dropped stream does not run twice' },
);
