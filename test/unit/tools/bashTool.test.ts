import { existsSync, mkdirSync, readFileSync, realpathSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect } from 'vitest';
import { childEnv } from '../../../extension/platform/childEnv';
import { createProcessRunner } from '../../../extension/platform/processRunner';
import { shellPath } from '../../../extension/platform/shellPath';
import { createShellSnapshot } from '../../../extension/platform/shellSnapshotRunner';
import { type BackgroundTask, BackgroundTasks } from '../../../extension/tools/backgroundTasks';
import { type BashLimits, bashLimits } from '../../../extension/tools/bashLimits';
import { createBashTool } from '../../../extension/tools/bashTool';
import { createEditTool } from '../../../extension/tools/editTool';
import { createTaskOutputTool, createTaskStopTool } from '../../../extension/tools/taskTools';
import { verifies } from '../../support/verifies';
import { createToolBench, textOf } from './toolBench';

const bench = createToolBench();
const processes = createProcessRunner();
const told: BackgroundTask[] = [];
const tasks = new BackgroundTasks((task) => told.push(task));
const env = childEnv(process.env);
const outputs = bench.path('.outputs');
const tool = (limits: BashLimits = {}, snapshot?: () => Promise<string | undefined>) => createBashTool({ processes, store: bench.store, tasks, shell: shellPath(env), env: () => env, outputsDir: () => outputs, limits, snapshot });
const bash = tool();
const [output, stop] = [createTaskOutputTool({ tasks, store: bench.store }), createTaskStopTool({ tasks })];
const edit = createEditTool({ store: bench.store });
afterAll(async () => {
  await processes.close();
  bench.dispose();
});
const run = (command: string, more = {}, ctx = {}) => bench.call(bash, { command, ...more }, ctx);
const idOf = (text: string): string => text.match(/Task id: (\S+)\./)?.[1] ?? '';

