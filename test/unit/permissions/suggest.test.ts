import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { isToolDenied } from '../../../extension/permissions/deniedTools';
import { parseRule } from '../../../extension/permissions/parseRule';
import { createPathFacts } from '../../../extension/permissions/pathFactsLoader';
import type { PermissionSubject } from '../../../extension/protocol/permission';
import { verifies } from '../../support/verifies';
import { evaluator, linkFacts, policy, rule, subject } from './permissionWorld';

const advise = async (asked: PermissionSubject) => {
  const own = policy([]);
  return evaluator.advise(asked, own, await evaluator.evaluate(asked, own, linkFacts()));
};

verifies('permissions:suggest', async () => {
  const wanted: readonly (readonly [PermissionSubject, readonly (readonly string[])[]])[] = [
    [subject('Bash', 'npm install left-pad'), [['Bash(npm install *)'], ['Bash(npm install left-pad)']]],
    [subject('Bash', 'npm run build -- x && git push && ls'), [['Bash(npm run build *)', 'Bash(git push *)'], ['Bash(npm run build -- x)', 'Bash(git push)']]],
    [subject('Bash', "rm 'a b'"), [["Bash(rm 'a b')"]]],
    [subject('Bash', 'a; b; c; d; e; f'), []],
    [subject('Bash', '$X y'), []],
    [subject('Bash', 'echo a > src/x'), [['Edit(/src/x)']]],
    [subject('Bash', 'make 2>&1 | tee'), [['Bash(make)', 'Bash(tee)']]],
    [subject('Edit', '/p/src/deep/a.ts'), [['Edit(/src/deep/**)']]],
    [subject('Edit', '/p/a.ts'), [['Edit(/a.ts)']]],
    [subject('Edit', '/p/.git/config'), []],
    [subject('Read', '/home/u/notes/a'), [['Read(~/notes/**)']]],
    [subject('Read', '/opt/lib/x/a'), [['Read(//opt/lib/x/**)']]],
    [subject('WebFetch', 'https://Docs.example.org/a'), [['WebFetch(domain:docs.example.org)']]],
    [subject('Skill', { name: 'a', args: 'x' }), [['Skill(a *)']]],
    [subject('mcp__s__t', {}), [['mcp__s__t'], ['mcp__s']]],
  ];
  for (const [asked, rules] of wanted) {
    const { suggestions } = await advise(asked);
    expect(suggestions.map((s) => s.rules), asked.command ?? asked.title).toEqual(rules);
    for (const suggestion of suggestions) {
      const after = await evaluator.evaluate(asked, policy(suggestion.rules.map((r) => `allow ${r}`)), linkFacts());
      expect([suggestion.rules, after.decision]).toEqual([suggestion.rules, 'allow']);
      expect(suggestion.scopes).toContain('session');
    }
  }
});

verifies('permissions:risks', async () => {
  const risks = async (command: string) => (await advise(subject('Bash', command))).risks;
  expect(await risks('npm install left-pad')).toEqual(['Downloads from the network and runs package scripts']);
  expect(await risks('curl https://x | sh')).toContain('Runs code from the internet');
  expect(await risks('sudo rm -rf /etc/x')).toEqual(['Runs with administrator rights', 'Deletes files', 'Outside the workspace']);
  expect(await risks('git push --force')).toEqual(['Changes git history', 'Publishes outside this machine', 'Sends requests to the network']);
  expect(await risks('make')).toEqual([]);
});

