// npm run bench: ours against a bare loop with the same SDK, the same server and the same script, alternating runs, medians.
//   node test/bench/bench.mjs [--runs N] [--quick] [--no-webview]
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { loadAnthropicServer } from '../support/serveAnthropic.mjs';
import { median, runMeasured } from './measured.mjs';
import { benchParallel } from './parallel.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { values } = parseArgs({ options: { runs: { type: 'string' }, quick: { type: 'boolean' }, 'no-webview': { type: 'boolean' } } });
const runs = Number(values.runs ?? (values.quick ? 3 : 9));
const turns = 20;
const temp = mkdtempSync(path.join(os.tmpdir(), 'troupe-bench-'));
const bare = path.join(temp, 'bareLoop.js');

function makeRepository() {
  const repo = path.join(temp, 'repo');
  for (const name of ['one', 'two']) {
    mkdirSync(path.join(repo, '.claude/skills', name), { recursive: true });
    writeFileSync(path.join(repo, '.claude/skills', name, 'SKILL.md'), `---\ndescription: Does ${name}.\n---\nDo ${name}.\n`);
  }
  writeFileSync(path.join(repo, 'CLAUDE.md'), 'Be brief.\n');
  writeFileSync(path.join(repo, 'a.txt'), 'line\n'.repeat(200));
  const git = (...args) => execFileSync('git', ['-c', 'user.name=B', '-c', 'user.email=b@example.org', ...args], { cwd: repo });
  git('init', '-q', '-b', 'main');
  git('add', '-A');
  git('commit', '-qm', 'first');
  return repo;
}

/** One run of either loop: what the server saw, and the process's peak memory. */
async function measure(program, args, { script, repo }) {
  const { startAnthropicServer, reply, callTool, say } = script;
  const server = await startAnthropicServer({ tolerant: true });
  const steps = Array.from({ length: turns }, (_, i) => reply(i % 2 === 0 ? callTool('Read', { file_path: path.join(repo, 'a.txt') }) : callTool('Bash', { command: `echo ${i}` })));
  server.script(...steps, say('done'));
  const startedAtMs = Date.now();
  const { peakMb } = await runMeasured(program, args, { server, cwd: repo, configDir: path.join(temp, 'config') });
  const requests = server.messageRequests();
  await server.close();
  if (requests.length !== turns + 1) throw new Error(`${program} ended after ${requests.length} requests`);
  const gaps = requests.slice(1).map((request, i) => request.receivedExactlyMs - requests[i].replied.endedAtMs);
  return { startMs: requests[0].receivedAtMs - startedAtMs, gapMs: median(gaps), peakMb, totalMs: Date.now() - startedAtMs };
}

const rows = [];
function row(what, { ours, bare: theirs, unit, limit }) {
  const ratio = ours / theirs;
  rows.push({ what, ours: `${ours.toFixed(1)} ${unit}`, bare: `${theirs.toFixed(1)} ${unit}`, ratio: ratio.toFixed(2), target: `≤ ${limit}`, verdict: ratio <= limit ? 'PASS' : 'MISS' });
}

try {
  execFileSync(process.execPath, ['esbuild.mjs'], { cwd: root, stdio: 'ignore' });
  await build({ entryPoints: [path.join(root, 'test/bench/bareLoop.mjs')], outfile: bare, bundle: true, platform: 'node', format: 'cjs', target: 'node20', minify: true, mainFields: ['module', 'main'], logLevel: 'error' });
  const script = await loadAnthropicServer();
  const repo = makeRepository();
  const ours = [];
  const theirs = [];
  const ourArgs = ['-p', 'go', '--allowedTools', 'Bash(echo *)', 'Read'];
  for (let i = 0; i < runs + 1; i++) {
    const a = await measure(path.join(root, 'dist/headless.js'), ourArgs, { script, repo });
    const b = await measure(bare, ['go'], { script, repo });
    if (i === 0) continue; // the first pair warms the disk
    ours.push(a);
    theirs.push(b);
  }
  const of = (list, key) => median(list.map((run) => run[key]));
  row('start to first request', { ours: of(ours, 'startMs'), bare: of(theirs, 'startMs'), unit: 'ms', limit: 1.3 });
  row(`gap per turn, ${turns} turns`, { ours: of(ours, 'gapMs'), bare: of(theirs, 'gapMs'), unit: 'ms', limit: 1.5 });
  row('peak memory', { ours: of(ours, 'peakMb'), bare: of(theirs, 'peakMb'), unit: 'MB', limit: 1.5 });
  const many = await benchParallel({ ours: path.join(root, 'dist/headless.js'), bare, runs, script, repo, configDir: path.join(temp, 'config') });
  row('8 sub-agents × 3 turns', { ours: many.ours.workMs, bare: many.bare.workMs, unit: 'ms', limit: 1.5 });
  row('peak memory with them', { ours: many.ours.peakMb, bare: many.bare.peakMb, unit: 'MB', limit: 1.5 });
  rows.push({ what: 'requests of them at once', ours: `${many.ours.atOnce}`, bare: `${many.bare.atOnce}`, ratio: '', target: '8', verdict: many.ours.atOnce === 8 ? 'PASS' : 'MISS' });
  const gzip = ['webview.js', 'webview.css'].reduce((sum, name) => sum + gzipSync(readFileSync(path.join(root, 'dist', name))).length, 0) / 1024;
  rows.push({ what: 'webview bundle, gzip', ours: `${gzip.toFixed(0)} KB`, bare: '', ratio: '', target: '< 250 KB', verdict: gzip < 250 ? 'PASS' : 'MISS' });
  rows.push({ what: 'headless bundle', ours: `${(statSync(path.join(root, 'dist/headless.js')).size / 1024).toFixed(0)} KB`, bare: `${(statSync(bare).size / 1024).toFixed(0)} KB`, ratio: '', target: '', verdict: '' });
  console.log(`Medians of ${runs} alternating runs on ${os.cpus().length} cores, Node ${process.versions.node}`);
  console.table(rows);
} finally {
  rmSync(temp, { recursive: true, force: true });
}
if (!values['no-webview']) execFileSync(process.execPath, [path.join(root, 'test/bench/webview.mjs')], { cwd: root, stdio: 'inherit' });
