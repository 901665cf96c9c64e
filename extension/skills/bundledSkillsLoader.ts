import type { Skill } from './skill';
import { loadSkillFolders } from './skillFolderLoader';

/** The skills that ship with this product. Where the folder is missing (a test, a part of a build) there are none. */
export async function loadBundledSkills(dir: string): Promise<readonly Skill[]> {
  const { found } = await loadSkillFolders({ dir, source: 'bundled', isTrusted: true, variables: {} });
  return found.map(({ skill }) => skill);
}
