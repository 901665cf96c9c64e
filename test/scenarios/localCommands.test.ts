import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { LocalOutcome, LocalPage } from '../../extension/protocol/localCommand';
import { bash } from '../support/agentScripts';
import { hookScript, hookSettingsFile, seenBy } from '../support/hookScripts';
import { callTool, reply, say } from '../support/script';
import { runHeadless } from '../support/spawnHeadless';
import { caller, once, startEngine, startModel, type TestSession } from '../support/startEngine';
import { createTempRepo } from '../support/tempRepo';
import { verifies } from '../support/verifies';

const run = (session: TestSession, name: string, args = ''): Promise<LocalOutcome> => session.engine.handlers['command/run']({ sessionId: session.sessionId, name, args }, caller);

async function page(session: TestSession, name: string): Promise<LocalPage> {
  const outcome = await run(session, name);
  if (outcome.kind !== 'page') throw new Error(`/${name} gave ${outcome.kind}`);
  return outcome.page;
}

const rows = ({ groups }: LocalPage): readonly string[] => groups.flatMap((group) => group.rows.map((row) => [row.name, row.badge, row.detail].filter(Boolean).join(' | ')));

verifies('local:pages', async () => {
  const files = {
    '.claude/skills/tidy/SKILL.md': '---\ndescription: Tidies up.\n---\nTidy.\n',
    '.claude/skills/odd/SKILL.md': '---\ndescription: [never closed\n---\nOdd.\n',
    '.claude/agents/painter.md': '---\nname: painter\ndescription: Paints.\n---\nPaint.\n',
    '.claude/settings.json': JSON.stringify({ hooks: { Stop: [{ hooks: [{ type: 'command', command: 'true' }] }] } }),
    '.mcp.json': JSON.stringify({ mcpServers: { files: { command: 'nothing-here' } } }),
    'CLAUDE.md': 'Be brief.\n',
  };
  const session = await startEngine({ files, script: [say('hello')] });
  await session.prompt('hi');
  expect(rows(await page(session, 'skills'))).toEqual(expect.arrayContaining([expect.stringMatching(/^\/tidy \| project \| Tidies up\./), expect.stringMatching(/odd\/SKILL\.md/)]));
  expect(rows(await page(session, 'agents'))).toEqual(expect.arrayContaining([expect.stringContaining('painter | project | Paints.'), expect.stringContaining('general-purpose')]));
  expect(rows(await page(session, 'hooks'))).toEqual([expect.stringMatching(/^Stop \| project/)]);
  expect(rows(await page(session, 'mcp'))).toEqual([expect.stringContaining('files')]);
  expect((await page(session, 'memory')).groups[0]?.rows).toMatchObject([{ path: session.repo.path('CLAUDE.md') }]);
  expect((await page(session, 'context')).intro).toMatch(/tokens are in use/);
  expect(rows(await page(session, 'cost'))).toEqual(expect.arrayContaining([expect.stringMatching(/^lead \|/)]));
  expect(rows(await page(session, 'help'))).toEqual(expect.arrayContaining(['/doctor | Check programs, settings files, model and servers']));
  const doctor = rows(await page(session, 'doctor'));
  for (const line of [/^git \| ok/, /^shell \| ok/, /^model \| ok/, /odd\/SKILL\.md/]) expect(doctor).toEqual(expect.arrayContaining([expect.stringMatching(line)]));
  expect(session.server.messageRequests(), 'nothing of it went to the model').toHaveLength(1);
});

verifies('local:names', async () => {
  const session = await startEngine({ files: { '.claude/skills/help/SKILL.md': '---\ndescription: Mine.\n---\nHelp my way.\n' }, script: [] });
  expect(await run(session, 'help'), 'a skill of one’s own wins').toEqual({ kind: 'prompt' });
  expect(await run(session, 'comapct')).toEqual({ kind: 'unknown', near: expect.arrayContaining(['compact']) });
  expect([await run(session, 'clear'), await run(session, 'permissions'), await run(session, 'resume'), await run(session, 'model')]).toEqual(['newSession', 'permissions', 'sessions', 'setUp'].map((to) => ({ kind: 'go', to })));
  expect(await run(session, 'model', 'claude-opus-5-5')).toMatchObject({ kind: 'done' });
  expect((await session.view()).session.model).toBe('claude-opus-5-5');
  const listed = (await session.engine.handlers['skill/list']({}, caller)).skills;
  expect(listed.filter(({ kind }) => kind === 'local').map(({ name }) => name)).toEqual(expect.arrayContaining(['doctor', 'undo']));
  expect(listed.filter(({ qualified }) => qualified === 'help')).toHaveLength(1);
});

