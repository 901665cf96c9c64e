import { expect } from 'vitest';
import type { Engine } from '../../../extension/engine';
import { EngineHost } from '../../../extension/vscode/engineHost';
import { verifies } from '../../support/verifies';

/** Only what the host touches. */
function engine(ended: string[] = []): Engine {
  return { dispose: async () => void ended.push('ended') } as unknown as Engine;
}

verifies('workbench:engine:one-per-window', async () => {
  const made: Engine[] = [];
  const host = new EngineHost(async () => {
    made.push(engine());
    return made[0]!;
  });
  expect([host.peek(), made.length]).toEqual([undefined, 0]);
  const [first, second] = await Promise.all([host.get(), host.get()]);
  expect(made).toEqual([first]);
  expect(second).toBe(first);
  expect(host.peek()).toBe(first);
});

verifies('workbench:engine:failed-start-is-tried-again', async () => {
  const answers = [() => Promise.reject(new Error('disk full')), () => Promise.resolve(engine())];
  const host = new EngineHost(() => answers.shift()!());
  await expect(host.get()).rejects.toThrow('disk full');
  expect(host.peek()).toBeUndefined();
  expect(await host.get()).toBe(host.peek());
});

verifies('workbench:engine:closing-waits-for-a-start', async () => {
  const ended: string[] = [];
  let finish: (made: Engine) => void = () => undefined;
  const host = new EngineHost(() => new Promise((resolve) => (finish = resolve)));
  const starting = host.get();
  const closing = host.dispose();
  finish(engine(ended));
  await Promise.all([starting, closing, host.dispose()]);
  expect(ended).toEqual(['ended']);
  await expect(host.get()).rejects.toThrow('shutting down');
});
