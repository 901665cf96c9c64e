import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { afterAll, expect } from 'vitest';
import { findSkill, parseSkillCall } from '../../../extension/skills/findSkill';
import { skillsForPath } from '../../../extension/skills/activation';
import { readPluginFolder } from '../../support/pluginFolder';
import { loadNestedSkills, loadSkills, type SkillPlaces } from '../../../extension/skills/skillLoader';
import { inspectSkill } from '../../../extension/skills/skillItem';
import { watchSkills } from '../../../extension/skills/skillWatcher';
import { systemClock } from '../../../extension/platform/systemClock';
import { verifies } from '../../support/verifies';

const roots: string[] = [];
afterAll(() => {
  for (const root of roots) rmSync(root, { recursive: true, force: true });
});

const skill = (description: string, more = ''): string => `---\ndescription: ${description}\n${more}---\nBody.\n`;

/** `repo` is a git root, the session starts in `repo/app`. */
function tree(files: Readonly<Record<string, string>>, more: Partial<SkillPlaces> = {}): { root: string; places: SkillPlaces } {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'troupe-skills-')));
  roots.push(root);
  for (const dir of ['repo/.git', 'repo/app', 'home/.claude']) mkdirSync(join(root, dir), { recursive: true });
  write(root, files);
  return { root, places: { configRoot: join(root, 'home/.claude'), managedDir: join(root, 'managed'), cwd: join(root, 'repo/app'), addDirs: [join(root, 'added')], plugins: [], bundled: [], isTrusted: true, ...more } };
}

