import { expect } from 'vitest';
import { callTool, reply, say } from '../support/script';
import { runHeadless } from '../support/spawnHeadless';
import { startEngine, startModel } from '../support/startEngine';
import { createTempRepo } from '../support/tempRepo';
import { verifies } from '../support/verifies';

const skill = (front: string, body: string): string => `---\n${front}\n---\n${body}\n`;
const files = {
  '.claude/skills/greet/SKILL.md': skill('description: Greets a person by name\nargument-hint: name', 'Greet $ARGUMENTS warmly, first $0 then the rest.'),
  '.claude/skills/stamp/SKILL.md': skill('description: Stamps a file\nallowed-tools: Bash(touch stamp.txt)', 'Run touch stamp.txt.'),
  '.claude/skills/broken/SKILL.md': '---\ndescription: [never closed\nname: "x\n---\nStill a body.\n',
  '.claude/skills/hidden/SKILL.md': skill('description: Only typed\ndisable-model-invocation: true', 'Secret steps.'),
  '.claude/commands/ops/deploy.md': skill('description: Deploys', 'Deploy it.'),
  '~/.claude/skills/mine/SKILL.md': skill('description: My own', 'My own words. !`echo from-the-shell`'),
};
const sent = (request: { readonly body: unknown } | undefined): string => JSON.stringify(request?.body);

verifies('scenarios:skills:typed', async () => {
  const session = await startEngine({ files, script: [say('Dear Ada'), say('what?')] });
  await session.prompt('/greet Ada Lovelace');
  const [request] = session.server.messageRequests();
  expect(sent(request)).toContain('Greet Ada Lovelace warmly, first Ada then the rest.');
  expect(sent(request)).toContain('Greets a person by name');
  const user = (await session.view()).conversations['main']?.find((entry) => entry.kind === 'user');
  expect(user).toMatchObject({ text: '/greet Ada Lovelace', origin: 'person' });
  await session.prompt('/gret Ada');
  expect((await session.view()).notices.at(-1)).toMatchObject({ level: 'error', detail: expect.stringContaining('greet') });
  expect(session.server.messageRequests()).toHaveLength(1);
});

verifies('scenarios:skills:model-calls', async () => {
  const session = await startEngine({ files, script: [callTool('Skill', { skill: 'greet', args: 'Bob' }, { id: 't1' }), reply(callTool('Skill', { skill: 'hidden' }, { id: 't2' }), callTool('Skill', { skill: 'gret' }, { id: 't3' })), say('Dear Bob')] });
  const asked = session.autoAnswer(() => ({ behavior: 'deny' }));
  expect(await session.prompt('greet Bob')).toMatchObject({ stop: 'done' });
  expect(asked).toEqual([]);
  const requests = session.server.messageRequests();
  expect(sent(requests[0])).not.toContain('Only typed');
  expect(sent(requests[1])).toContain('Greet Bob warmly');
  expect((await session.call('t2')).call.status).not.toBe('completed');
  expect((await session.call('t3')).call).toMatchObject({ status: 'failed', text: expect.stringContaining('greet') });
  expect(sent(requests[2])).not.toContain('Secret steps');
});

verifies('scenarios:skills:allowed-tools', async () => {
  const session = await startEngine({
    files,
    script: [callTool('Bash', { command: 'touch stamp.txt' }, { id: 't1' }), callTool('Bash', { command: 'touch other.txt' }, { id: 't2' }), say('stamped'), callTool('Bash', { command: 'touch stamp.txt' }, { id: 't3' }), say('not again')],
  });
  const asked = session.autoAnswer(() => ({ behavior: 'deny' }));
  await session.prompt('/stamp');
  expect(asked.map((ask) => ask.request.callId)).toEqual(['t2']);
  expect(session.repo.read('stamp.txt')).toBe('');
  await session.prompt('and once more');
  expect(asked.map((ask) => ask.request.callId)).toEqual(['t2', 't3']);
});

verifies('scenarios:skills:inspect', async () => {
  const repo = createTempRepo(files);
  const run = await runHeadless(['inspect', 'skills', '--json', '--trust'], { repo });
  expect(run).toMatchObject({ exitCode: 0, stderr: '' });
  const report = run.result as { loaded: Record<string, unknown>[]; problems: Record<string, unknown>[] };
  const byName = new Map(report.loaded.map((item) => [item['qualified'] ?? item['name'], item]));
  expect(byName.get('greet')).toMatchObject({ kind: 'skill', source: 'project', description: 'Greets a person by name', argumentHint: 'name', allowedTools: null, path: repo.path('.claude/skills/greet/SKILL.md'), userInvocable: true, modelInvocable: true });
  expect(byName.get('stamp')).toMatchObject({ allowedTools: ['Bash(touch stamp.txt)'] });
  expect(byName.get('hidden')).toMatchObject({ modelInvocable: false });
  expect(byName.get('mine')).toMatchObject({ source: 'user' });
  expect([...byName.values()].find((item) => item['kind'] === 'command')).toMatchObject({ qualified: 'ops:deploy', source: 'project' });
  expect(report.problems).toContainEqual(expect.objectContaining({ path: repo.path('.claude/skills/broken/SKILL.md'), severity: expect.any(String), code: expect.any(String), message: expect.any(String) }));
});

