import { readAgent } from '../agents/agentDefinition';
import { type Frontmatter, readFrontmatter } from '../base/frontmatter';
import { didYouMean } from '../base/nearest';
import type { Problem } from '../base/problem';
import { readSkill } from '../skills/skillSchema';
import { authoredKeys, type AuthoredKind, otherSpellings } from './authoredKeys';

/** What is wrong with a file as it stands in the editor, saved or not: what its loader says, and keys that nearly are one. */
export async function diagnose(text: string, { kind, path }: { readonly kind: AuthoredKind; readonly path: string }): Promise<readonly Problem[]> {
  const file = await readFrontmatter(text);
  return [...ofLoader(file, kind, path), ...nearlyKeys(file, kind), ...missing(file, kind)].map((problem) => ({ ...problem, path }));
}

function ofLoader(file: Frontmatter, kind: AuthoredKind, path: string): readonly Problem[] {
  const parts = path.replaceAll('\\', '/').split('/');
  const fileName = (parts.at(-1) ?? '').replace(/\.md$/i, '');
  if (kind === 'agent') {
    const read = readAgent(file, { source: 'project', path, isTrusted: true, fileName, folders: [], variables: {} });
    return read.ok ? read.value.problems : read.problem;
  }
  const placeName = kind === 'skill' ? (parts.at(-2) ?? '') : fileName;
  return readSkill(file, { kind, source: 'project', path, dir: parts.slice(0, -1).join('/'), placeName, isTrusted: true, variables: {} }).problems;
}

function nearlyKeys(file: Frontmatter, kind: AuthoredKind): readonly Problem[] {
  const names = authoredKeys(kind).map((key) => key.name);
  return [...file.fields].flatMap(([key, field]): readonly Problem[] => {
    if (names.includes(key) || key in otherSpellings[kind]) return [];
    const [near] = didYouMean(key, names);
    return near === undefined || near in Object.fromEntries(file.fields) ? [] : [{ severity: 'warning', code: 'unknown-key', message: `"${key}" is no key of such a file and has no effect; did you mean ${near}?`, line: field.line, field: key }];
  });
}

/** A skill is chosen by its description; without one the first paragraph has to do. */
function missing(file: Frontmatter, kind: AuthoredKind): readonly Problem[] {
  if (kind !== 'skill' || file.isUnreadable || (file.fields.get('description')?.value ?? '') !== '') return [];
  return [{ severity: 'info', code: 'description-missing', message: 'it has no description, so its first paragraph stands in the listing; say what it does and when to use it', line: 1 }];
}
