import { existsSync } from 'node:fs';
import { expect } from 'vitest';
import { firedEvents, type HookEventName, hookEvents } from '../../../extension/hooks/hookEvents';
import { eventScript } from '../../support/eventScripts';
import { callTool, reply, say, type ScriptEntry, when, whenEach } from '../../support/script';
import { once, startEngine, type TestSession } from '../../support/startEngine';
import { createTempRepo, type TempRepo } from '../../support/tempRepo';
import { verifies } from '../../support/verifies';
import type { HookLanguage } from '../../support/hookScripts';

const bash = (command: string, id: string) => callTool('Bash', { command }, { id });
/** Events of parts with scenarios of their own: compaction, folders, servers, tasks, teams, worktrees. */
const elsewhere: readonly HookEventName[] = ['DirectoryAdded', 'PreCompact', 'PostCompact', 'Elicitation', 'ElicitationResult', 'TaskCreated', 'TaskCompleted', 'TeammateIdle', 'WorktreeCreate', 'WorktreeRemove'];
const playedEvents = firedEvents.filter((event) => !elsewhere.includes(event));
/** Events whose hooks hold something up; of the others every one comes in one round. */
const holding = playedEvents.filter((event) => hookEvents[event].exitTwo === 'block');
const others = playedEvents.filter((event) => !holding.includes(event));

/** A session whose first round fires everything this version fires; a hook of that language on each event. */
async function everyEvent(language: HookLanguage) {
  const repo = createTempRepo({ 'CLAUDE.md': 'Be brief.\n', '.env': 'A=1\n', 'sub/x.txt': 'x\n', '.claude/skills/deploy/SKILL.md': '---\ndescription: Deploys.\n---\nDeploy it now.\n', '.claude/agents/helper.md': '---\nname: helper\ndescription: Helps.\ntools: Read\n---\nHelp.\n' });
  const script = eventScript(repo, language);
  const hooks = Object.fromEntries(playedEvents.map((event) => [event, [{ ...(event === 'FileChanged' ? { matcher: '.env' } : {}), hooks: [script.handler] }]]));
  repo.write('.claude/settings.json', JSON.stringify({ hooks, permissions: { allow: ['Bash(echo *)', 'Bash(cd *)', 'Edit(//**/.env)'], deny: ['Bash(rm *)'] } }));
  const start = (): Promise<TestSession> => startEngine({ repo, mode: 'auto', script: [], options: { setup: 'init' } });
  return { repo, script, start };
}

/** Plays everything that can be told to the session once. */
async function playRound(session: TestSession, { repo, script }: { readonly repo: TempRepo; readonly script: ReturnType<typeof eventScript> }, n: number): Promise<void> {
  const id = (name: string): string => `${name}${n}`;
  session.server.script(
    ...routes,
    reply(bash(`touch made${n}.txt`, id('ask')), bash('ls missing', id('fail')), bash('rm x', id('deny')), callTool('Agent', { description: 'help', prompt: 'help me', subagent_type: 'helper' }, { id: id('agent') })),
    bash(`echo B=${n} >> ${repo.path('.env')}; cd ${repo.path('sub')}`, id('cwd')),
    say('done'),
  );
  const asked = script.seen('PermissionRequest').length;
  await session.submit('/deploy fast');
  const [ask] = await session.asks(1);
  // A hook runs beside an open dialog only.
  await expect.poll(() => script.seen('PermissionRequest').length, { interval: 20 }).toBeGreaterThan(asked);
  await session.event('hook/ran', (event) => event.event === 'PermissionRequest');
  if (ask) await session.answer(ask, once);
  await session.settled();
  session.server.script({ kind: 'status', status: 400 });
  await session.prompt('and this fails');
  const before = script.seen('ConfigChange').length;
  repo.write('~/.claude/settings.json', JSON.stringify({ n }));
  await expect.poll(() => script.seen('ConfigChange').length, { interval: 20 }).toBeGreaterThan(before);
}

const routes: readonly ScriptEntry[] = [whenEach({ noTools: true }, [say('{"verdict":"ask","reason":"who knows"}')]), whenEach({ first: '\nhelp me' }, [say('helped')])];

type Outcomes = Readonly<Record<string, string>>;

/** What the hooks of each event came to, once all have; SessionEnd comes when the session has ended. */
async function outcomes(session: TestSession, wanted: Outcomes): Promise<void> {
  const found = (): Outcomes => Object.fromEntries(session.log().flatMap((event) => (event.type === 'hook/ran' ? [[event.event, event.outcome]] : [])));
  await expect.poll(found, { interval: 20 }).toMatchObject(wanted);
}

const all = (events: readonly HookEventName[], outcome: string): Outcomes => Object.fromEntries(events.filter((event) => event !== 'SessionEnd').map((event) => [event, outcome]));

