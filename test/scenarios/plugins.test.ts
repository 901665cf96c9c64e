import { expect } from 'vitest';
import { say } from '../support/script';
import { runHeadless } from '../support/spawnHeadless';
import { startModel } from '../support/startEngine';
import { createTempRepo } from '../support/tempRepo';
import { verifies } from '../support/verifies';

verifies('plugin:session:runs', async () => {
  const repo = createTempRepo({
    'kit/.claude-plugin/plugin.json': JSON.stringify({ name: 'kit', version: '1.2.0' }),
    'kit/skills/tide/SKILL.md': '---\ndescription: Tide tables\n---\nRead ${CLAUDE_PLUGIN_ROOT}/table.md for $0.',
    'kit/agents/pilot.md': '---\nname: pilot\ndescription: Pilots\n---\nYou pilot.',
    'kit/hooks/hooks.json': JSON.stringify({ hooks: { SessionStart: [{ hooks: [{ type: 'command', command: 'true' }] }] } }),
  });
  const inspected = await runHeadless(['inspect', 'plugins', '--json', '--plugin-dir', 'kit'], { repo });
  const { loaded } = JSON.parse(inspected.stdout) as { loaded: { name: string }[] };
  expect(loaded.find((plugin) => plugin.name === 'kit')).toMatchObject({ id: 'kit@inline', version: '1.2.0', source: 'session', contributes: { skills: 1, agents: 1, hooks: 1, commands: 0 } });
  expect(loaded.map((plugin) => plugin.name)).toContain('plugin-kit');
  const server = await startModel([say('High at noon')]);
  const run = await runHeadless(['-p', '/kit:tide harbour', '--plugin-dir', 'kit'], { repo, server });
  expect(run.stdout).toContain('High at noon');
  const request = JSON.stringify(server.messageRequests()[0]?.body);
  expect(request).toContain(`Read ${repo.path('kit')}/table.md for harbour.`);
  expect(request).toContain('kit:tide: Tide tables');
  expect(request).toContain('kit:pilot');
  const missing = await runHeadless(['inspect', 'plugins', '--json', '--plugin-dir', 'nowhere'], { repo });
  expect(JSON.parse(missing.stdout)).toMatchObject({ disabled: [{ path: repo.path('nowhere') }], problems: [{ code: 'plugin-missing' }] });
}, { case: 'by --plugin-dir' });
