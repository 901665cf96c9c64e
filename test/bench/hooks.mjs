// node test/bench/hooks.mjs [--runs N]: 200 hooks on one event against a bare Node script that spawns the same 200.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { values } = parseArgs({ options: { runs: { type: 'string' } } });
const runs = Number(values.runs ?? 5);
const count = 200;
const temp = mkdtempSync(path.join(os.tmpdir(), 'troupe-bench-hooks-'));
const script = path.join(temp, 'hook.sh');
writeFileSync(script, 'cat > /dev/null\necho \'{"systemMessage": "seen"}\'\n');
const line = (i) => `sh ${script} ${i}`;
const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];

/** All at once, input on stdin, output kept, JSON read: what anybody would write. */
const bare = (input) =>
  Promise.all(
    Array.from({ length: count }, (_, i) =>
      new Promise((resolve, reject) => {
        const child = spawn('/bin/sh', ['-c', line(i)], { detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
        let out = '';
        child.stdout.on('data', (chunk) => (out += chunk));
        child.on('error', reject);
        child.on('close', (code) => resolve({ code, said: JSON.parse(out) }));
        child.stdin.end(input);
      }),
    ),
  );

try {
  const entry = path.join(temp, 'ours.ts');
  const from = (file) => JSON.stringify(path.join(root, 'extension', file));
  writeFileSync(entry, `export { HookDispatcher } from ${from('hooks/hookDispatcher')}; export { runCommandHook } from ${from('hooks/commandHookRunner')}; export { readHooks } from ${from('hooks/readHooks')}; export { createProcessRunner } from ${from('platform/processRunner')};\n`);
  const outfile = path.join(temp, 'ours.mjs');
  await build({ entryPoints: [entry], outfile, bundle: true, platform: 'node', format: 'esm', target: 'node20', nodePaths: [path.join(root, 'node_modules')], logLevel: 'error', banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" } });
  const { HookDispatcher, runCommandHook, readHooks, createProcessRunner } = await import(outfile);
  const processes = createProcessRunner();
  const { hooks } = readHooks({ PostToolUse: [{ hooks: Array.from({ length: count }, (_, i) => ({ type: 'command', command: line(i) })) }] }, { source: 'user' });
  const env = { PATH: process.env.PATH };
  const nothing = () => undefined;
  const dispatcher = new HookDispatcher({
    env, isMeant: async () => true, ran: nothing, waiting: nothing, late: nothing,
    command: ({ hook, handler, stdin, timeoutMs, signal }) => runCommandHook({ hook, handler, stdin, cwd: temp, timeoutMs, signal }, { processes, env: () => env, projectRoot: temp }),
  });
  const input = { tool_name: 'Bash', tool_input: { command: 'echo hi' }, tool_use_id: 't1' };
  const fire = { event: 'PostToolUse', input, signal: new AbortController().signal, place: { sessionId: 's', agentId: 'main', transcriptPath: '/t', cwd: temp } };
  const [ours, theirs] = [[], []];
  for (let i = 0; i < runs + 1; i++) {
    const begun = performance.now();
    const outcome = await dispatcher.fire(hooks, fire);
    const between = performance.now();
    const all = await bare(JSON.stringify(input));
    const ended = performance.now();
    if (outcome.messages.length !== count || all.some((one) => one.code !== 0)) throw new Error(`not every hook ran: ${JSON.stringify(outcome.replies[0])} ${JSON.stringify(all.find((one) => one.code !== 0))}`);
    if (i === 0) continue; // the first pair warms up
    ours.push(between - begun);
    theirs.push(ended - between);
  }
  await processes.close();
  const ratio = median(ours) / median(theirs);
  console.table([{ what: `${count} hooks on one event`, ours: `${median(ours).toFixed(0)} ms`, bare: `${median(theirs).toFixed(0)} ms`, ratio: ratio.toFixed(2), target: '≤ 1.3', verdict: ratio <= 1.3 ? 'PASS' : 'MISS' }]);
} finally {
  rmSync(temp, { recursive: true, force: true });
}
