import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

export const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;

/** Runs a program against a test server until it ends. @returns its peak memory in MB; throws with its stderr when it fails */
export async function runMeasured(program, args, { server, cwd, configDir }) {
  const child = spawn('/usr/bin/env', ['node', program, ...args], {
    cwd,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'test-key', ANTHROPIC_MODEL: 'test-model', CLAUDE_CONFIG_DIR: configDir },
  });
  let peakKb = 0;
  let stderr = '';
  child.stderr.on('data', (chunk) => (stderr += chunk));
  const watch = setInterval(() => {
    try {
      peakKb = Math.max(peakKb, Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1] ?? 0));
    } catch {
      // the process has just ended
    }
  }, 5);
  const code = await new Promise((resolve) => child.on('close', resolve));
  clearInterval(watch);
  if (code !== 0) throw new Error(`${program} ended with ${code} after ${server.messageRequests().length} requests: ${stderr}`);
  return { peakMb: peakKb / 1024 };
}
