import { setTimeout as delay } from 'node:timers/promises';

/**
 * Ask again until the answer is truthy; throws, with what was waited for, when the time is up.
 * @template T
 * @param {string} what completes the sentence "waited in vain for …"
 * @param {() => T | undefined | false | null | Promise<T | undefined | false | null>} ask may throw: counts as "not yet"
 * @param {number} [timeoutMs]
 * @returns {Promise<T>}
 */
export async function waitFor(what, ask, timeoutMs = 60_000) {
  const deadlineMs = Date.now() + timeoutMs;
  let lastProblem;
  for (;;) {
    try {
      const answer = await ask();
      if (answer) return answer;
      lastProblem = undefined;
    } catch (error) {
      lastProblem = error;
    }
    if (Date.now() > deadlineMs) throw new Error(`waited in vain for ${what} (${timeoutMs} ms)`, { cause: lastProblem });
    await delay(50);
  }
}
