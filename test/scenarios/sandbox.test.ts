import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { agent, agentNamed, bash, resultOf } from '../support/agentScripts';
import { callTool, reply, say, when } from '../support/script';
import { processesWith, sleepsFor, uniqueSeconds } from '../support/spawnHeadless';
import { once, startEngine } from '../support/startEngine';
import { createTempRepo } from '../support/tempRepo';
import { verifies } from '../support/verifies';

/** A client as most are: it asks the proxy its environment names. */
const client = `const http = require('node:http');
const proxy = new URL(process.env.http_proxy);
const login = Buffer.from(decodeURIComponent(proxy.username) + ':' + decodeURIComponent(proxy.password)).toString('base64');
http.get({ host: proxy.hostname, port: proxy.port, path: process.argv[2], headers: { host: new URL(process.argv[2]).host, 'proxy-authorization': 'Basic ' + login } }, (answer) => answer.pipe(process.stdout)).on('error', (error) => console.log(error.message));
`;

const on = (sandbox: object = {}, permissions: object = {}) => ({ '.claude/settings.json': JSON.stringify({ permissions, sandbox: { enabled: true, ...sandbox } }), 'get.js': client });
const outside = (command: string, id: string) => callTool('Bash', { command, dangerouslyDisableSandbox: true }, { id });

verifies('sandbox:files:confined', async () => {
  const repo = createTempRepo({ ...on({}, { deny: ['Read(secret.txt)'] }), 'secret.txt': 'hidden words\n', 'deep/secret.txt': 'hidden words\n' });
  const out = join(repo.outside, 'out.txt');
  const session = await startEngine({
    repo,
    script: [
      reply(
        bash(`echo in > in.txt; touch ${out}`, 't1'),
        bash(`node -e "for (const file of ['.claude/settings.local.json', '.git/hooks/post-commit']) try { require('fs').writeFileSync(file, '{}') } catch (error) { console.log(error.code) }"`, 't2'),
        bash(`node -e "console.log(require('fs').readFileSync('secret.txt', 'utf8'))"; node -e "console.log(require('fs').readFileSync('deep/secret.txt', 'utf8'))"`, 't3'),
        bash('git add in.txt && git -c user.name=a -c user.email=b@c commit -qm kept && git log --oneline | head -1', 't4'),
      ),
      outside(`echo out > ${out}`, 't5'),
      say('done'),
    ],
  });
  const asked = session.autoAnswer(() => once);
  await session.prompt('go');
  expect(await resultOf(session, 't1')).toMatch(/Read-only file system[\s\S]*ran in a sandbox[\s\S]*dangerouslyDisableSandbox/);
  expect(repo.read('in.txt'), 'a confined command needs no permission of its own').toBe('in\n');
  expect([existsSync(repo.path('.claude/settings.local.json')), existsSync(repo.path('.git/hooks/post-commit'))], 'what would run code later is not to be written').toEqual([false, false]);
  expect(await resultOf(session, 't2')).toMatch(/EROFS\nEROFS/);
  expect(await resultOf(session, 't3'), 'what Read may not see no program shows').not.toContain('hidden words');
  expect(await resultOf(session, 't4')).toContain('kept');
  expect(asked.map((ask) => ask.kind === 'permission' && [ask.request.callId, ask.request.subject.risks?.[0]])).toEqual([['t5', expect.stringContaining('run outside the sandbox')]]);
  expect(repo.read(out)).toBe('out\n');
});

