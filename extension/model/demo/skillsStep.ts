import { act, bash, type DemoReply, next, say, type Scene, testCounts, why } from './demoReply';
import { ownFile } from './lookAround';

const goOn = next('write **plan**, to see me plan before I change.');
const skill = 'release-note';

export function knowsSkill(context: string): boolean {
  return context.includes(skill);
}

/** The text of the sample's skill, as it comes when the person types its name. @returns the version it names */
export function releaseNote(said: string): string | undefined {
  return /^# Release note\b/m.test(said) ? (/`notes\/([\w.-]*)\.md`/.exec(said)?.[1] ?? '') : undefined;
}

/** The script calls the skill itself, then does what it says. */
export function skillsStep(scene: Scene): DemoReply {
  const typed = releaseNote(scene.turn.said);
  if (typed === undefined) {
    if (!scene.talk.tools.has('Skill') || !knowsSkill(scene.talk.context)) return say('Skills are folders with a `SKILL.md`, read from `.claude/skills` here and in your home. I know only the one of the sample repository, `/release-note`, and it is not here. Type **/** to see what is.', goOn);
    const loaded = scene.last('skill');
    if (!loaded) return act('You run a skill with **/** and its name; a model may also call one itself, as I do now.', { label: 'skill', tool: 'Skill', input: { skill, args: '1.3.0' } });
    if (loaded.isError) return say(`The skill was not loaded: ${why(loaded)}.`, goOn);
  }
  return followSkill(scene, typed === undefined || typed === '' ? '1.3.0' : typed);
}

function followSkill(scene: Scene, version: string): DemoReply {
  const history = scene.last('history');
  const path = `notes/${version}.md`;
  if (!history) return act('The skill says: read the history, then run the tests.', bash('history', 'git log --no-merges --oneline -20', 'Show the history'), bash('test', 'npm test', 'Run the tests'));
  const test = scene.last('test');
  const counts = test && !test.isRefused ? testCounts(test.text) : undefined;
  if (counts && counts.failed > 0) return say(`**A test fails**, and the skill says to stop there: a broken shop is not released. (Write **fix**, then \`/${skill}\` again.)`, goOn);
  const call = ownFile(scene, { label: 'note', path: scene.at(path), text: noteText(version, counts !== undefined), more: '\nRead again, and nothing new.\n' });
  const written = scene.last('note');
  if (call) return act(written ? '' : counts ? `All ${counts.passed} tests pass. The note:` : 'The tests did not run, and the note says so.', call);
  return say(written?.isError ? `The note is not written: ${why(written)}.` : `\`${path}\` is written, as the skill asks.${scene.turn.done.has('skill') ? ` Try it yourself: type \`/${skill} 2.0.0\`.` : ''}`, goOn);
}

function noteText(version: string, isTested: boolean): string {
  return `# ${version}\n\n${isTested ? '' : 'Not tested.\n\n'}**Mended**\n\n- A discount that ends in half a cent is rounded up, as the price list says.\n`;
}