verifies('local:acts', async () => {
  const repo = createTempRepo();
  repo.write('.claude/settings.json', hookSettingsFile({ DirectoryAdded: ['', hookScript(repo, 'added', 'bash', {})], PreCompact: ['manual', hookScript(repo, 'pre', 'bash', {})], PostCompact: ['', hookScript(repo, 'post', 'bash', {})] }));
  const other = join(repo.outside, 'other');
  mkdirSync(other);
  const session = await startEngine({
    repo,
    mode: 'acceptEdits',
    script: [reply(callTool('Write', { file_path: 'made.txt', content: 'made\n' }, { id: 't1' })), say('Made it.'), reply(callTool('Write', { file_path: join(other, 'there.txt'), content: 'there\n' }, { id: 't2' })), say('There, too.'), say('THE SUMMARY')],
  });
  const asked = session.autoAnswer(() => once);
  await session.prompt('make it');
  expect(await run(session, 'add-dir', 'nowhere')).toMatchObject({ text: expect.stringContaining('There is no folder') });
  expect(await run(session, 'add-dir', other)).toMatchObject({ text: expect.stringContaining('may work in') });
  expect(await run(session, 'add-dir', other)).toMatchObject({ text: expect.stringContaining('already') });
  await session.prompt('and there');
  expect([repo.read(join(other, 'there.txt')), asked], 'an added folder is a working folder').toEqual(['there\n', []]);
  expect(seenBy(repo, 'added')).toMatchObject([{ directory: other, source: 'slash_command' }]);

  const exported = await run(session, 'export', 'talk.md');
  expect(exported).toMatchObject({ text: expect.stringContaining(repo.path('talk.md')) });
  expect(repo.read('talk.md')).toMatch(/## You\n\nmake it[\s\S]*- `Write` made\.txt \(completed\)[\s\S]*## Troupe\n\nMade it\./);
  expect(await run(session, 'export', 'talk.md')).toMatchObject({ text: expect.stringContaining('exists already') });
  const elsewhere = await run(session, 'export');
  expect(elsewhere.kind === 'done' && readFileSync(elsewhere.text.replace(/^The conversation is in (.*)\.$/, '$1'), 'utf8')).toContain('make it');

  expect(await run(session, 'compact', 'keep the names')).toEqual({ kind: 'done', text: 'The conversation was summarised.' });
  expect([seenBy(repo, 'pre'), seenBy(repo, 'post')]).toMatchObject([[{ trigger: 'manual', custom_instructions: 'keep the names' }], [{ trigger: 'manual', compact_summary: expect.stringContaining('THE SUMMARY') }]]);
});

verifies('hooks:compact:refused', async () => {
  const repo = createTempRepo();
  repo.write('.claude/settings.json', hookSettingsFile({ PreCompact: ['', hookScript(repo, 'pre', 'bash', { err: 'not yet', exit: 2 })] }));
  const session = await startEngine({ repo, script: [say('hello')] });
  await session.prompt('hi');
  expect(await run(session, 'compact')).toMatchObject({ text: expect.stringContaining('not yet') });
  expect(session.log().some((event) => event.type === 'context/compacted')).toBe(false);
});

verifies('local:undo', async () => {
  const session = await startEngine({ mode: 'acceptEdits', script: [callTool('Write', { file_path: 'made.txt', content: 'made\n' }, { id: 't1' }), bash('true', 't2'), say('Made it.')] });
  session.autoAnswer(() => once);
  await session.prompt('make it');
  expect(session.repo.read('made.txt')).toBe('made\n');
  expect(await run(session, 'undo')).toEqual({ kind: 'done', text: 'Turn undone. Files put back: made.txt.' });
  expect(existsSync(session.repo.path('made.txt'))).toBe(false);
  expect(await run(session, 'undo')).toMatchObject({ text: expect.stringContaining('There is no turn to take back') });
});

verifies('local:headless', async () => {
  const repo = createTempRepo({ '.claude/skills/tidy/SKILL.md': '---\ndescription: Tidies up.\n---\nTidy.\n' });
  const server = await startModel([]);
  const skills = await runHeadless(['-p', '/skills'], { repo, server });
  expect(skills).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/Skills and commands[\s\S]*\/tidy \(project\): Tidies up\./) });
  const cost = await runHeadless(['-p', '/cost', '--output-format', 'json'], { repo, server });
  expect(cost.result).toMatchObject({ type: 'result', subtype: 'success', is_error: false, result: expect.stringContaining('This session so far'), num_turns: 0 });
  const wrong = await runHeadless(['-p', '/tydi up'], { repo, server });
  expect([wrong.exitCode, wrong.stderr]).toEqual([1, expect.stringContaining('did you mean /tidy?')]);
  expect(server.requests).toEqual([]);
});
