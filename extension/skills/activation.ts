import { relative, sep } from 'node:path';
import type { Skill } from './skill';

/** The `paths` skills that touching a file brings into the listing. Globs are taken from `cwd`, a leading `/` too. */
export async function skillsForPath(skills: readonly Skill[], touched: string, cwd: string): Promise<readonly Skill[]> {
  const relPath = relative(cwd, touched).split(sep).join('/');
  const waiting = skills.filter((skill) => skill.paths !== undefined);
  if (waiting.length === 0 || relPath === '' || relPath.startsWith('../')) return [];
  const { default: picomatch } = await import('picomatch');
  return waiting.filter((skill) => skill.paths?.some((glob) => isBalanced(glob) && picomatch(glob.replace(/^\.?\//, ''), { dot: true })(relPath)));
}

/** An open `[` would match nothing in a shell; here neither. */
function isBalanced(glob: string): boolean {
  return glob.split('[').length === glob.split(']').length;
}
