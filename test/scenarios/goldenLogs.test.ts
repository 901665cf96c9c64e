import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { callTool, reply, say } from '../support/script';
import { normaliseLog } from '../support/normaliseLog';
import { once, startEngine, type TestSession } from '../support/startEngine';
import { verifies } from '../support/verifies';

const golden = (name: string): string => fileURLToPath(new URL(`../golden/${name}.log`, import.meta.url));
const expectGolden = (session: TestSession, name: string): Promise<void> => expect(normaliseLog(session)).toMatchFileSnapshot(golden(name));

verifies(
  'scenarios:log:golden',
  async () => {
    const session = await startEngine({
      files: { 'src/money.js': 'export const cents = (n) => n * 100;\n' },
      script: [
        reply(say('I look first.'), callTool('Read', { file_path: 'src/money.js' }, { id: 'call_read' })),
        reply(callTool('Edit', { file_path: 'src/money.js', old_string: 'n * 100', new_string: 'Math.round(n * 100)' }, { id: 'call_edit' }), callTool('Bash', { command: 'node --check src/money.js && echo fine' }, { id: 'call_bash' })),
        say('Rounded.'),
      ],
    });
    session.autoAnswer(() => once);
    await session.prompt('round the cents');
    await expectGolden(session, 'edit-with-asks');
  },
  { case: 'an edit and a command with their asks' },
);

verifies(
  'scenarios:log:golden',
  async () => {
    const session = await startEngine({ script: [callTool('EnterPlanMode', {}, { id: 'call_enter' })] });
    const plan = `${session.repo.configRoot}/plans/plan-${session.sessionId.slice(0, 8)}.md`;
    session.server.script(
      callTool('EnterPlanMode', {}, { id: 'call_enter' }),
      callTool('Write', { file_path: plan, content: '# Plan\n1. Say hello\n' }, { id: 'call_write' }),
      callTool('ExitPlanMode', {}, { id: 'call_exit' }),
      say('Hello.'),
    );
    session.autoAnswer(() => ({ behavior: 'approve', mode: 'default' }));
    await session.prompt('plan a greeting');
    await expectGolden(session, 'plan-approved');
  },
  { case: 'a plan that is approved' },
);

verifies(
  'scenarios:log:golden',
  async () => {
    const session = await startEngine({ script: [reply(say('Trying.'), callTool('Bash', { command: 'npm publish' }, { id: 'call_bash' })), say('Then I stop here.')] });
    session.autoAnswer(() => ({ behavior: 'deny', feedback: 'never publish from here' }));
    await session.prompt('publish it');
    await expectGolden(session, 'refused-with-words');
  },
  { case: 'a refusal with words' },
);
