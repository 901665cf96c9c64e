import { expect } from 'vitest';
import { type ComposePorts, composeMessage, mentionsIn, readSlash } from '../../../extension/agents/composeMessage';
import { err, ok } from '../../../extension/base/result';
import type { Attachment } from '../../../extension/protocol/interaction';
import { verifies } from '../../support/verifies';

const files: Readonly<Record<string, string>> = { '/repo/a.ts': 'A', '/repo/src/b c.ts': 'B', '/etc/hosts': 'hosts', '/repo/notes.md': 'N' };

function ports(more: Partial<ComposePorts> = {}): ComposePorts & { readonly ran: string[][] } {
  const ran: string[][] = [];
  return {
    ran,
    cwd: () => '/repo',
    isFile: async (path) => path in files,
    readFile: async (path) => (path === '/etc/hosts' ? err('Not attached: a rule denies Read(/etc/**).') : path in files ? ok([{ type: 'text', text: files[path] ?? '' }]) : err('There is no such file.')),
    runSkill: async (name, args) => {
      ran.push([name, args]);
      if (name === 'broken') return err('its arguments are missing.');
      return name === 'deploy' || name === 'ops:ship' ? ok({ text: `Deploy ${args}`, files: ['/repo/notes.md'] }) : undefined;
    },
    nearestSkills: (name) => (name === 'depoy' ? ['deploy', 'destroy'] : []),
    ...more,
  };
}

const compose = async (text: string, attachments: readonly Attachment[] = [], given = ports()): Promise<unknown> => {
  const composed = await composeMessage({ text, attachments }, given);
  if (!composed.ok) return composed.problem;
  const [message, ...others] = composed.value;
  expect([message?.origin, others]).toEqual(['person', []]);
  return [message?.content.map((block) => (block.type === 'text' ? block.text : block.type)), message?.shown];
};
const attached = (path: string, text: string): string => `<attached-file path="${path}">\n${text}\n</attached-file>`;

verifies('agents:compose:slash', () => {
  const table: readonly (readonly [string, ReturnType<typeof readSlash>])[] = [
    ['/deploy', { name: 'deploy', args: '', sure: true }],
    ['/deploy staging now', { name: 'deploy', args: 'staging now', sure: true }],
    ['/ops:ship a\nsecond line', { name: 'ops:ship', args: 'a\nsecond line', sure: true }],
    ['/dir:cmd', { name: 'dir:cmd', args: '', sure: true }],
    ['/größe x', { name: 'größe', args: 'x', sure: false }],
    ['/usr/bin is full', undefined],
    ['/etc/hosts', undefined],
    ['/', undefined],
    ['/ deploy', undefined],
    ['//comment', undefined],
    ['run /deploy', undefined],
  ];
  for (const [text, read] of table) expect(readSlash(text), text).toEqual(read);
}, { case: 'what counts as one' });

verifies('agents:compose:slash', async () => {
  const given = ports();
  expect(await compose('  /deploy  to @a.ts ', [], given)).toEqual([[attached('/repo/notes.md', 'N'), 'Deploy to @a.ts'], '/deploy  to @a.ts']);
  expect(given.ran).toEqual([['deploy', 'to @a.ts']]);
  expect(await compose('/usr/bin is full', [], given)).toEqual([['/usr/bin is full'], undefined]);
  expect(await compose('/größe? nein', [], given)).toEqual([['/größe? nein'], undefined]);
  expect(given.ran.map(([name]) => name)).toEqual(['deploy', 'größe?']);
  expect(await compose('/broken')).toBe('/broken did not run: its arguments are missing.');
});

verifies('agents:compose:unknown-skill', async () => {
  expect(await compose('/depoy now')).toBe('There is no skill or command /depoy. Did you mean /deploy or /destroy?');
  expect(await compose('/xyz')).toBe('There is no skill or command /xyz. Type / to see what there is.');
});

verifies('agents:compose:mentions', () => {
  const table: readonly (readonly [string, readonly string[]])[] = [
    ['see @a.ts, and (@src/x.ts).', ['a.ts', 'src/x.ts']],
    ['@a.ts @a.ts', ['a.ts']],
    ['@"src/b c.ts" here', ['src/b c.ts']],
    ['mail me@example.org', []],
    ['`@a.ts` and\n```\n@b.ts\n```\n@c.ts', ['c.ts']],
    ['```\n@a.ts never closed', []],
    ['what is @? [@d.ts]', ['d.ts']],
  ];
  for (const [text, found] of table) expect(mentionsIn(text), text).toEqual(found);
}, { case: 'what counts as one' });

verifies('agents:compose:mentions', async () => {
  expect(await compose('compare @a.ts with @"src/b c.ts", @missing.ts and @types/node')).toEqual([
    [attached('/repo/a.ts', 'A'), attached('/repo/src/b c.ts', 'B'), 'compare @a.ts with @"src/b c.ts", @missing.ts and @types/node'],
    'compare @a.ts with @"src/b c.ts", @missing.ts and @types/node',
  ]);
  expect(await compose('@/etc/hosts')).toEqual([['<attached-file path="/etc/hosts" problem="true">\nNot attached: a rule denies Read(/etc/**).\n</attached-file>', '@/etc/hosts'], '@/etc/hosts']);
});

verifies('agents:compose:attachments', async () => {
  const all: readonly Attachment[] = [
    { kind: 'file', path: '/repo/a.ts' },
    { kind: 'selection', path: '/repo/a.ts', startLine: 2, endLine: 3, text: 'x' },
    { kind: 'image', name: 'shot.png', mediaType: 'image/png', data: 'iVBORw0KGgo=' },
    { kind: 'text', name: 'Pasted', text: 'log' },
    { kind: 'problems', text: '1:1 error', count: 1 },
  ];
  expect(await compose('why?', all)).toEqual([
    [attached('/repo/a.ts', 'A'), '<selection path="/repo/a.ts" lines="2-3">\nx\n</selection>', 'image', '<pasted name="Pasted">\nlog\n</pasted>', '<problems>\n1:1 error\n</problems>', 'why?'],
    'why?',
  ]);
  const composed = await composeMessage({ text: '', attachments: all.slice(0, 1) }, ports());
  expect(composed).toMatchObject({ ok: true, value: [{ shown: '', attachments: all.slice(0, 1), content: [{ type: 'text', text: attached('/repo/a.ts', 'A') }] }] });
  expect(await compose('gone', [{ kind: 'file', path: '/repo/gone.ts' }])).toEqual([['<attached-file path="/repo/gone.ts" problem="true">\nThere is no such file.\n</attached-file>', 'gone'], 'gone']);
  expect(await compose(' \n ')).toBe('There is nothing to send: the message is empty.');
});
