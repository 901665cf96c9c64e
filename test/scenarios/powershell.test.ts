import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { resultOf } from '../support/agentScripts';
import { callTool, reply, say } from '../support/script';
import { once, startEngine } from '../support/startEngine';
import { createTempRepo } from '../support/tempRepo';
import { verifies } from '../support/verifies';

const powershell = (command: string, id: string) => callTool('PowerShell', { command }, { id });

function withPwsh(files: Readonly<Record<string, string>> = {}) {
  const repo = createTempRepo(files);
  symlinkSync(join(import.meta.dirname, '../support/pwsh.mjs'), join(repo.tempDir, 'pwsh'));
  const record = join(repo.outside, 'record.jsonl');
  const env = { PATH: `${repo.tempDir}:${process.env['PATH'] ?? ''}`, CLAUDE_CODE_USE_POWERSHELL_TOOL: '1', PWSH_RECORD: record };
  return { repo, env, ran: () => repo.read(record).trim().split('\n').map((line): { readonly script: string; readonly cwd: string } => JSON.parse(line)) };
}

verifies('powershell:tool:runs', async () => {
  const { repo, env, ran } = withPwsh();
  const session = await startEngine({
    repo,
    env,
    rules: { allow: ['PowerShell(Write-Output *)'], deny: ['PowerShell(Remove-Item *)'] },
    script: [reply(powershell("Write-Output 'grüße \"x\" $y'", 't1'), powershell('ri -Recurse .', 't2'), powershell('Set-Content a.txt b', 't3')), reply(powershell("Write-Output 'no'\nexit 7", 't4')), say('done')],
  });
  const asked = session.autoAnswer(() => once);
  await session.prompt('go');
  expect(await resultOf(session, 't1')).toBe('grüße "x" $y');
  expect(await resultOf(session, 't2'), 'an alias is the cmdlet it stands for').toMatch(/Remove-Item/);
  expect(asked.flatMap((ask) => (ask.kind === 'permission' ? [ask.request.callId] : []))).toContain('t3');
  expect(await resultOf(session, 't4')).toMatch(/7[\s\S]*no/);
  expect(ran().map(({ script }) => script.split('\n')[3])).toEqual(["Write-Output 'grüße \"x\" $y'", 'Set-Content a.txt b', "Write-Output 'no'"]);
  expect(ran()[0]?.cwd).toBe(repo.root);
});

verifies('powershell:tool:offered', async () => {
  const { repo, env } = withPwsh();
  const session = await startEngine({ repo, env: { ...env, CLAUDE_CODE_USE_POWERSHELL_TOOL: '0' }, script: [powershell('Write-Output 1', 't1'), say('done')] });
  await session.prompt('go');
  expect(await resultOf(session, 't1')).toMatch(/There is no tool PowerShell/);
});

verifies('powershell:tool:sandbox', async () => {
  const { repo, env, ran } = withPwsh({ '.claude/settings.json': JSON.stringify({ permissions: { allow: ['PowerShell'] }, sandbox: { enabled: true } }) });
  const session = await startEngine({ repo, env, script: [powershell("Write-Output 'out'", 't1'), say('done')] });
  const asked = session.autoAnswer(() => once);
  await session.prompt('go');
  expect(asked.map((ask) => ask.kind === 'permission' && ask.request.subject.alwaysAsk)).toEqual([expect.stringContaining('outside the sandbox')]);
  expect(ran()).toHaveLength(1);
  await session.engine.dispose();
  repo.write('.claude/settings.json', JSON.stringify({ permissions: { allow: ['PowerShell'] }, sandbox: { enabled: true, allowUnsandboxedCommands: false } }));
  const shut = await startEngine({ repo, env, script: [powershell("Write-Output 'out'", 't1'), say('done')] });
  await shut.prompt('go');
  expect(await resultOf(shut, 't1')).toMatch(/can’t run in the sandbox[\s\S]*Use Bash/);
  expect(ran()).toHaveLength(1);
});
