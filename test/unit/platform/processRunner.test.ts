import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, expect } from 'vitest';
import { childEnv } from '../../../extension/platform/childEnv';
import { createProcessRunner, type ProcessSpec, sweep } from '../../../extension/platform/processRunner';
import { processStartedAtMs } from '../../../extension/platform/processTimes';
import { verifies } from '../../support/verifies';

const dir = mkdtempSync(join(tmpdir(), 'troupe-proc-'));
const runner = createProcessRunner();
const env = { PATH: process.env['PATH'] ?? '' };
afterAll(() => runner.close());

function sh(script: string, more: Partial<ProcessSpec> = {}): ProcessSpec {
  return { command: 'sh', args: ['-c', script], cwd: dir, env, ...more };
}

async function until(claim: () => boolean): Promise<void> {
  for (const end = Date.now() + 25_000; !claim(); ) {
    if (Date.now() > end) throw new Error('did not happen in 25 s');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Zombies that wait for their parent count as gone. */
function alive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return !['Z', 'X'].includes(stat.slice(stat.lastIndexOf(') ') + 2, stat.lastIndexOf(') ') + 3));
  } catch {
    return false;
  }
}

async function pidsIn(file: string, count: number): Promise<number[]> {
  const read = (): number[] => (existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').filter(Boolean).map(Number) : []);
  await until(() => read().length >= count);
  return read();
}

verifies('process:env:no-model-keys', () => {
  const given = { PATH: '/bin', ANTHROPIC_API_KEY: 'k', ANTHROPIC_AUTH_TOKEN: 't', OPENAI_API_KEY: 'o', ELECTRON_RUN_AS_NODE: '1', VSCODE_PID: '1', GH_TOKEN: 'mine', NONE: undefined };
  expect(childEnv(given, { CLAUDECODE: '1' })).toEqual({ PATH: '/bin', GH_TOKEN: 'mine', CLAUDECODE: '1' });
});

verifies('process:gate:held-first', async () => {
  const mark = join(dir, 'ran');
  const seen: unknown[] = [];
  const run = await runner.run(sh(`echo out; echo err >&2; touch ${mark}; exit 3`, { spawned: (pid, at) => seen.push([pid > 1, Math.abs(Date.now() - at) < 5_000, existsSync(mark)]) }), { timeoutMs: 5_000 });
  expect(seen).toEqual([[true, true, false]]);
  expect(run.ok && { exit: run.value.exitCode, out: run.value.stdout.head, err: run.value.stderr.head, reason: run.value.reason, leftover: run.value.leftover }).toEqual({ exit: 3, out: 'out\n', err: 'err\n', reason: 'exit', leftover: false });
});

verifies('process:gate:held-first', async () => {
  const run = await runner.run({ command: 'sh', args: ['-c', 'cat; printf "%s|" "$@"; env', 'sh', "a b'c", '$(x)'], cwd: dir, env: { PATH: env.PATH, TROUPE_X: 'y' }, stdin: 'in', merge: true }, { timeoutMs: 5_000 });
  expect(run.ok && run.value.stdout.head.replace(/^(PATH|PWD|OLDPWD|SHLVL|_|TROUPE_RUN)=.*\n/gm, '')).toBe("ina b'c|$(x)|TROUPE_X=y\n");
}, { case: 'arguments, input and environment arrive as given, and nothing else' });

verifies('process:group:ends-whole', async () => {
  const file = join(dir, 'family');
  const started = await runner.start(sh(`trap '' TERM; (trap '' TERM; echo $$ >>${file}; sh -c 'trap "" TERM; echo $$ >>${file}; sleep 300 & echo $! >>${file}; wait; sleep 300') & wait; sleep 300`));
  if (!started.ok) throw new Error(started.problem);
  const pids = await pidsIn(file, 3);
  started.value.stop('stopped');
  const end = await started.value.ended;
  expect([end.reason, end.exitCode]).toEqual(['stopped', null]);
  await until(() => pids.every((pid) => !alive(pid)));
});

verifies('process:limits', async () => {
  const late = await runner.run(sh('sleep 60'), { timeoutMs: 50 });
  expect(late.ok && late.value.reason).toBe('timeout');
  const stop = new AbortController();
  const stopped = runner.run(sh('sleep 60', { spawned: () => stop.abort() }), { timeoutMs: 60_000, signal: stop.signal });
  expect((await stopped).ok && (await stopped)).toMatchObject({ value: { reason: 'stopped' } });
  expect(await runner.run(sh('true'), { timeoutMs: 1_000, signal: AbortSignal.abort() })).toEqual({ ok: false, problem: 'It was stopped before it started.' });
});

verifies('process:output:capped', async () => {
  const path = join(dir, 'big.output');
  const run = await runner.run(sh('head -c 104857600 /dev/zero | tr "\\0" x; echo END', { output: { keepBytes: 1000, spill: { path, maxBytes: 5_000_000 } } }), { timeoutMs: 30_000 });
  if (!run.ok) throw new Error(run.problem);
  const { stdout } = run.value;
  expect([stdout.totalBytes, stdout.head.length, stdout.tail.endsWith('xEND\n'), stdout.whole, stdout.fileBytes, statSync(path).size]).toEqual([104_857_604, 1000, true, false, 5_000_000, 5_000_000]);
}, { timeoutMs: 40_000 });

verifies('process:output:capped', async () => {
  const run = await runner.run(sh('yes', { maxOutputBytes: 1_000_000 }), { timeoutMs: 30_000 });
  expect(run.ok && run.value.reason).toBe('outputLimit');
}, { case: 'a program that writes for ever' });

verifies('process:start:problem', async () => {
  expect(await runner.start({ command: 'no-such-program-x', args: [], cwd: dir, env })).toEqual({ ok: false, problem: 'The program no-such-program-x was not found on PATH.' });
  expect(await runner.start({ command: '/bin/sh', args: [], cwd: '/no/such', env })).toEqual({ ok: false, problem: 'The folder /no/such does not exist, so nothing can be run there.' });
  expect(await runner.start({ command: '/bin/echo', args: ['x'.repeat(3_000_000)], cwd: dir, env })).toEqual({ ok: false, problem: 'The arguments of /bin/echo are longer than the system allows. Put the long part into a file and pass its path.' });
});

verifies('process:close:ends-leftovers', async () => {
  const own = createProcessRunner();
  const file = join(dir, 'left');
  const run = await own.run(sh(`sleep 300 & echo $! >${file}; echo done`), { timeoutMs: 5_000 });
  expect(run.ok && [run.value.stdout.head, run.value.leftover]).toEqual(['done\n', true]);
  const [pid = 0] = await pidsIn(file, 1);
  expect(alive(pid)).toBe(true);
  await own.close();
  await until(() => !alive(pid));
});

verifies('process:group:left', async () => {
  const file = join(dir, 'moved');
  const stop = new AbortController();
  const stopped = runner.run(sh(`setsid sh -c 'echo $$ >>${file}; exec sleep 300' & setsid setsid sh -c 'echo $$ >>${file}; exec sleep 300' & wait; sleep 300`), { timeoutMs: 60_000, signal: stop.signal });
  const pids = await pidsIn(file, 2);
  stop.abort();
  expect((await stopped).ok).toBe(true);
  await until(() => pids.every((pid) => !alive(pid)));
  const kept = join(dir, 'kept');
  const done = await runner.run(sh(`setsid sh -c 'echo $$ >${kept}; exec sleep 300' >/dev/null 2>&1 & while ! [ -s ${kept} ]; do :; done`), { timeoutMs: 60_000 });
  const [daemon = 0] = await pidsIn(kept, 1);
  expect([done.ok && done.value.reason, alive(daemon)]).toEqual(['exit', true]);
  process.kill(daemon, 'SIGKILL');
});

verifies('process:sweep:reused-pid', async () => {
  const child = spawn('sleep', ['300'], { detached: true, stdio: 'ignore' });
  const pid = child.pid ?? 0;
  const at = (await processStartedAtMs(pid)) ?? 0;
  expect(Math.abs(at - Date.now())).toBeLessThan(5_000);
  expect(await sweep([{ pid, processStartedAtMs: at - 60_000 }, { pid: 4_194_303, processStartedAtMs: at }])).toEqual([]);
  expect(alive(pid)).toBe(true);
  expect(await sweep([{ pid, processStartedAtMs: at }])).toEqual([pid]);
  await until(() => !alive(pid));
});

verifies('process:owner:killed', async () => {
  const file = join(dir, 'orphans');
  const entry = join(dir, 'owner.ts');
  const runnerPath = join(process.cwd(), 'extension/platform/processRunner');
  writeFileSync(
    entry,
    `import { createProcessRunner } from ${JSON.stringify(runnerPath)};
const runner = createProcessRunner();
const env = { PATH: process.env.PATH ?? '' };
const file = process.argv[2] ?? '';
const start = (script: string) => runner.start({ command: 'sh', args: ['-c', script], cwd: '/', env });
void (async () => {
  await runner.run({ command: 'sh', args: ['-c', 'sleep 300 & echo $! >>' + file], cwd: '/', env }, { timeoutMs: 5000 });
  await start('setsid sh -c "echo \\$\\$ >>' + file + '; exec sleep 300" & wait');
  await start('trap "" TERM; echo $$ >>' + file + '; sleep 300 & echo $! >>' + file + '; wait; sleep 300');
  for (;;) await start('sleep 300 & wait');
})();`,
  );
  const outfile = join(dir, 'owner.mjs');
  await build({ entryPoints: [entry], outfile, bundle: true, platform: 'node', format: 'esm', logLevel: 'silent' });
  const owner = spawn(process.execPath, [outfile, file], { stdio: 'ignore' });
  const pids = await pidsIn(file, 4);
  const children = (): number[] => readFileSync(`/proc/${owner.pid}/task/${owner.pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);
  await until(() => children().length > 8);
  const all = [...pids, ...children()];
  process.kill(owner.pid ?? 0, 'SIGKILL');
  await until(() => all.every((pid) => !alive(pid)));
}, { timeoutMs: 30_000 });

verifies('process:owner:killed', async () => {
  const file = join(dir, 'after-exit');
  const entry = join(dir, 'leaver.ts');
  writeFileSync(
    entry,
    `import { createProcessRunner } from ${JSON.stringify(join(process.cwd(), 'extension/platform/processRunner'))};
void createProcessRunner().run({ command: 'sh', args: [], script: 'sleep 300 & echo $! >' + process.argv[2], cwd: '/', env: { PATH: process.env.PATH ?? '' } }, { timeoutMs: 5000 });`,
  );
  const outfile = join(dir, 'leaver.mjs');
  await build({ entryPoints: [entry], outfile, bundle: true, platform: 'node', format: 'esm', logLevel: 'silent' });
  const owner = spawn(process.execPath, [outfile, file], { stdio: 'ignore' });
  expect(await new Promise((resolve) => owner.once('exit', resolve))).toBe(0);
  const [pid = 0] = await pidsIn(file, 1);
  await until(() => !alive(pid));
}, { case: 'an owner that just ends is not held up by them and takes them along' });
