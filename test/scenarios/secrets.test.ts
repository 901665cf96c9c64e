import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished } from 'vitest';
import type { Envelope } from '../../extension/protocol/envelope';
import { hookSettingsFile } from '../support/hookScripts';
import { callTool, reply, say, status, when } from '../support/script';
import { caller, openEngine, playSession, startModel } from '../support/startEngine';
import { createTempRepo } from '../support/tempRepo';
import { verifies } from '../support/verifies';
import { small, untilConnected } from './mcp/mcpKit';

verifies('scenarios:secrets:no-leak', async () => {
  const key = 'sk-ant-0123456789-of-the-environment';
  const stored = 'sk-ant-9876543210-typed-by-a-person';
  const posted: string[] = [];
  const web = createServer((request, response) => {
    posted.push(JSON.stringify(request.headers));
    request.on('data', (chunk) => posted.push(String(chunk))).on('end', () => response.end());
  });
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void web.close());

  const dump = (name: string): object => ({ type: 'command', command: `cat > /dev/null; env > "$CLAUDE_PROJECT_DIR/${name}.env"; env` });
  const http = { type: 'http', url: `http://127.0.0.1:${(web.address() as AddressInfo).port}/hook`, headers: { 'x-token': '$ANTHROPIC_API_KEY $HOME' }, allowedEnvVars: ['HOME', 'ANTHROPIC_API_KEY'] };
  const repo = createTempRepo({
    '.claude/settings.json': hookSettingsFile({ PreToolUse: ['', dump('hook'), http], SessionStart: ['', dump('start')], Stop: ['', { type: 'prompt', prompt: 'Is it done?' }] }),
    '.claude/skills/shows/SKILL.md': '---\ndescription: Shows.\n---\nThe environment is !`env`.\n',
    '.mcp.json': JSON.stringify({ mcpServers: { small: { ...small(), env: { GIVEN: '${ANTHROPIC_API_KEY:-nothing}' } } } }),
  });
  const server = await startModel(
    [
      when({ noTools: true }, [say('{"ok": true}')]),
      when({ first: '<brief>' }, [callTool('Bash', { command: 'env' }, { id: 'a1' }), say('seen')]),
      reply(callTool('Bash', { command: 'env; printenv ANTHROPIC_API_KEY; env > shell.env' }, { id: 't1' }), callTool('mcp__small__env', { text: 'ANTHROPIC_API_KEY' }, { id: 't2' }), callTool('mcp__small__env', { text: 'GIVEN' }, { id: 't3' })),
      callTool('Agent', { description: 'look', prompt: 'look', subagent_type: 'general-purpose' }, { id: 't4' }),
      say('done'),
      // A server that gives back what it was sent.
      status(400, { message: `the key ${key} may not use this model` }),
    ],
    { keys: [key, stored] },
  );
  const complaints: string[] = [];
  const said: string[] = [];
  const log = (message: string): void => void complaints.push(message);
  const engine = await openEngine({ repo, server, env: { ANTHROPIC_API_KEY: key, ANTHROPIC_AUTH_TOKEN: '', OTHER: 'is-passed-on' }, ports: { log: { debug: log, info: log, warn: log, error: log } }, options: { flagSettings: [{ enableAllProjectMcpServers: true, permissions: { allow: ['Bash', 'mcp__small'] } }] } }, complaints);
  const take = (envelope: Envelope): void => void said.push(JSON.stringify(envelope));
  let tell: (message: unknown) => void = () => undefined;
  const listen = (listener: (message: unknown) => void) => {
    tell = listener;
    return { dispose: () => undefined };
  };
  engine.connect({ send: take, onMessage: listen });
  const { sessionId } = await engine.handlers['session/start']({}, caller);
  await untilConnected({ engine });
  tell({ kind: 'request', id: '1', method: 'view/subscribe', params: { sessionId } });
  const session = playSession({ engine, server, repo, complaints }, sessionId);
  await session.prompt('/shows');
  expect(await session.prompt('once more')).toMatchObject({ stop: 'error', problem: { message: expect.stringContaining('may not use this model') } });

  // All of it ran, with the rest of the environment.
  expect(session.result('t1')).toContain('OTHER=is-passed-on');
  for (const file of ['hook.env', 'start.env', 'shell.env']) expect(repo.read(file)).toContain('OTHER=is-passed-on');
  expect(session.result('t2')).toMatch(/"ANTHROPIC_API_KEY= cwd=/);
  expect(posted.join()).toContain(repo.homeDir);
  expect(server.messageRequests()[0]?.headers['x-api-key']).toBe(key);

  // A key a person types goes into the secret store alone.
  await engine.handlers['model/setup']({ way: 'baseUrl', baseUrl: server.url, model: 'claude-opus-4-5', key: stored }, caller);
  await engine.dispose();
  const everything = { disk: [repo.root, repo.configRoot, repo.tempDir, repo.homeDir].map(repo.allText).join('\n'), wire: said.join('\n'), events: JSON.stringify(session.events), view: JSON.stringify(session.log()), log: complaints.join('\n'), hookServer: posted.join('\n'), model: JSON.stringify(server.messageRequests().map((request) => request.body)) };
  for (const secret of [key, stored]) for (const [where, text] of Object.entries(everything)) expect([where, text.includes(secret)]).toEqual([where, false]);
  expect([everything.wire.includes('is-passed-on'), everything.disk.includes('is-passed-on')]).toEqual([true, true]);
});
