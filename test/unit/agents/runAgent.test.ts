import { expect } from 'vitest';
import { AgentSlots } from '../../../extension/agents/agentSlots';
import { runAgent } from '../../../extension/agents/runAgent';
import type { TurnEnd } from '../../../extension/agents/turnLoop';
import { verifies } from '../../support/verifies';

const end = (stop: TurnEnd['stop'], more: Partial<TurnEnd> = {}): TurnEnd => ({ stop, replies: 2, usage: {}, costUsd: 0, durationMs: 0, apiMs: 0, ...more });
const quiet = { go: () => undefined, hasMore: () => false, nextBackground: () => undefined, lastWords: () => 'so far', signal: new AbortController().signal };

verifies(
  'subagents:run:background',
  async () => {
    let running = 1;
    let turns = 0;
    const done = await runAgent({ ...quiet, go: () => void turns++, settled: async () => end('done'), nextBackground: () => (running-- > 0 ? Promise.resolve() : undefined), lastWords: () => `after ${turns} turns` });
    expect(done).toEqual({ outcome: 'done', report: 'after 2 turns' });
  },
  { case: 'an agent is done when those it started are' },
);

verifies(
  'subagents:stop:one',
  async () => {
    const abort = new AbortController();
    const running = runAgent({ ...quiet, settled: async () => end('done'), nextBackground: () => new Promise(() => undefined), signal: abort.signal });
    abort.abort('the person stopped it');
    expect(await running).toEqual({ outcome: 'stopped', report: 'so far', why: 'the person stopped it' });
  },
  { case: 'while it waits for its agents' },
);

verifies(
  'subagents:run:parallel',
  async () => {
    const failed = (stop: TurnEnd['stop'], more: Partial<TurnEnd> = {}) => runAgent({ ...quiet, settled: async () => end(stop, more) });
    expect(await failed('maxTurns')).toEqual({ outcome: 'failed', report: 'so far', why: 'it reached its limit of 2 replies' });
    expect(await failed('error', { problem: { code: 'server', message: 'The server failed.', retryable: true } })).toEqual({ outcome: 'failed', report: 'so far', why: 'The server failed.' });
  },
  { case: 'a failure keeps what was said' },
);

verifies(
  'subagents:limits:width',
  async () => {
    const slots = new AgentSlots(2);
    const { signal } = new AbortController();
    const order: string[] = [];
    const take = (name: string, by: AbortSignal = signal) => slots.take(by, () => order.push(`${name} queues`)).then((got) => order.push(`${name} ${got ? 'works' : 'gave up'}`));
    await take('a');
    await take('b');
    const leaves = new AbortController();
    const [c, d, e] = [take('c'), take('d', leaves.signal), take('e')];
    leaves.abort();
    await d;
    slots.release();
    await c;
    slots.takeBack();
    slots.release();
    slots.release();
    await e;
    expect(order).toEqual(['a works', 'b works', 'c queues', 'd queues', 'e queues', 'd gave up', 'c works', 'e works']);
  },
  { case: 'first come, first served' },
);