function alive(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}
async function until(claim: () => boolean): Promise<void> {
  for (const end = Date.now() + 25_000; !claim(); ) {
    if (Date.now() > end) throw new Error('did not happen in 8 s');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

verifies('bash:result', async () => {
  expect(await run(`echo out; echo err >&2; printf '%s' "it's"`)).toMatchObject({ content: "out\nerr\nit's", note: 'exit 0', display: { kind: 'output', text: "out\nerr\nit's", exitCode: 0 } });
  expect(bench.live.join('')).toBe("out\nerr\nit's");
  expect(bench.spawned.length).toBe(1);
  expect(await run('true')).toMatchObject({ content: '[The command ended without output.]' });
  expect(await run('echo no; exit 3')).toMatchObject({ isError: true, content: 'Exit code 3\nno', note: 'exit 3' });
  expect(textOf(await run('kill -9 $$'))).toContain('ended by the signal SIGKILL');
  bench.write('f', 'x\n');
  const fine = ['grep zzz f', 'rg zzz f', 'cat f | grep zzz', '[ 1 = 2 ]', 'diff f .gitignore 2>/dev/null; test -e nope', 'git diff --no-index --quiet f /dev/null', 'cd . && grep zzz f', 'X=1 egrep zzz f'];
  const bad = ['pgrep -x zzzzz', 'false', 'false && grep zzz f', 'grep zzz f | false', 'bash -c "exit 1"', 'grep zzz f; false', 'cd nope && grep zzz f'];
  for (const command of fine) expect([command, (await run(command)).isError]).toEqual([command, undefined]);
  for (const command of bad) expect([command, (await run(command)).isError]).toEqual([command, true]);
  expect(textOf(await run('read x; echo "[$x]"'))).toBe('[]');
  expect(textOf(await run('echo "if'))).toContain('unexpected EOF');
  expect(textOf(await bench.call(bash, {}))).toContain('command');
  expect(await bench.describe(bash, { command: 'npm test\nx', description: 'd' })).toMatchObject({ kind: 'command', command: 'npm test\nx', cwd: bench.dir, readOnly: false });
  expect(bash.prepare({ command: 'npm test\nx' })).toMatchObject({ value: { title: 'npm test' } });
}, { timeoutMs: 30_000 });

verifies('bash:cwd', async () => {
  mkdirSync(bench.path('sub dir'));
  const outside = realpathSync(tmpdir());
  expect((await run('cd "sub dir" && pwd')).effects).toEqual([{ kind: 'cwd', cwd: bench.path('sub dir') }]);
  expect((await run('cd "sub dir"; exit 4')).effects).toEqual([{ kind: 'cwd', cwd: bench.path('sub dir') }]);
  expect(await run('cd /tmp; pwd')).toMatchObject({ content: `/tmp\n\nShell cwd was reset to ${bench.dir}`, effects: [] });
  expect((await run('cd /', {}, { workingDirs: [bench.dir, '/'] })).effects).toEqual([{ kind: 'cwd', cwd: '/' }]);
  expect(await run('cd "sub dir"', {}, { agentId: 'agent-1' })).toMatchObject({ effects: [], content: '[The command ended without output.]' });
  expect((await bench.call(tool({ stayInProject: true }), { command: 'cd "sub dir"' })).effects).toEqual([]);
  symlinkSync(outside, bench.path('away'));
  expect(textOf(await run('cd away'))).toContain('Shell cwd was reset');
  expect((await run('(cd "sub dir"); true')).effects).toEqual([]);
});

verifies('bash:timeout', async () => {
  expect(bashLimits({ BASH_DEFAULT_TIMEOUT_MS: '5000', BASH_MAX_TIMEOUT_MS: 'x', CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1' })).toEqual({ defaultTimeoutMs: 5000, maxTimeoutMs: undefined, maxOutputChars: undefined, noBackground: true, stayInProject: false });
  const quick = tool({ defaultTimeoutMs: 300, maxTimeoutMs: 400 });
  const says = async (command: string, timeout?: number): Promise<string> => textOf(await bench.call(quick, { command, ...(timeout ? { timeout } : {}) }));
  expect(await says('sleep 200')).toContain('ran longer than 300 ms and was ended');
  expect(await says('sleep 200', 900_000)).toContain('ran longer than 400 ms');
  expect(await says('git --version; sleep 200')).toContain('was ended');
  expect(await says('for i in 1 2; do sleep 200; done')).toContain('was ended');
  const moved = await says('echo early; sleep 200; echo late');
  expect(moved).toContain('Still running after 300 ms, so it was moved to the background');
  expect(textOf(await bench.call(output, { task_id: idOf(moved), block: false }))).toContain('still running.\nOutput file: ');
  expect(textOf(await bench.call(output, { task_id: idOf(moved), block: false }))).toContain('early');
  await bench.call(stop, { task_id: idOf(moved) });
  const none = tool({ defaultTimeoutMs: 100, noBackground: true });
  expect(textOf(await bench.call(none, { command: 'echo; sleep 200' }))).toContain('was ended');
  expect(textOf(await bench.call(none, { command: 'echo', run_in_background: true }))).toContain('turned off');
});

verifies('bash:background', async () => {
  const started = textOf(await run('echo $$; until [ -e go ]; do sleep 0.01; done; cat go; exit 2', { run_in_background: true }));
  const id = idOf(started);
  const file = started.match(/goes to (\S+.*\.output):/)?.[1] ?? '';
  await until(() => existsSync(file) && statSync(file).size > 0);
  expect(tasks.running('s1').map((task) => task.id)).toContain(id);
  expect(tasks.running('other')).toEqual([]);
  const waiting = bench.call(output, { task_id: id, timeout: 8_000 });
  writeFileSync(bench.path('go'), 'it\n');
  const stopped = textOf(await run('sleep 300 & echo $! >kid; wait', { run_in_background: true }));
  await waiting;
  await until(() => existsSync(bench.path('kid')) && statSync(bench.path('kid')).size > 0);
  expect(textOf(await bench.call(stop, { shell_id: idOf(stopped) }))).toContain('Stopped the command sleep 300 & echo $! >kid; wait');
  const kid = Number(readFileSync(bench.path('kid'), 'utf8'));
  await until(() => !alive(kid));
  expect(told.filter((task) => [id, idOf(stopped)].includes(task.id)).map((task) => [task.status(), task.summary()])).toEqual([['failed', expect.stringMatching(/exit code [12]/)], ['killed', 'stopped']]);
  expect(textOf(await bench.call(stop, { task_id: idOf(stopped) }))).toContain('had ended already: killed');
});

verifies('bash:background', async () => {
  await run('sleep 300', { run_in_background: true }, { agentId: 'agent-7' });
  await run('sleep 300 & echo $! >left', {}, { agentId: 'agent-7' });
  await tasks.stopOf({ sessionId: 's1', agentId: 'agent-7' });
  await until(() => !alive(Number(readFileSync(bench.path('left'), 'utf8'))));
  expect(tasks.running('s1').filter((task) => task.agentId === 'agent-7')).toEqual([]);
}, { case: 'those of one agent end together' });

verifies('task:tools', async () => {
  const id = idOf(textOf(await run('sleep 300', { run_in_background: true })));
  expect(textOf(await bench.call(stop, { task_id: 'nope' }))).toContain(`There is no task nope. Running now: ${id} (sleep 300)`);
  await bench.call(stop, { task_id: id });
  expect(textOf(await bench.call(output, {}))).toBe('task_id is missing. No task is running.');
});

verifies('bash:long-output', async () => {
  const big = await run('head -c 104857600 /dev/zero | tr "\\0" "x"; echo END');
  const file = textOf(big).match(/All of it is in (.*\.output) \(the file ends after 64 MB\)/)?.[1] ?? '';
  expect([statSync(file).size, textOf(big).length < 10_000, textOf(big).endsWith('xEND\n')]).toEqual([64 * 1024 * 1024, true, true]);
  expect(big.display).toMatchObject({ kind: 'output', fullPath: file, cutBytes: expect.any(Number) });
  const medium = textOf(await run('seq 10000'));
  expect(readFileSync(medium.match(/All of it is in (.*\.output):/)?.[1] ?? '', 'utf8')).toMatch(/^1\n2\n[\s\S]*10000\n$/);
  expect(textOf(await bench.call(tool({ maxOutputChars: 60_000 }), { command: 'seq 10000' }))).toMatch(/^1\n2\n[\s\S]*10000$/);
  const bad = textOf(await run('seq 10000; exit 1'));
  expect([bad.startsWith('Exit code 1\n1\n2\n'), bad.includes('the middle is left out'), bad.endsWith('10000'), bad.includes(outputs), bad.length < 11_000]).toEqual([true, true, true, false, true]);
}, { timeoutMs: 40_000 });

verifies('bash:abort', async () => {
  const abort = new AbortController();
  const going = run('sleep 300 & echo $! >forever; wait; while true; do :; done', {}, { signal: abort.signal });
  await until(() => existsSync(bench.path('forever')) && statSync(bench.path('forever')).size > 0);
  abort.abort();
  expect(await going).toMatchObject({ isError: true, content: 'The command was stopped by the person before it ended.' });
  await until(() => !alive(Number(readFileSync(bench.path('forever'), 'utf8'))));
});

verifies('bash:result', async () => {
  const result = textOf(await run('sleep 300 & echo started'));
  expect(result).toMatch(/^started\n\[Something this command started is still running \(process group \d+\)\. It ends with the session/);
}, { case: 'something left running does not hold up the call' });

verifies('bash:counts-as-read', async () => {
  const path = bench.write('seen.txt', 'one\n');
  const change = async (): Promise<string> => textOf(await bench.call(edit, { file_path: path, old_string: 'one', new_string: 'one ' }));
  for (const command of ['cat seen.txt | head', 'cat seen.txt f', 'cat seen.txt > copy', 'cat *.txt', 'cat nope']) {
    await run(command);
    expect([command, await change()]).toEqual([command, expect.stringContaining('was not read yet')]);
  }
  await run('sed -n 1,5p seen.txt');
  expect(bench.files.get(path)?.partial).toBe(true);
  await run('cat seen.txt');
  expect(bench.files.get(path)?.partial).toBe(false);
  expect(await change()).toContain('Changed');
});

verifies('bash:snapshot', async () => {
  const home = bench.path('home dir');
  mkdirSync(home);
  writeFileSync(join(home, '.bashrc'), "alias hi='echo hello'\ngreet() { echo \"hey $1\"; }\necho noise\n");
  const snapshot = createShellSnapshot({ processes, env: { ...env, HOME: home, SHELL: '/bin/bash' }, cwd: bench.dir });
  expect(textOf(await bench.call(tool({}, snapshot.path), { command: 'hi; greet you' }))).toBe('hello\nhey you');
});
