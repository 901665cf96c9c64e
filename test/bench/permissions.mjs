// Decisions a second over 500 rules, parser warm: path rules and Bash lines; and what the whole policy layer adds to a tool
// call without hooks. Also in CPU time, since other work slows the clock.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { createRequire } from 'node:module';

const root = fileURLToPath(new URL('../..', import.meta.url));
mkdirSync(join(root, 'test/.out'), { recursive: true });
const dir = mkdtempSync(join(root, 'test/.out/bench-'));
try {
  const outfile = join(dir, 'evaluate.cjs');
  const entry = join(dir, 'policy.ts');
  const from = (file) => JSON.stringify(join(root, 'extension', file));
  writeFileSync(entry, `export { createEvaluator } from ${from('permissions/evaluate')}; export { createBroker } from ${from('permissions/broker')}; export { Grants } from ${from('permissions/grants')}; export { HookDoor } from ${from('engine/hookDoor')};\n`);
  await build({ entryPoints: [entry], outfile, bundle: true, platform: 'node', format: 'cjs', target: 'node20', mainFields: ['module', 'main'], external: ['@vscode/tree-sitter-wasm'], define: { 'import.meta.url': '"file:///troupe"' }, logLevel: 'error' });
  const { createBroker, createEvaluator, Grants, HookDoor } = createRequire(import.meta.url)(outfile);
  const evaluator = createEvaluator({ assetsDir: join(root, 'node_modules/@vscode/tree-sitter-wasm/wasm') });
  const shapes = [(i) => `Read(/src/area${i}/**)`, (i) => `Edit(/pkg${i}/*.ts)`, (i) => `Read(.secret${i})`, (i) => `Bash(tool${i} run *)`, (i) => `Read(~/notes${i}/**)`];
  const rules = Array.from({ length: 500 }, (_, i) => ({ text: shapes[i % 5](i), behavior: i % 3 === 0 ? 'deny' : 'allow', source: 'project', anchorDir: '/p' }));
  const policy = { rules, mode: 'default', cwd: '/p', projectRoot: '/p', homeDir: '/home/u', workingDirs: ['/p'] };
  const facts = { realPath: async (path) => path };
  const read = (i) => ({ tool: 'Read', kind: 'read', title: 'read', input: {}, cwd: '/p', readOnly: true, paths: [`/p/src/area${i % 900}/file${i % 2000}.ts`] });
  const bash = (i) => ({ tool: 'Bash', kind: 'command', title: 'run', input: {}, cwd: '/p', readOnly: false, command: `tool${i % 500} run x && git status | head -${i % 40}` });
  const rows = [];
  for (const [what, subject, target] of [['path rules', read, 20_000], ['Bash lines', bash, 2_000]]) {
    for (let i = 0; i < 2_000; i++) await evaluator.evaluate(subject(i), policy, facts);
    const count = 10_000;
    const cpu = process.cpuUsage();
    const startedAtMs = performance.now();
    for (let i = 0; i < count; i++) await evaluator.evaluate(subject(i), policy, facts);
    const seconds = (performance.now() - startedAtMs) / 1000;
    const { user, system } = process.cpuUsage(cpu);
    const perCpu = Math.round((count * 1e6) / (user + system));
    rows.push({ what, 'a second': Math.round(count / seconds), 'a CPU second': perCpu, target: `≥ ${target}`, verdict: Math.max(count / seconds, perCpu) >= target ? 'PASS' : 'MISS' });
  }
  console.table(rows);
  const quiet = () => undefined;
  const grants = new Grants();
  const broker = createBroker({ agentId: 'main', policy: () => policy, evaluator, facts, askUser: { requested: quiet, resolved: quiet }, saveRules: async () => ({ ok: true, value: undefined }), grants, clock: { nowMs: () => Date.now() }, log: { warn: quiet, error: quiet } });
  const hooks = new HookDoor({ hasAny: false, ready: async () => undefined }, quiet);
  const { signal } = new AbortController();
  const perCall = [];
  for (const [what, subject] of [['Read', (i) => ({ ...read(i), paths: [`/p/src/area5/file${i}.ts`] })], ['Bash', (i) => ({ ...bash(i), command: `git log -${i % 40} | head` })]]) {
    const one = async (i) => {
      await hooks.fire('PreToolUse', {}, { agentId: 'main', signal });
      const outcome = await broker.decide({ callId: `c${i}`, subject: subject(i), signal });
      if (outcome.behavior !== 'allow') throw new Error(`${what} was not allowed: ${JSON.stringify(outcome)}`);
      await hooks.fire('PostToolUse', {}, { agentId: 'main', signal });
    };
    for (let i = 0; i < 2_000; i++) await one(i);
    const cpu = process.cpuUsage();
    const startedAtMs = performance.now();
    for (let i = 0; i < 5_000; i++) await one(i);
    const ms = (performance.now() - startedAtMs) / 5_000;
    const { user, system } = process.cpuUsage(cpu);
    const cpuMs = (user + system) / 1_000 / 5_000;
    perCall.push({ what: `policy of a ${what} call without hooks`, ms: ms.toFixed(3), 'CPU ms': cpuMs.toFixed(3), target: '< 0.3', verdict: Math.min(ms, cpuMs) < 0.3 ? 'PASS' : 'MISS' });
  }
  console.table(perCall);
} finally {
  rmSync(dir, { recursive: true, force: true });
}