for (const language of ['bash', 'node', 'python'] as const) {
  verifies('hooks:exit-codes', async () => {
    const place = await everyEvent(language);
    const { repo, script } = place;

    const fine = await place.start();
    await playRound(fine, place, 0);
    await outcomes(fine, all(playedEvents, 'ok'));
    for (const event of playedEvents) if (event !== 'SessionEnd') expect(script.seen(event)[0], event).toMatchObject({ hook_event_name: event, session_id: fine.sessionId, cwd: expect.stringContaining(repo.root) });
    await fine.engine.dispose();
    expect(script.seen('SessionEnd')).toMatchObject([{ reason: 'other', session_id: fine.sessionId }]);

    // Any other code: said, and everything goes on.
    script.setExit(playedEvents, 1);
    const failing = await place.start();
    await playRound(failing, place, 1);
    await outcomes(failing, all(playedEvents, 'failed'));
    const statuses = await Promise.all(['ask1', 'fail1', 'deny1', 'agent1', 'cwd1'].map(async (id) => (await failing.call(id)).call.status));
    expect(statuses).toEqual(['completed', 'failed', 'denied', 'completed', 'completed']);
    expect((await failing.view()).notices.filter((notice) => notice.code === 'hookFailed').map((notice) => notice.title).join()).toContain('UserPromptSubmit');
    await failing.engine.dispose();

    // 2 where nothing can be held up: told to the model, to the person, or to nobody.
    script.setExit(holding, 0);
    script.setExit(others, 2);
    const objecting = await place.start();
    await playRound(objecting, place, 2);
    await outcomes(objecting, { ...all(others, 'ok'), ...all(holding, 'ok') });
    const told = JSON.stringify(objecting.server.messageRequests().map((request) => request.body));
    for (const event of others) expect([event, told.includes(`${event} says so`)]).toEqual([event, hookEvents[event].exitTwo === 'model']);
    const said = (await objecting.view()).notices.filter((notice) => notice.code === 'hookFailed').map((notice) => `${notice.title} ${notice.detail}`).join('\n');
    for (const event of others) if (hookEvents[event].exitTwo !== 'model' && event !== 'SessionEnd') expect([event, said.includes(`${event} says so`)]).toEqual([event, hookEvents[event].exitTwo === 'user']);

    script.setExit(others, 0);
    await holdUp(objecting, place);
  }, { case: `every event, ${language}`, timeoutMs: 180_000 });
}

/** Exit code 2 of one event after the other, each of which can hold something up. */
async function holdUp(session: TestSession, { repo, script }: { readonly repo: TempRepo; readonly script: ReturnType<typeof eventScript> }): Promise<void> {
  const held = new Set<HookEventName>();
  const withTwo = async (event: HookEventName, play: () => Promise<void>): Promise<void> => {
    held.add(event);
    script.setExit([event], 2);
    await play();
    script.setExit([event], 0);
  };
  const words = (event: string) => expect.stringContaining(`${event} says so`) as string;
  const requests = () => session.server.messageRequests().length;
  await withTwo('UserPromptSubmit', async () => {
    const before = requests();
    expect([await session.prompt('hi'), requests()]).toMatchObject([{ stop: 'error', problem: { code: 'notSent', message: words('UserPromptSubmit') } }, before]);
  });
  await withTwo('UserPromptExpansion', async () => {
    const before = requests();
    expect([await session.prompt('/deploy'), requests()]).toMatchObject([{ stop: 'error', problem: { message: words('UserPromptExpansion') } }, before]);
  });
  await withTwo('PreToolUse', async () => {
    session.server.script(bash('touch held.txt', 'held'), say('done'));
    await session.prompt('go');
    expect((await session.call('held')).call).toMatchObject({ status: 'denied', decidedBy: 'hook', text: words('PreToolUse') });
    expect(existsSync(repo.path('held.txt'))).toBe(false);
  });
  await withTwo('PostToolBatch', async () => {
    session.server.script(bash('echo hi', 'batch'));
    expect(await session.prompt('go')).toMatchObject({ stop: 'error', problem: { code: 'stoppedByHook', message: words('PostToolBatch') } });
  });
  await withTwo('Stop', async () => {
    let told = '';
    session.server.script(say('first'), (request) => {
      told = request.lastText;
      script.setExit(['Stop'], 0);
      return say('second');
    });
    await session.prompt('go');
    expect(told).toContain('Stop says so');
  });
  await withTwo('SubagentStop', async () => {
    const told: string[] = [];
    session.server.script(
      when({ first: 'help once more' }, (request, n) => {
        told.push(request.lastText);
        if (n > 0) script.setExit(['SubagentStop'], 0);
        return say(`helped ${n}`);
      }),
      callTool('Agent', { description: 'help', prompt: 'help once more', subagent_type: 'helper' }, { id: 'again' }),
      say('done'),
    );
    await session.prompt('go');
    expect(told.join()).toContain('SubagentStop says so');
  });
  await withTwo('ConfigChange', async () => {
    const before = script.seen('ConfigChange').length;
    repo.write('~/.claude/settings.json', JSON.stringify({ permissions: { deny: ['Bash(echo *)'] } }));
    await expect.poll(() => script.seen('ConfigChange').length, { interval: 20 }).toBeGreaterThan(before);
    expect(await session.engine.explainPermission({ tool: 'Bash', input: { command: 'echo x' } })).toMatchObject({ value: { decision: 'allow' } });
  });
  expect([...held].sort()).toEqual([...holding].sort());
}
