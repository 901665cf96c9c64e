import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { chooseStyle } from '../../../extension/session/outputStyle';
import { loadOutputStyles } from '../../../extension/session/outputStylesLoader';
import { verifies } from '../../support/verifies';

function world(files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), 'troupe-styles-'));
  for (const [path, text] of Object.entries({ 'repo/.git/HEAD': '', ...files })) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

const places = (root: string) => ({ configRoot: join(root, 'home'), managedDir: join(root, 'managed'), cwd: join(root, 'repo/pkg'), plugins: [{ name: 'deck', dirs: [join(root, 'deck/styles')] }, { name: 'hold', dirs: [join(root, 'hold/styles')] }] });

verifies('styles:load:places', async () => {
  const root = world({
    'repo/pkg/.claude/output-styles/terse.md': 'near',
    'repo/.claude/output-styles/terse.md': 'far',
    'repo/.claude/output-styles/notes.md': '---\nname: Field notes\ndescription: Short numbered findings\nkeep-coding-instructions: true\n---\nNumber them.',
    'home/output-styles/mine.md': '---\nforce-for-plugin: true\n---\nmine',
    'managed/.claude/output-styles/house.md': 'house',
    'deck/styles/log.md': 'log',
  });
  const { loaded, problems } = await loadOutputStyles(places(root));
  expect(problems).toEqual([]);
  expect(loaded.filter((style) => style.source !== 'builtin').map(({ name, source, keepsCoding, isForced, prompt }) => [name, source, keepsCoding, isForced, prompt])).toEqual([
    ['house', 'managed', false, false, 'house'],
    ['terse', 'project', false, false, 'near'],
    ['Field notes', 'project', true, false, 'Number them.'],
    ['terse', 'project', false, false, 'far'],
    ['mine', 'user', false, false, 'mine'],
    ['log', 'plugin', false, false, 'log'],
  ]);
  expect(loaded.filter((style) => style.source === 'builtin').map((style) => style.name)).toEqual(['Default', 'Proactive', 'Concise', 'Explanatory', 'Learning']);
  expect(chooseStyle(loaded, 'terse').style?.prompt).toBe('near');
});

verifies('styles:choose:name', async () => {
  const plain = (await loadOutputStyles(places(world({ 'deck/styles/log.md': 'log' })))).loaded;
  expect([chooseStyle(plain, undefined), chooseStyle(plain, 'Default'), chooseStyle(plain, 'deck:log').style?.prompt, chooseStyle(plain, 'log').style?.prompt]).toEqual([{ style: undefined }, { style: undefined }, 'log', 'log']);
  expect(chooseStyle(plain, 'nope')).toEqual({ style: undefined, problem: 'There is no output style "nope", so the default is used. There are: log, Default, Proactive, Concise, Explanatory, Learning.' });
  const forcing = (await loadOutputStyles(places(world({ 'deck/styles/a.md': '---\nforce-for-plugin: true\n---\nA', 'hold/styles/b.md': '---\nforce-for-plugin: yes\n---\nB' })))).loaded;
  expect(chooseStyle(forcing, 'Concise').style?.prompt).toBe('A');
});
