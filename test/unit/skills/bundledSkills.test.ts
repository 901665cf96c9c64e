import { join } from 'node:path';
import { expect } from 'vitest';
import { loadSkillFolders } from '../../../extension/skills/skillFolderLoader';
import { verifies } from '../../support/verifies';

verifies('skill:bundled:load', async () => {
  const { found, problems } = await loadSkillFolders({ dir: join(process.cwd(), 'extension/skills/bundled'), source: 'bundled', isTrusted: true, variables: {} });
  expect(problems).toEqual([]);
  expect(found.map(({ skill }) => skill.name).sort()).toEqual(['batch', 'claude-api', 'debug', 'init', 'keybindings', 'loop', 'lorem-ipsum', 'remember', 'schedule', 'simplify', 'skillify', 'stuck', 'update-config', 'verify']);
  for (const { skill } of found) expect(skill.descriptionFrom, skill.name).toBe('frontmatter');
});
