import { expect } from 'vitest';
import { hookEventNames } from '../../../extension/hooks/hookEvents';
import { createTempRepo } from '../../support/tempRepo';
import { openEngine, startModel } from '../../support/startEngine';
import { runHeadless } from '../../support/spawnHeadless';
import { verifies } from '../../support/verifies';

const stop = (command: string): string => JSON.stringify({ hooks: { Stop: [{ hooks: [{ type: 'command', command, timeout: 7 }] }] } }, null, 2);

verifies('hooks:inspect', async () => {
  const repo = createTempRepo({ '.claude/settings.json': stop('project.sh'), '~/.claude/settings.json': stop('user.sh').replace('"Stop"', '"stop"') });
  const server = await startModel([]);
  const trusted = await openEngine({ repo, server });
  expect(await trusted.inspect('hooks')).toEqual({
    loaded: [{ event: 'Stop', matcher: null, type: 'command', source: 'project', path: repo.path('.claude/settings.json'), timeoutSeconds: 7, label: 'project.sh' }],
    disabled: [],
    problems: [expect.objectContaining({ code: 'hook-unknown-event', path: `${repo.configRoot}/settings.json`, line: 3 })],
  });
  const untrusted = await openEngine({ repo, server, trusted: false });
  expect(await untrusted.inspect('hooks')).toMatchObject({ loaded: [] });
});

verifies('hooks:inspect', async () => {
  const repo = createTempRepo({ '.claude/settings.json': stop('project.sh') });
  const listed = await runHeadless(['inspect', 'hooks', '--json', '--trust'], { repo });
  expect(listed.lines).toMatchObject([{ loaded: [{ event: 'Stop', source: 'project', timeoutSeconds: 7 }] }]);
  expect((await runHeadless(['inspect', 'hooks', '--trust'], { repo })).stdout).toContain('Stop  project  project.sh');
  const events = await runHeadless(['inspect', 'hooks', '--events', '--json'], { repo });
  const names = ((events.lines[0]?.['loaded'] ?? []) as { event: string }[]).map((row) => row.event);
  const later = ['Elicitation', 'ElicitationResult', 'PreCompact', 'PostCompact', 'DirectoryAdded', 'TaskCreated', 'TaskCompleted', 'TeammateIdle', 'WorktreeCreate', 'WorktreeRemove'];
  expect(hookEventNames.filter((event) => !names.includes(event) && !later.includes(event))).toEqual([]);
  const wrong = await runHeadless(['inspect', 'skills', '--events'], { repo });
  expect([wrong.exitCode, wrong.stderr]).toEqual([2, expect.stringContaining('--events belongs to inspect hooks')]);
}, { case: 'the command' });
