import { expect } from 'vitest';
import { callTool, reply, say } from '../../support/script';
import { caller, once, startEngine } from '../../support/startEngine';
import { verifies } from '../../support/verifies';
import { requestsOf, small, untilConnected, withServers } from './mcpKit';

verifies('mcp:elicit:asked', async () => {
  const session = await withServers(
    { a: small() },
    { rules: { allow: ['mcp__a__ask', 'mcp__a__sample'] }, script: [reply(callTool('mcp__a__ask', {}, { id: 'c1' })), reply(callTool('mcp__a__ask', {}, { id: 'c2' })), reply(callTool('mcp__a__sample', { text: 'Say it' }, { id: 'c3' })), say('said by the model'), say('done')] },
  );
  let round = 0;
  const asked = session.autoAnswer((ask) => {
    if (ask.kind === 'permission') return once;
    round++;
    if (round === 1) return { behavior: 'answer', answers: { City: 'Rome', Nights: 'many', Smoking: 'Yes', Size: 'Large' } };
    return round === 2 ? { behavior: 'answer', answers: { City: 'Rome', Nights: '3', Smoking: 'Yes', Size: 'Large' } } : { behavior: 'decline' };
  });
  await session.prompt('go');
  expect(asked[0]).toMatchObject({ kind: 'question', request: { agentPath: ['main'], source: { kind: 'mcp', name: 'a', message: 'Where to?' } } });
  expect(asked[1]).toMatchObject({ request: { questions: [{ header: '' }, { header: 'A number' }, { header: '' }, { header: '' }] } });
  expect(session.result('c1')).toContain(JSON.stringify(JSON.stringify({ action: 'accept', content: { city: 'Rome', nights: 3, smoking: true, size: 'l' } })).slice(1, -1));
  expect(session.result('c2')).toContain('decline');
  expect(asked.at(-1)).toMatchObject({ kind: 'permission', request: { subject: { tool: 'mcp__a__sampling', title: 'let a ask your model' } } });
  expect(session.result('c3')).toContain('said by the model');
});

verifies('mcp:config:approved', async () => {
  const session = await startEngine({ files: { '.mcp.json': JSON.stringify({ mcpServers: { yes: small(), no: small() } }) }, script: [say('hello'), say('again')] });
  session.autoAnswer((ask) => ({ behavior: 'answer', answers: ask.kind === 'question' ? { [ask.request.questions[0]?.question ?? '']: 'yes' } : {} }));
  await session.prompt('go');
  await session.event('question/answered');
  await expect.poll(async () => ((await session.engine.inspect('mcp')) as { loaded: { name: string; status: string }[] }).loaded.map(({ name, status }) => `${name} ${status}`)).toEqual(['yes connected', 'no refused']);
  expect(JSON.parse(session.repo.read('.claude/settings.local.json'))).toEqual({ enabledMcpjsonServers: ['yes'], disabledMcpjsonServers: ['no'] });
  await session.prompt('more');
  expect(requestsOf(session)[1]?.toolNames).toContain('mcp__yes__echo');
});

verifies('mcp:prompts:typed', async () => {
  const session = await withServers({ a: small('--instructions=Be brief with me.') }, { script: [say('hello')] });
  await untilConnected(session);
  const { skills } = await session.engine.handlers['skill/list']({}, caller);
  expect(skills.find(({ name }) => name === 'mcp__a__greet_person')).toMatchObject({ source: 'mcp', description: 'Greets', argumentHint: '<who> [how]' });
  await session.prompt('/mcp__a__greet_person "Ada Lovelace" very warmly');
  expect(requestsOf(session)[0]?.lastText).toContain('greet Ada Lovelace very warmly');
  expect(requestsOf(session)[0]?.lastText).toContain('The MCP server a says about its tools:\nBe brief with me.');
});
