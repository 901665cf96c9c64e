import type { AgentEnd } from './agentReport';
import type { TurnEnd } from './turnLoop';

/** What running one sub-agent needs from the one who keeps it. */
export interface RunAgentPorts {
  /** Starts a turn with what has been said to it; does nothing while one runs. */
  readonly go: () => void;
  /** Resolves when its turns are over. */
  readonly settled: () => Promise<TurnEnd | undefined>;
  /** Something was said to it that it has not read. */
  readonly hasMore: () => boolean;
  /** Resolves when one of its own agents in the background has ended; undefined when it has none. */
  readonly nextBackground: () => Promise<unknown> | undefined;
  /** The text of its last reply; empty when it said nothing. */
  readonly lastWords: () => string;
  readonly signal: AbortSignal;
}

/** Runs an agent until it and the agents it started in the background have nothing left to do. Never rejects. */
export async function runAgent(ports: RunAgentPorts): Promise<AgentEnd> {
  for (;;) {
    if (ports.signal.aborted) return stopped(ports);
    ports.go();
    const end = await ports.settled();
    if (ports.signal.aborted || end?.stop === 'interrupted') return stopped(ports);
    if (end && end.stop !== 'done') return { outcome: 'failed', report: ports.lastWords(), why: reason(end) };
    const waiting = ports.nextBackground();
    if (waiting) await orAbort(waiting, ports.signal);
    else if (!ports.hasMore()) return { outcome: 'done', report: ports.lastWords() };
  }
}

function stopped(ports: RunAgentPorts): AgentEnd {
  const why: unknown = ports.signal.reason;
  return { outcome: 'stopped', report: ports.lastWords(), ...(typeof why === 'string' ? { why } : {}) };
}

function reason(end: TurnEnd): string {
  if (end.stop === 'maxTurns') return `it reached its limit of ${end.replies} replies`;
  return end.problem?.message ?? `its turn ended with ${end.stop}`;
}

function orAbort(waiting: Promise<unknown>, signal: AbortSignal): Promise<unknown> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      signal.removeEventListener('abort', done);
      resolve(undefined);
    };
    signal.addEventListener('abort', done, { once: true });
    waiting.then(done, done);
  });
}
