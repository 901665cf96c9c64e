import { expect } from 'vitest';
import { expectPrefix } from '../support/anthropicServer';
import { callTool, redacted, reply, say, think } from '../support/script';
import { runHeadless } from '../support/spawnHeadless';
import { startEngine, startModel } from '../support/startEngine';
import { createTempRepo } from '../support/tempRepo';
import { verifies } from '../support/verifies';

interface Sent {
  readonly messages: readonly { readonly role: string; readonly content: readonly Readonly<Record<string, unknown>>[] }[];
}
const bodyOf = (request: { readonly body: unknown } | undefined): Sent => request?.body as Sent;

verifies('scenarios:requests:prefix', async () => {
  const session = await startEngine({
    files: {
      'CLAUDE.md': 'Use tabs.\n',
      'src/CLAUDE.md': 'In src use spaces.\n',
      'src/a.ts': 'export const a = 1;\n',
      '.claude/skills/greet/SKILL.md': '---\ndescription: Greets\n---\nGreet.\n',
    },
    rules: { allow: ['Bash', 'Edit'] },
    script: [
      reply(think('I should read it first.'), say('Reading.'), callTool('Read', { file_path: 'src/a.ts' }), callTool('Glob', { pattern: '**/*.ts' })),
      reply(redacted('b64=='), callTool('Edit', { file_path: 'src/a.ts', old_string: '1', new_string: '2' }), callTool('Bash', { command: 'cat src/a.ts' })),
      reply(think('Done, I think.'), say('Changed.')),
      callTool('Skill', { skill: 'greet' }),
      say('Hello.'),
      say('Planned.'),
    ],
  });
  await session.prompt('change a');
  await session.prompt('greet me');
  await session.setMode('plan');
  await session.prompt('and plan');
  const requests = session.server.messageRequests();
  expect(requests).toHaveLength(6);
  expect(expectPrefix(requests)).toBeUndefined();
  const kinds = bodyOf(requests[1]).messages[1]?.content.map((block) => block['type']);
  expect(kinds).toEqual(['thinking', 'text', 'tool_use', 'tool_use']);
  const replies = session.log().flatMap((event) => (event.type === 'message/completed' ? [event.content] : []));
  expect(bodyOf(requests[2]).messages[3]?.content[0]).toEqual(replies[1]?.[0]);
  expect(replies[1]?.[0]?.type).toBe('redacted_thinking');
  expect(bodyOf(requests[1]).messages[1]?.content[0]).toMatchObject({ thinking: 'I should read it first.', signature: expect.any(String) });
  expect(JSON.stringify(requests[2]?.body)).toContain('In src use spaces.');
  const usages = session.log().flatMap((event) => (event.type === 'message/completed' ? [event.usage] : []));
  expect(usages[0]?.cacheWriteTokens).toBeGreaterThan(0);
  for (const usage of usages.slice(1)) expect(usage.cacheReadTokens).toBeGreaterThanOrEqual(usages[0]?.cacheWriteTokens ?? 0);
  expect((await session.view()).costUsd).toBeGreaterThan(0);
});

verifies('scenarios:requests:first-message', async () => {
  const repo = createTempRepo({ '~/.claude/CLAUDE.md': 'Of the person.\n', 'CLAUDE.md': 'Of the project.\n@docs/style.md\n', 'docs/style.md': 'Of the import.\n', '.claude/skills/greet/SKILL.md': '---\ndescription: Greets people\n---\nGreet.\n' });
  const server = await startModel([say('hi')]);
  await runHeadless(['-p', 'My words', '--trust'], { repo, server });
  const [message] = bodyOf(server.messageRequests()[0]).messages;
  const text = message?.content.map((block) => String(block['text'])).join('\n') ?? '';
  const order = ['Of the person.', 'Of the project.', 'Of the import.', 'Greets people', 'Today is', repo.root, 'Git branch: main', 'Start', 'My words'];
  const places = order.map((words) => text.indexOf(words, words === repo.root ? text.indexOf('Working folder') : 0));
  expect(places.filter((place) => place === -1)).toEqual([]);
  expect([...places].sort((a, b) => a - b)).toEqual(places);
  const [first] = server.messageRequests();
  const system = JSON.stringify((first?.body as { system?: unknown } | undefined)?.system ?? '');
  expect(system).not.toBe('');
  expect(system).not.toContain(repo.root);
});

verifies('scenarios:requests:no-key-leaks', async () => {
  const key = 'sk-test-0123456789-never-shown';
  const server = await startModel([reply(callTool('Bash', { command: 'env; cat /proc/$PPID/environ | tr "\\0" "\\n" > /dev/null; echo end' })), say('seen')], { keys: [key] });
  const repo = createTempRepo();
  const run = await runHeadless(['-p', 'print the environment', '--output-format', 'stream-json', '--verbose', '--allowedTools', 'Bash'], { repo, server, env: { ANTHROPIC_API_KEY: key, HARMLESS: 'is-passed-on' } });
  expect(run.exitCode).toBe(0);
  expect(run.stdout).toContain('HARMLESS=is-passed-on');
  expect(run.stdout).not.toContain('ANTHROPIC_API_KEY=');
  expect(run.stdout + run.stderr).not.toContain(key);
  for (const dir of [repo.configRoot, repo.tempDir]) expect(repo.allText(dir)).not.toContain(key);
  expect(repo.allText(repo.configRoot)).toContain('print the environment');
  expect(server.messageRequests()[0]?.headers['x-api-key']).toBe(key);
  expect(JSON.stringify(server.messageRequests().map((request) => request.body))).not.toContain(key);
});