verifies('scenarios:skills:broken', async () => {
  const session = await startEngine({ files, script: [say('ok')] });
  await session.prompt('/mine');
  expect(sent(session.server.messageRequests()[0])).toContain('Greets a person by name');
  const { skills } = await session.engine.handlers['skill/list']({}, { viewId: 'test', subscribe: () => undefined });
  expect(skills.map((one) => one.qualified)).toEqual(expect.arrayContaining(['greet', 'stamp', 'hidden', 'mine', 'ops:deploy']));
  expect(session.engine.workspace().problemCount).toBeGreaterThan(0);
});

verifies('scenarios:skills:render', async () => {
  const repo = createTempRepo(files);
  const run = await runHeadless(['skill', 'render', 'greet', 'Ada', 'Lovelace', '--json', '--trust'], { repo });
  expect(run).toMatchObject({ exitCode: 0, result: { text: expect.stringContaining('Greet Ada Lovelace warmly, first Ada then the rest.'), allowedTools: [], problems: [] } });
  const shell = await runHeadless(['skill', 'render', 'mine', '--allowedTools', 'Bash(echo *)'], { repo });
  expect(shell.stdout).toContain('My own words. from-the-shell');
  const bare = await runHeadless(['skill', 'render', 'mine', '--no-shell'], { repo });
  expect(bare.stdout).toContain('!`echo from-the-shell`');
  repo.write('.claude/skills/runs/SKILL.md', skill('description: Runs', 'Ran: !`touch ran.txt`'));
  await runHeadless(['skill', 'render', 'runs', '--allowedTools', 'Bash'], { repo });
  expect(() => repo.read('ran.txt')).toThrow('ENOENT');
  await runHeadless(['skill', 'render', 'runs', '--allowedTools', 'Bash', '--trust'], { repo });
  expect(repo.read('ran.txt')).toBe('');
  const unknown = await runHeadless(['skill', 'render', 'gret', '--trust'], { repo });
  expect(unknown.exitCode).toBe(1);
  expect(unknown.stderr).toContain('greet');
});

verifies('scenarios:skills:render', async () => {
  const repo = createTempRepo(files);
  const rendered = await runHeadless(['skill', 'render', 'greet', 'Ada', '--json', '--trust'], { repo });
  const server = await startModel([say('Dear Ada')]);
  await runHeadless(['-p', '/greet Ada', '--trust'], { repo, server });
  const body = server.messageRequests()[0]?.body as { messages: { content: { text: string }[] }[] };
  expect(body.messages[0]?.content.map((block) => block.text)).toContain(rendered.result['text']);
}, { case: 'it is exactly what enters the conversation' });

verifies('scenarios:permission:explain', async () => {
  const repo = createTempRepo({ '.claude/settings.json': JSON.stringify({ permissions: { allow: ['Bash(make lint)'], deny: ['Bash(git push *)', 'Read(secret/**)'] } }), '.claude/agents/careful.md': '---\nname: careful\ndescription: Careful.\ntools: Bash, Write\ndisallowedTools: Bash(make *)\npermissionMode: dontAsk\n---\nBe careful.\n' });
  const explain = (tool: string, input: object, ...more: readonly string[]) => runHeadless(['permission', 'explain', '--tool', tool, '--input', JSON.stringify(input), '--json', '--trust', ...more], { repo });
  const [denied, both, secret, edit, mode, own, stricter, without, nobody] = await Promise.all([
    explain('Bash', { command: 'git push origin main' }),
    explain('Bash', { command: 'make lint && rm -rf build' }),
    explain('Read', { file_path: 'secret/key.pem' }),
    explain('Write', { file_path: 'a.txt', content: '' }),
    explain('Write', { file_path: 'a.txt', content: '' }, '--mode', 'acceptEdits'),
    explain('Bash', { command: 'make lint' }, '--agent', 'careful'),
    explain('Write', { file_path: 'a.txt', content: '' }, '--agent', 'careful', '--mode', 'acceptEdits'),
    explain('Read', { file_path: 'a.txt' }, '--agent', 'careful'),
    explain('Read', { file_path: 'a.txt' }, '--agent', 'carefull'),
  ]);
  expect(own?.result).toMatchObject({ decision: 'deny', rule: 'Bash(make *)', source: 'agent', path: repo.path('.claude/agents/careful.md') });
  expect(stricter?.result).toMatchObject({ decision: 'deny', reason: expect.stringContaining('dontAsk') });
  expect(without?.result).toMatchObject({ decision: 'deny', reason: expect.stringContaining('the agent careful has no tool Read') });
  expect([nobody?.exitCode, nobody?.stderr]).toEqual([1, expect.stringContaining('Did you mean careful')]);
  expect(denied?.result).toMatchObject({ decision: 'deny', rule: 'Bash(git push *)', source: 'project', path: repo.path('.claude/settings.json'), reason: expect.any(String) });
  expect(both?.result).toMatchObject({ decision: 'ask', parts: [{ command: 'make lint', decision: 'allow', rule: 'Bash(make lint)' }, { command: 'rm -rf build', decision: 'ask' }] });
  expect(secret?.result).toMatchObject({ decision: 'deny', rule: 'Read(secret/**)' });
  expect(edit?.result).toMatchObject({ decision: 'ask' });
  expect(mode?.result).toMatchObject({ decision: 'allow' });
});