function write(root: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

const listed = (root: string, skills: readonly { qualified: string; path: string }[]): Record<string, string> => Object.fromEntries(skills.map((item) => [item.qualified, relative(root, item.path)]));

verifies('skill:load:precedence', async () => {
  const everywhere = ['managed/.claude', 'home/.claude', 'repo/app/.claude', 'repo/.claude', 'added/.claude'];
  const { root, places } = tree(Object.fromEntries(everywhere.map((dir, at) => [`${dir}/skills/deploy/SKILL.md`, skill(`number ${at}`)])));
  const { loaded } = await loadSkills(places);
  expect(listed(root, loaded)).toEqual({ deploy: 'managed/.claude/skills/deploy/SKILL.md' });
  expect(loaded[0]?.hides.map((path) => relative(root, path))).toEqual(everywhere.slice(1).map((dir) => `${dir}/skills/deploy/SKILL.md`));
});

verifies('skill:load:commands-lose', async () => {
  const { root, places } = tree({ 'home/.claude/commands/deploy.md': 'command', 'repo/.claude/skills/deploy/SKILL.md': skill('skill'), 'repo/app/.claude/commands/plain.md': 'Do it.', 'added/.claude/commands/plain.md': 'other' });
  expect(listed(root, (await loadSkills(places)).loaded)).toEqual({ deploy: 'repo/.claude/skills/deploy/SKILL.md', plain: 'repo/app/.claude/commands/plain.md' });
});

verifies('skill:load:no-further-than-the-repository', async () => {
  const { root, places } = tree({ '.claude/skills/outside/SKILL.md': skill('o'), 'repo/.claude/skills/inside/SKILL.md': skill('i') });
  expect(listed(root, (await loadSkills(places)).loaded)).toEqual({ inside: 'repo/.claude/skills/inside/SKILL.md' });
});

verifies('skill:load:aliases', async () => {
  const { places } = tree({
    'repo/.claude/commands/port/enter.md': 'a', 'repo/.claude/commands/port/same.md': 'b', 'repo/.claude/commands/dock/same.md': 'c',
    'plug/.claude-plugin/plugin.json': '{"name":"p"}', 'plug/skills/y/SKILL.md': skill('y'), 'plug/skills/enter/SKILL.md': skill('e'), 'plug/commands/free.md': 'f',
  });
  const { plugin } = await readPluginFolder(join(dirname(dirname(places.cwd)), 'plug'));
  const { loaded } = await loadSkills({ ...places, plugins: [plugin] });
  const found = (name: string): string | undefined => {
    const finding = findSkill(loaded, name);
    return finding.kind === 'found' ? finding.skill.qualified : undefined;
  };
  expect(['port:enter', 'enter', 'same', 'p:y', '/y', 'free', 'P:Y'].map(found)).toEqual(['port:enter', undefined, undefined, 'p:y', 'p:y', 'p:free', 'p:y']);
  const unknown = findSkill(loaded, 'port:entr');
  expect(unknown).toEqual({ kind: 'unknown', nearest: ['port:enter'] });
});

verifies('skill:load:links-once', async () => {
  const { root, places } = tree({ 'shared/one/SKILL.md': skill('one') });
  mkdirSync(join(root, 'home/.claude/skills'), { recursive: true });
  mkdirSync(join(root, 'repo/.claude/skills'), { recursive: true });
  symlinkSync(join(root, 'shared/one'), join(root, 'home/.claude/skills/one'));
  symlinkSync(join(root, 'shared/one'), join(root, 'repo/.claude/skills/two'));
  mkdirSync(join(root, 'repo/.claude/commands/ring'), { recursive: true });
  symlinkSync('..', join(root, 'repo/.claude/commands/ring/up'));
  writeFileSync(join(root, 'repo/.claude/commands/ring/c.md'), 'c');
  expect(listed(root, (await loadSkills(places)).loaded)).toEqual({ one: 'home/.claude/skills/one/SKILL.md', 'ring:c': 'repo/.claude/commands/ring/c.md' });
});

verifies('skill:load:special-folders', async () => {
  const { root, places } = tree({
    'home/.claude/skills/Synced/SKILL.md': skill('s'), 'home/.claude/skills/plug/.claude-plugin/plugin.json': '{"name":"plug"}', 'home/.claude/skills/plug/SKILL.md': skill('p'),
    'home/.claude/skills/.hidden/SKILL.md': skill('h'), 'home/.claude/skills/group/deep/SKILL.md': skill('d'),
  });
  const report = await loadSkills(places);
  expect([report.loaded, report.pluginFolders.map((dir) => relative(root, dir))]).toEqual([[], ['home/.claude/skills/plug']]);
  expect(report.problems.map((problem) => problem.code).sort()).toEqual(['name-reserved', 'skill-too-deep']);
});

verifies('skill:load:plugin-root-skill', async () => {
  const { places } = tree({ 'plug/.claude-plugin/plugin.json': '{"name":"p"}', 'plug/SKILL.md': skill('r', 'name: fancy\n') });
  const { plugin } = await readPluginFolder(join(dirname(dirname(places.cwd)), 'plug'));
  expect((await loadSkills({ ...places, plugins: [{ ...plugin, dataDir: '/data/p', options: { style: 'a' } }] })).loaded.map((item) => [item.qualified, item.variables])).toEqual([
    ['p:fancy', { CLAUDE_PLUGIN_ROOT: plugin.root, CLAUDE_PLUGIN_DATA: '/data/p', 'user_config.style': 'a' }],
  ]);
});

verifies('skill:load:trust', async () => {
  const { places } = tree({ 'repo/.claude/skills/a/SKILL.md': skill('a'), 'home/.claude/skills/b/SKILL.md': skill('b') }, { isTrusted: false });
  expect((await loadSkills(places)).loaded.map((item) => [item.name, item.isTrusted]).sort()).toEqual([['a', false], ['b', true]]);
});

verifies('skill:load:nested', async () => {
  const { root, places } = tree({ 'repo/app/.claude/skills/deploy/SKILL.md': skill('root'), 'repo/app/web/.claude/skills/deploy/SKILL.md': skill('web'), 'repo/app/web/.claude/skills/lint/SKILL.md': skill('lint'), 'repo/app/build/.claude/skills/x/SKILL.md': skill('x') });
  const { loaded } = await loadSkills(places);
  const isIgnored = async (dir: string): Promise<boolean> => dir.endsWith('/build');
  const nested = await loadNestedSkills(places, join(root, 'repo/app/web/src/a.ts'), loaded, isIgnored);
  expect(listed(root, nested.loaded)).toEqual({ 'web:deploy': 'repo/app/web/.claude/skills/deploy/SKILL.md', lint: 'repo/app/web/.claude/skills/lint/SKILL.md' });
  const finding = findSkill([...loaded, ...nested.loaded], 'deploy');
  expect(finding.kind === 'found' && [finding.skill.description, finding.variants]).toEqual(['root', ['web:deploy']]);
  expect((await loadNestedSkills(places, join(root, 'repo/app/build/a.ts'), loaded, isIgnored)).loaded).toEqual([]);
});

verifies('skill:load:paths', async () => {
  const { root, places } = tree({ 'repo/app/.claude/skills/ts/SKILL.md': skill('ts', 'paths: "src/**/*.{ts,tsx}, *.md"\n'), 'repo/app/.claude/skills/bad/SKILL.md': skill('bad', 'paths:\n  - "[src/**"\n') });
  const { loaded } = await loadSkills(places);
  const names = async (path: string): Promise<string[]> => (await skillsForPath(loaded, join(root, path), places.cwd)).map((item) => item.name);
  expect(await Promise.all(['repo/app/src/a/b.tsx', 'repo/app/README.md', 'repo/app/docs/x.md', 'repo/other.md'].map(names))).toEqual([['ts'], ['ts'], [], []]);
});

verifies('skill:load:fields', async () => {
  const front = 'name: Label\nwhen_to_use: On Mondays.\nargument-hint: "[a]"\narguments: [a, b]\nallowed-tools: Read\ndisallowed-tools: Bash\nmodel: haiku\neffort: 2048\ncontext: fork\nagent: Plan\nbackground: no\nshell: powershell\nuser-invocable: off\nhooks:\n  Stop: []\n';
  const { places, root } = tree({ 'home/.claude/skills/full/SKILL.md': skill('d', front), 'home/.claude/skills/odd/SKILL.md': skill('o', 'effort: huge\ncontext: spoon\nuser-invocable: perhaps\n') });
  const report = await loadSkills(places);
  expect(inspectSkill(report.loaded[0]!)).toEqual({
    kind: 'skill', name: 'full', qualified: 'full', label: 'Label', source: 'user', plugin: undefined, path: join(root, 'home/.claude/skills/full/SKILL.md'), description: 'd', descriptionSource: 'frontmatter', whenToUse: 'On Mondays.', argumentHint: '[a]',
    arguments: ['a', 'b'], allowedTools: ['Read'], disallowedTools: ['Bash'], model: 'haiku', effort: 2048, context: 'fork', agent: 'Plan', paths: undefined, userInvocable: false, modelInvocable: true, hides: undefined,
  });
  expect([report.loaded[0]?.background, report.loaded[0]?.shell, report.loaded[0]?.hooks]).toEqual([false, 'powershell', { Stop: [] }]);
  expect(report.problems.filter((problem) => problem.path?.includes('odd')).map((problem) => [problem.code, problem.field, problem.line])).toEqual([['bad-value', 'effort', 3], ['bad-value', 'context', 4], ['bad-value', 'user-invocable', 5]]);
});

verifies('skill:call:stacked', async () => {
  const { places } = tree({ 'home/.claude/skills/a/SKILL.md': skill('a'), 'home/.claude/skills/b/SKILL.md': skill('b'), 'home/.claude/skills/f/SKILL.md': skill('f', 'context: fork\n'), 'home/.claude/skills/no/SKILL.md': skill('n', 'user-invocable: false\n') });
  const { loaded } = await loadSkills(places);
  const read = (typed: string): unknown => {
    const call = parseSkillCall(typed, loaded);
    return call && [call.skills.map((item) => item.name), call.args];
  };
  expect(['/a /b some  words', '/a /f x', '/f /a x', '/no x', 'a', '/a\nlines\nmore', '/a /etc/hosts'].map(read)).toEqual([
    [['a', 'b'], 'some  words'], [['a'], '/f x'], [['f'], '/a x'], undefined, undefined, [['a'], 'lines\nmore'], [['a'], '/etc/hosts'],
  ]);
});

verifies('skill:load:watch', async () => {
  const { root } = tree({ 'repo/.claude/skills/a/SKILL.md': skill('a') });
  let changed: (() => void) | undefined;
  const next = (): Promise<void> => new Promise((resolve) => (changed = resolve));
  const watcher = await watchSkills({ dirs: [join(root, 'repo/.claude/skills'), join(root, 'repo/app/.claude/skills')], clock: systemClock, onChange: () => changed?.(), onProblem: () => {}, debounceMs: 20 });
  try {
    const steps: readonly (() => void)[] = [
      () => writeFileSync(join(root, 'repo/.claude/skills/a/SKILL.md'), skill('changed')),
      () => write(root, { 'repo/.claude/skills/b/SKILL.md': skill('b') }),
      () => writeFileSync(join(root, 'repo/.claude/skills/b/SKILL.md'), skill('b2')),
      () => write(root, { 'repo/app/.claude/skills/c/SKILL.md': skill('c') }),
      () => writeFileSync(join(root, 'repo/app/.claude/skills/c/SKILL.md'), skill('c2')),
    ];
    for (const step of steps) {
      const change = next();
      step();
      await change;
    }
  } finally {
    watcher.dispose();
  }
});
