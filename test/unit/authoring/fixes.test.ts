import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { complete, hover } from '../../../extension/authoring/assist';
import { type AuthoredKind, kindOfFile } from '../../../extension/authoring/authoredKeys';
import { diagnose } from '../../../extension/authoring/diagnose';
import { fixesFor } from '../../../extension/authoring/fixes';
import { applyFix } from '../../../extension/authoring/textFix';
import { readFrontmatter } from '../../../extension/base/frontmatter';
import { verifies } from '../../support/verifies';

const skill = { kind: 'skill', path: '/repo/.claude/skills/tidy/SKILL.md' } as const;
const agent = { kind: 'agent', path: '/repo/.claude/agents/Paint Brush.md' } as const;
type File = { readonly kind: AuthoredKind; readonly path: string };

/** The file after its first fix for that code. */
async function fixed(text: string, code: string, file: File = skill): Promise<{ readonly title: string; readonly text: string; readonly codes: readonly string[] }> {
  const problem = (await diagnose(text, file)).find((one) => one.code === code);
  if (!problem) throw new Error(`no ${code}`);
  const [fix] = await fixesFor(text, problem, file);
  if (!fix) throw new Error(`no fix for ${code}: ${problem.message}`);
  const after = applyFix(text, fix);
  return { title: fix.title, text: after, codes: (await diagnose(after, file)).map((one) => one.code) };
}