const more = {
  ...files,
  '.claude/skills/shape/SKILL.md': skill('description: Shapes\neffort: low', 'Shape of $ARGUMENTS.'),
  '.claude/skills/survey/SKILL.md': skill('description: Surveys\ncontext: fork\nbackground: false\nallowed-tools: Bash(touch forked.txt)', 'Survey $0 now.'),
  '.claude/skills/css/SKILL.md': skill('description: Style rules\npaths: "**/*.css"', 'Use variables.'),
  'web/.claude/skills/paint/SKILL.md': skill('description: Paints the web part', 'Paint it.'),
  'web/site.css': 'a{}',
};

verifies('skill:run:stacked', async () => {
  const session = await startEngine({ files: more, script: [say('done'), say('again')] });
  await session.prompt('/greet /shape a box');
  expect(sent(session.server.messageRequests()[0])).toContain('Greet a box warmly, first a then the rest.\\n\\nShape of a box.');
  await session.prompt('/shape a box');
  await session.settled();
  const [, second] = session.server.messageRequests();
  expect(second?.body).toMatchObject({ output_config: { effort: 'low' } });
});

verifies('skill:run:already-loaded', async () => {
  const session = await startEngine({ files: more, script: [say('one'), say('two')] });
  await session.prompt('/greet Ada');
  await session.prompt('/greet Ada');
  const [, second] = session.server.messageRequests();
  expect(sent(second).split('Greet Ada warmly').length).toBe(2);
  expect(sent(second)).toContain('already in this conversation');
});

verifies('skill:run:forked', async () => {
  const session = await startEngine({ files: more, script: [callTool('Bash', { command: 'touch forked.txt' }, { id: 't1' }), say('Three reefs.'), say('The survey found three reefs.')] });
  const asked = session.autoAnswer(() => ({ behavior: 'deny' }));
  await session.prompt('/survey north');
  const [fork, , main] = session.server.messageRequests();
  expect(sent(fork)).toContain('<brief>\\nSurvey north now.');
  expect(sent(main)).toContain('Three reefs.');
  expect(sent(main)).not.toContain('Survey north now.');
  expect(Object.values((await session.view()).agents).map((agent) => agent.description)).toContain('/survey');
  expect(asked).toEqual([]);
  expect(session.repo.read('forked.txt')).toBe('');
});

verifies('skill:run:touched', async () => {
  const session = await startEngine({ files: more, script: [callTool('Read', { file_path: 'web/site.css' }, { id: 't1' }), callTool('Skill', { skill: 'paint' }, { id: 't2' }), say('painted')] });
  await session.prompt('look at the site');
  const [first, second, third] = session.server.messageRequests();
  expect(sent(first)).not.toContain('Style rules');
  expect(sent(first)).not.toContain('Paints the web part');
  expect(sent(second)).toContain('css: Style rules');
  expect(sent(second)).toContain('paint: Paints the web part');
  expect(sent(third)).toContain('Paint it.');
});

verifies('skill:run:overrides', async () => {
  const settings = { skillOverrides: { greet: 'off', stamp: 'name-only' }, disableSkillShellExecution: true };
  const session = await startEngine({ files: { ...more, '~/.claude/settings.json': JSON.stringify(settings) }, script: [say('ok')] });
  await session.prompt('/mine');
  const [request] = session.server.messageRequests();
  expect(sent(request)).not.toContain('Greets a person by name');
  expect(sent(request)).toContain('- stamp');
  expect(sent(request)).not.toContain('Stamps a file');
  expect(sent(request)).toContain('[shell command execution disabled by policy]');
  const { skills } = await session.engine.handlers['skill/list']({}, { viewId: 'test', subscribe: () => undefined });
  expect(skills.map((one) => one.qualified)).not.toContain('greet');
});