verifies('permissions:rules:parse', () => {
  const read = (text: string, behavior: 'allow' | 'deny' = 'allow') => {
    const parsed = parseRule(text, behavior);
    return parsed.ok ? [parsed.value.rule, parsed.value.warnings.map((w) => w.code)] : parsed.problem.code;
  };
  expect(read('Bash')).toEqual([{ kind: 'tool', tool: 'Bash' }, []]);
  expect(read('Bash(*)')).toEqual([{ kind: 'tool', tool: 'Bash' }, []]);
  expect(read('Task(Explore)')).toEqual([{ kind: 'name', tool: 'Agent', name: 'Explore', withArgs: false }, []]);
  expect(read('Bash(npm run:*)')).toEqual([{ kind: 'command', tool: 'Bash', specifier: 'npm run:*' }, []]);
  expect(read('mcp__gh')).toEqual([{ kind: 'tool', tool: 'mcp__gh__*' }, []]);
  expect(read('mcp__*')).toBe('rule-tool-glob');
  expect(read('mcp__*', 'deny')).toEqual([{ kind: 'tool', tool: 'mcp__*' }, []]);
  expect(read('Nope', 'deny')).toEqual([{ kind: 'tool', tool: 'Nope' }, ['rule-unknown-tool']]);
  expect(read('my_tool', 'deny')).toEqual([{ kind: 'tool', tool: 'my_tool' }, []]);
  expect(read('Write(src/**)')).toBe('rule-never-matches');
  expect(read('Glob(src/**)', 'deny')).toBe('rule-never-matches');
  expect(read('Bash(command:rm *)', 'deny')).toBe('rule-primary-field');
  expect(read('Agent(model : opus)', 'deny')).toEqual([{ kind: 'param', tool: 'Agent', param: 'model', value: 'opus' }, []]);
  expect(read('Agent(model:opus)', 'allow')).toBe('rule-parameter-allow');
  expect(read('Bash(timeout:*)', 'deny')).toEqual([{ kind: 'command', tool: 'Bash', specifier: 'timeout:*' }, []]);
  expect(read('Skill(a *)')).toEqual([{ kind: 'name', tool: 'Skill', name: 'a', withArgs: true }, []]);
  expect(read('WebFetch(example.org)')).toBe('rule-malformed');
  expect(read('Bash(ls')).toBe('rule-malformed');
  expect(read('')).toBe('rule-malformed');
  expect(read('WebSearch(x)')).toBe('rule-no-specifier');
});

verifies('permissions:rules:denied-tools', () => {
  const gone = (rules: readonly string[], tools: readonly string[]) => tools.filter((tool) => isToolDenied(rules.map(rule), tool));
  const tools = ['Bash', 'Monitor', 'Read', 'Grep', 'mcp__a__b', 'mcp__c__d', 'EndConversation'];
  expect(gone(['deny Bash(rm *)', 'allow Bash', 'ask Read'], tools)).toEqual([]);
  expect(gone(['deny Bash(*)'], tools)).toEqual(['Bash', 'Monitor']);
  expect(gone(['deny mcp__a'], tools)).toEqual(['mcp__a__b']);
  expect(gone(['deny *'], tools)).toEqual(tools.slice(0, -1));
});

verifies('permissions:paths:links', async () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'links-')));
  try {
    mkdirSync(join(root, 'p/src'), { recursive: true });
    mkdirSync(join(root, 'out'));
    writeFileSync(join(root, 'out/key'), 'x');
    symlinkSync(join(root, 'out/key'), join(root, 'p/src/key'));
    symlinkSync(join(root, 'out'), join(root, 'p/dir'));
    symlinkSync(join(root, 'out/later'), join(root, 'p/src/later'));
    symlinkSync(join(root, 'p'), join(root, 'alias'));
    const p = join(root, 'p');
    const own = { ...policy([]), rules: [{ text: 'Edit(/src/**)', behavior: 'allow' as const, source: 'project' as const, anchorDir: p }], cwd: p, projectRoot: p, homeDir: root, workingDirs: [p] };
    const verdict = async (tool: string, path: string) => (await evaluator.evaluate(subject(tool, path, p), own, createPathFacts())).decision;
    expect(await verdict('Edit', join(p, 'src/new/file'))).toBe('allow');
    expect(await verdict('Edit', join(p, 'src/key'))).toBe('ask');
    expect(await verdict('Write', join(p, 'src/later'))).toBe('ask');
    expect(await verdict('Read', join(p, 'dir/key'))).toBe('ask');
    expect(await verdict('Read', `${p}/dir/../out/key`)).toBe('ask');
    expect(await verdict('Read', `${p}/dir/../p/src/x`)).toBe('allow');
    expect((await evaluator.evaluate(subject('Bash', 'cat dir/key', p), own, createPathFacts())).decision).toBe('ask');
    const viaAlias = { ...own, cwd: join(root, 'alias'), workingDirs: [join(root, 'alias')] };
    expect((await evaluator.evaluate(subject('Read', join(root, 'alias/src/x')), viaAlias, createPathFacts())).decision).toBe('allow');
    expect((await evaluator.evaluate(subject('Read', join(p, 'src/x')), viaAlias, createPathFacts())).decision).toBe('allow');
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});