verifies('authoring:fix:quote', async () => {
  const colon = await fixed('---\nname: tidy\ndescription: Use when: the desk is full\nmodel: opus\n---\nBody: stays.\n', 'yaml-recovered');
  expect(colon).toEqual({ title: 'Quote the value of description', text: '---\nname: tidy\ndescription: "Use when: the desk is full"\nmodel: opus\n---\nBody: stays.\n', codes: [] });
  const long = await fixed('---\ndescription: Use when: the desk\nis full: really\nmodel: opus\n---\nBody\n', 'yaml-recovered');
  expect([long.codes, (await readFrontmatter(long.text)).fields.get('description')?.value]).toEqual([[], 'Use when: the desk\nis full: really']);
  const other = await fixed('---\ndescription: Use when: it is odd\nmy-own: kept\n---\nB\n', 'yaml-recovered');
  expect(other.text, 'a key nobody knows is the person’s own').toBe('---\ndescription: "Use when: it is odd"\nmy-own: kept\n---\nB\n');
  const bracket = await fixed('---\ndescription: d\nargument-hint: [name] [more]\n---\nB\n', 'yaml-recovered');
  expect(bracket.text).toContain('argument-hint: "[name] [more]"');
  const comment = await fixed('---\ndescription: Fix issue #12 now\n---\nB\n', 'comment-cuts-value').catch(() => undefined);
  const cut = comment ?? (await fixed('---\ndescription: Fix issue # 12 now\n---\nB\n', 'comment-cuts-value'));
  expect([cut.codes, cut.text]).toEqual([[], expect.stringMatching(/description: "Fix issue #/)]);
});

verifies('authoring:fix:fences', async () => {
  const open = await fixed('---\ndescription: Tidies.\nmodel: opus\n\n# Tidy\n\nDo it.\n', 'fence-irregular');
  expect(open).toEqual({ title: 'Close the block with ---', text: '---\ndescription: Tidies.\nmodel: opus\n---\n# Tidy\n\nDo it.\n', codes: [] });
  expect((await fixed('description: Tidies.\n---\nDo it.\n', 'fence-irregular')).text).toBe('---\ndescription: Tidies.\n---\nDo it.\n');
  const inside = await fixed('```markdown\n---\ndescription: Tidies.\n---\nDo it.\n```\n', 'fence-irregular');
  expect([inside.codes, inside.text]).toEqual([[], '---\ndescription: Tidies.\n---\nDo it.\n']);
  const indented = await fixed('  ---\n  description: Tidies.\n  ---\n  Do it.\n', 'fence-irregular');
  expect(indented.codes).toEqual([]);
});

verifies('authoring:fix:keys', async () => {
  expect(await fixed('---\ndescripton: d\n---\nB\n', 'unknown-key')).toMatchObject({ title: 'Rename descripton to description', text: '---\ndescription: d\n---\nB\n', codes: [] });
  expect((await fixed('---\ndescription: d\ntools: Read\n---\nB\n', 'tools-key-misspelt')).text).toContain('\nallowed-tools: Read\n');
  expect((await fixed('---\nname: paint\ndescription: d\nallowed-tools: Read\n---\nB\n', 'tools-key-misspelt', agent)).text).toContain('\ntools: Read\n');
  expect((await fixed('---\ndescription: d\ndescription: e\n---\nB\n', 'duplicate-key')).codes).toEqual([]);
  expect((await fixed('---\ndescription: d\neffort: hihg\n---\nB\n', 'bad-value')).text).toContain('effort: high');
  expect((await fixed('---\nname: Paint Brush\ndescription: d\n---\nB\n', 'name-not-kebab', agent)).text).toContain('name: paint-brush');
  expect((await fixed('---\ndescription: d\n---\nB\n', 'agent-skipped', agent)).text).toBe('---\nname: paint-brush\ndescription: d\n---\nB\n');
  expect((await fixed('---\nname: paint\n---\nB\n', 'agent-skipped', agent)).codes).toEqual([]);
  expect((await fixed('Just do it.\n', 'description-missing')).codes).toEqual([]);
  expect((await fixed('---\r\ndescripton: d\r\n---\r\nB\r\n', 'unknown-key')).text, 'line ends stay').toBe('---\r\ndescription: d\r\n---\r\nB\r\n');
});

verifies('authoring:fix:fixtures', async () => {
  const root = 'test/fixtures/loader';
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md') && kindOfFile(`/${name}`) !== undefined);
  const tried: string[] = [];
  for (const name of files) {
    const path = `/${name}`;
    const file: File = { kind: kindOfFile(path) ?? 'skill', path };
    const text = readFileSync(join(root, name), 'utf8');
    const before = await readFrontmatter(text);
    const count = (codes: readonly { readonly code: string; readonly field?: string | undefined }[], one: { readonly code: string; readonly field?: string | undefined }): number => codes.filter((other) => other.code === one.code && other.field === one.field).length;
    const problems = await diagnose(text, file);
    for (const problem of problems) {
      for (const fix of await fixesFor(text, problem, file)) {
        const after = applyFix(text, fix);
        expect({ name, fix: fix.title, left: count(await diagnose(after, file), problem) }).toEqual({ name, fix: fix.title, left: count(problems, problem) - 1 });
        expect({ name, body: (await readFrontmatter(after)).body.trim() }).toEqual({ name, body: before.body.trim() });
        tried.push(problem.code);
      }
    }
  }
  expect([...new Set(tried)].sort()).toEqual(expect.arrayContaining(['fence-irregular', 'yaml-recovered']));
});

verifies('authoring:assist', async () => {
  const text = '---\nname: tidy\n\nmodel: \n---\nname: no\n';
  expect(complete(text, { line: 3, column: 0 }, skill).map(({ label }) => label)).toEqual(expect.arrayContaining(['description', 'allowed-tools']));
  expect(complete(text, { line: 3, column: 0 }, skill).map(({ label }) => label)).not.toContain('name');
  expect(complete(text, { line: 4, column: 7 }, { ...skill, known: { model: ['claude-opus-5-5'] } }).map(({ label }) => label)).toEqual(['inherit', 'sonnet', 'opus', 'haiku', 'fable', 'claude-opus-5-5']);
  expect(complete(text, { line: 6, column: 0 }, skill), 'the body is the person’s').toEqual([]);
  expect(complete('---\n\n', { line: 2, column: 0 }, agent).map(({ label }) => label), 'a block just begun').toContain('description');
  expect(hover(text, { line: 4, column: 2 }, 'skill')).toMatch(/^\*\*model\*\*: /);
  expect(hover(text, { line: 6, column: 2 }, 'skill')).toBeUndefined();
  expect(kindOfFile('C:\\w\\.claude\\commands\\a\\b.md')).toBe('command');
  expect(kindOfFile('/repo/docs/agents/readme.md')).toBeUndefined();
});