verifies('sandbox:network:asked', async () => {
  const server = createServer((_, response) => response.end('hello from here')).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  const here = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/`;
  const get = (url: string, id: string) => bash(`node get.js ${url}`, id);
  const session = await startEngine({
    files: on({ network: { deniedDomains: ['never.example'] } }),
    script: [get(here, 't1'), get('http://refused.example/', 't2'), get('http://kept.example/', 't3'), get('http://kept.example/again', 't4'), get('http://never.example/', 't5'), say('done')],
  });
  const asked = session.autoAnswer((ask) => {
    const { url = '' } = ask.kind === 'permission' ? ask.request.subject : {};
    if (url.includes('refused')) return { behavior: 'deny' };
    return url.includes('kept') ? { behavior: 'allow', scope: 'session', rules: ['WebFetch(domain:kept.example)'] } : once;
  });
  await session.prompt('go');
  const subjects = asked.flatMap((ask) => (ask.kind === 'permission' ? [ask.request.subject] : []));
  expect(subjects.map(({ title, tool }) => [tool, title])).toEqual([
    ['WebFetch', expect.stringMatching(/^let a command reach 127\.0\.0\.1:\d+$/)],
    ['WebFetch', 'let a command reach refused.example'],
    ['WebFetch', 'let a command reach kept.example'],
  ]);
  expect(await resultOf(session, 't1')).toContain('hello from here');
  expect(await resultOf(session, 't2')).toMatch(/blocked by network allowlist[\s\S]*Refused: deny network-outbound refused\.example:80/);
  for (const id of ['t3', 't4']) expect(await resultOf(session, id)).not.toContain('allowlist');
  expect(await resultOf(session, 't5')).toMatch(/allowlist[\s\S]*never\.example/);
});

verifies('sandbox:agents:own-place', async () => {
  const session = await startEngine({
    files: on(),
    script: [
      when({ first: 'APART' }, [bash('echo new > new.txt; git add new.txt && git -c user.name=a -c user.email=b@c commit -qm apart && echo committed; node -e "require(\'fs\').writeFileSync(\'../../../main.txt\', \'\')"', 'w1'), bash('node get.js http://deep.example/', 'w2'), say('made it')]),
      agent('APART', 'm1', { isolation: 'worktree', name: 'fix' }),
      say('done'),
    ],
  });
  const asked = session.autoAnswer(() => ({ behavior: 'deny' }));
  await session.prompt('go');
  const { agentId } = agentNamed(await session.view(), 'APART');
  expect(await resultOf(session, 'w1', agentId)).toMatch(/committed[\s\S]*EROFS|committed[\s\S]*read-only file system/);
  expect(existsSync(session.repo.path('main.txt'))).toBe(false);
  expect(asked.map((ask) => ask.request.agentPath), 'who asks is the agent whose command it is').toEqual([['main', agentId]]);
});

verifies('sandbox:stop:ends-all', async () => {
  const seconds = uniqueSeconds();
  const session = await startEngine({ files: on(), script: [bash(`(setsid sleep ${seconds} &); sleep ${seconds}`, 't1'), say('never')] });
  await session.submit('go');
  await expect.poll(() => sleepsFor(seconds)).toBe(true);
  await session.interrupt();
  await expect.poll(() => processesWith(`sleep ${seconds}`)).toEqual([]);
});

verifies('sandbox:settings:choices', async () => {
  const session = await startEngine({
    files: on({ autoAllowBashIfSandboxed: false, allowUnsandboxedCommands: false, excludedCommands: ['touch *'], filesystem: { allowWrite: ['../outside'] } }, { allow: ['Bash(echo *)'] }),
    script: [reply(bash('echo one > ../outside/one.txt', 't1'), bash('touch ../outside/../two.txt', 't2'), outside('mkdir ../three', 't3')), say('done')],
  });
  const asked = session.autoAnswer(() => once);
  await session.prompt('go');
  expect(session.repo.read('../outside/one.txt')).toBe('one\n');
  expect(existsSync(session.repo.path('../two.txt')), 'an excluded command runs outside').toBe(true);
  expect(await resultOf(session, 't3'), 'where nothing may leave, asking to is of no effect').toContain('Read-only file system');
  expect(asked.flatMap((ask) => (ask.kind === 'permission' ? [[ask.request.callId, ask.request.subject.sandboxed ?? false]] : [])), 'and nothing is free without the setting').toEqual(expect.arrayContaining([['t2', false], ['t3', true]]));
});

verifies('scenarios:policy:sandbox', async () => {
  const programs = createTempRepo().tempDir;
  for (const name of ['bash', 'sh', 'git', 'touch', 'env', 'node']) symlinkSync(execFileSync('which', [name], { encoding: 'utf8' }).trim(), join(programs, name));
  mkdirSync(programs, { recursive: true });
  const wanted = (sandbox: object) => ({ env: { PATH: programs }, files: on(sandbox, { allow: ['Bash'] }), script: [bash('touch made.txt', 't1'), say('done')] });
  const told = await startEngine(wanted({}));
  await told.prompt('go');
  expect((await told.view()).notices).toMatchObject([{ code: 'sandboxAbsent', detail: expect.stringMatching(/bwrap and socat are not installed[\s\S]*commands run unconfined/) }]);
  expect(told.repo.read('made.txt')).toBe('');
  const required = await startEngine(wanted({ failIfUnavailable: true }));
  await required.prompt('go');
  expect((await required.view()).notices).toMatchObject([{ code: 'sandboxAbsent', detail: expect.stringContaining('no shell command runs') }]);
  expect(() => required.repo.read('made.txt')).toThrow('ENOENT');
});
