import { expect } from 'vitest';
import type { SkillListing } from '../../../extension/protocol/methods';
import { findSkill, orderSkills, readSkillArgs, withRecent } from '../../../extension/vscode/skillChoices';
import { verifies } from '../../support/verifies';

const skill = (qualified: string): SkillListing => ({ name: qualified.split(':').at(-1) ?? '', qualified, kind: 'skill', source: 'project', description: '', path: `/w/${qualified}` });
const skills = ['verify', 'batch', 'tools:lint', 'other:lint'].map(skill);
const names = (list: readonly SkillListing[]): readonly string[] => list.map((entry) => entry.qualified);

verifies('workbench:skills:recent-first', () => {
  const ordered = orderSkills(skills, ['verify', 'gone', 'tools:lint']);
  expect([names(ordered.recent), names(ordered.others)]).toEqual([
    ['verify', 'tools:lint'],
    ['batch', 'other:lint'],
  ]);
  expect(withRecent(['a', 'b'], 'b')).toEqual(['b', 'a']);
  expect(withRecent(Array.from({ length: 10 }, (_, at) => `s${at}`), 'new')).toHaveLength(10);
});

verifies('workbench:skills:keybinding-arguments', () => {
  expect(readSkillArgs(undefined)).toBeUndefined();
  expect(readSkillArgs({ skill: 'verify' })).toEqual({ skill: 'verify', args: undefined });
  expect(readSkillArgs({ skill: 'verify', args: 'src' })).toEqual({ skill: 'verify', args: 'src' });
  for (const wrong of ['verify', {}, { skill: '' }, { skill: 3 }, { skill: 'verify', args: ['src'] }]) {
    expect(readSkillArgs(wrong)).toEqual({ problem: expect.stringContaining('"args": {"skill": "name"}') });
  }
  const found = ['/verify', 'tools:lint', 'lint', 'none'].map((wanted) => findSkill(skills, wanted)?.qualified);
  expect(found).toEqual(['verify', 'tools:lint', undefined, undefined]);
});
