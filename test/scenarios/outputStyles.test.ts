import { expect } from 'vitest';
import { callTool, reply, say } from '../support/script';
import { runHeadless } from '../support/spawnHeadless';
import { startModel } from '../support/startEngine';
import { createTempRepo } from '../support/tempRepo';
import { verifies } from '../support/verifies';

verifies('styles:session:fixed', async () => {
  const repo = createTempRepo({ '.claude/output-styles/notes.md': '---\nname: Field notes\n---\nAnswer as numbered findings.', '.claude/settings.json': '{"outputStyle": "Field notes"}' });
  const server = await startModel([reply(callTool('Agent', { description: 'look', prompt: 'Look around.' })), say('Seen.'), say('1. Done.')]);
  const run = await runHeadless(['-p', 'look'], { repo, server });
  expect(run.exitCode).toBe(0);
  const systems = server.requests.map((request) => JSON.stringify((request.body as { system: unknown }).system));
  expect([systems[0]?.includes('Answer as numbered findings.'), systems[0]?.includes('How to work'), systems[1]?.includes('numbered findings'), systems[2]]).toEqual([true, false, false, systems[0]]);
});
