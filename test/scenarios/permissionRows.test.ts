import { lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, unlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect } from 'vitest';
import { callTool, say } from '../support/script';
import { startEngine, type TestSession } from '../support/startEngine';
import { createTempRepo, type TempRepo } from '../support/tempRepo';
import { verifies } from '../support/verifies';
import { rule, type Row } from '../unit/permissions/permissionWorld';

const rows = readFileSync(new URL('../fixtures/permissions.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Row)
  .filter((row) => row.live);

const files = { 'src/a.ts': 'a\n', 'keep/a': 'kept\n', '.env': 'A=1\n', 'secrets/a': 's\n', 'vendor/p/src/l.js': 'l\n' };

/** The row's world (/p, /home/u) in this repository. */
function placed<T>(value: T, repo: TempRepo): T {
  const moved = JSON.stringify(value).replace(/(?<=["\s=:])\/p(?=[/"\s])/g, repo.root).replaceAll('/home/u', repo.homeDir);
  return JSON.parse(moved) as T;
}

function inputOf({ tool, call }: Row): Record<string, unknown> {
  if (typeof call !== 'string') return call;
  if (tool === 'Bash') return { command: call };
  if (tool === 'WebFetch') return { url: call, prompt: 'What is it?' };
  return tool === 'Write' ? { file_path: call, content: 'new\n' } : { file_path: call };
}

/** Writes the row's rules and waits until the engine goes by them; a key of no meaning tells which row's they are. */
async function rulesOf({ engine, repo }: TestSession, row: Row, mark: number): Promise<void> {
  for (const source of ['user', 'local', 'project'] as const) {
    const own = row.rules.map(rule).filter((one) => one.source === source);
    const of = (behavior: string): string[] => own.filter((one) => one.behavior === behavior).map((one) => one.text);
    const path = { user: '~/.claude/settings.json', local: '.claude/settings.local.json', project: '.claude/settings.json' }[source];
    repo.write(path, JSON.stringify({ permissions: { allow: of('allow'), ask: of('ask'), deny: of('deny') }, ...(source === 'project' ? { mark } : {}) }));
  }
  await expect.poll(async () => JSON.stringify(await engine.inspect('settings')), { interval: 5 }).toContain(`"key":"mark","value":${mark},`);
}

/** Every file but those of git and our own, with its size. */
function state({ root, homeDir }: TempRepo): readonly string[] {
  return [root, homeDir].flatMap((dir) => readdirSync(dir, { recursive: true, withFileTypes: true }).filter((entry) => !entry.isDirectory() && !/[/](\.git|\.claude)([/]|$)/.test(entry.parentPath)).map((entry) => `${entry.parentPath}/${entry.name} ${lstatSync(`${entry.parentPath}/${entry.name}`).size}`));
}

function link(repo: TempRepo, row: Row): () => void {
  const made = Object.entries(placed(row.links ?? {}, repo));
  for (const [at, to] of made) {
    mkdirSync(dirname(at), { recursive: true });
    symlinkSync(to, at);
  }
  return () => {
    for (const [at] of made) unlinkSync(at);
  };
}

verifies('scenarios:rules:rows', async () => {
  const repo = createTempRepo(files);
  const session = await startEngine({ repo, script: [], options: { flagSettings: [{ troupe: { permissions: { allowBypass: true } } }] } });
  const { engine, server } = session;
  const asked = session.autoAnswer(() => ({ behavior: 'deny' }));
  const wrong: string[] = [];
  for (const [i, row] of rows.entries()) {
    const id = `row${i}`;
    await rulesOf(session, row, i);
    await session.setMode(row.mode ?? 'default');
    const unlink = link(repo, row);
    const input = placed(inputOf(row), repo);
    const before = state(repo);
    const explained = await engine.explainPermission({ tool: row.tool, input, mode: row.mode ?? 'default' });
    server.script(callTool(row.tool, input, { id }), say('done'));
    await session.prompt(`row ${i}`);
    const { status } = (await session.call(id)).call;
    const wasAsked = asked.some((ask) => ask.request.callId === id);
    const ended = wasAsked ? 'ask' : status === 'denied' ? 'deny' : 'allow';
    const said = explained.ok ? `${explained.value.decision} by ${explained.value.rule}` : explained.problem;
    if (ended !== row.expect || said !== `${row.expect} by ${row.rule}`) wrong.push(`${ended} (${status}), explained ${said}, not ${row.expect} by ${row.rule}: [${row.rules.join(', ')}] ${row.tool} ${JSON.stringify(row.call)}`);
    if (row.expect !== 'allow') expect(state(repo), `nothing came of ${JSON.stringify(row.call)}`).toEqual(before);
    unlink();
  }
  expect(wrong).toEqual([]);
  expect(rows.length).toBeGreaterThanOrEqual(40);
});
