import type { Frontmatter } from '../base/frontmatter';
import { looseBoolean, textOf } from '../base/frontmatterValues';

export type OutputStyleSource = 'builtin' | 'plugin' | 'user' | 'project' | 'managed';

/** How the main agent answers: text at the end of its system prompt. */
export interface OutputStyle {
  readonly name: string;
  readonly description: string;
  readonly source: OutputStyleSource;
  readonly plugin?: string;
  readonly path?: string;
  /** The engineering part of the prompt stays. */
  readonly keepsCoding: boolean;
  /** Of a plugin: wins over the person's choice. */
  readonly isForced: boolean;
  readonly prompt: string;
}

export function readOutputStyle(file: Frontmatter, place: { readonly fileName: string; readonly path: string; readonly source: OutputStyleSource; readonly plugin?: string }): OutputStyle {
  const { fileName, ...rest } = place;
  return {
    ...rest,
    name: textOf(file.fields.get('name')) ?? fileName,
    description: textOf(file.fields.get('description')) ?? '',
    keepsCoding: looseBoolean(file.fields.get('keep-coding-instructions')) ?? false,
    isForced: place.source === 'plugin' && (looseBoolean(file.fields.get('force-for-plugin')) ?? false),
    prompt: file.body.trim(),
  };
}

const own = (name: string, description: string, prompt: string): OutputStyle => ({ name, description, source: 'builtin', keepsCoding: true, isForced: false, prompt });

export const defaultStyle = 'Default';

export const builtinStyles: readonly OutputStyle[] = [
  own(defaultStyle, 'Short and direct', ''),
  own(
    'Proactive',
    'Takes the next sensible step without being asked',
    `# Style: proactive
Carry the work through to where the person would want it. When a step follows plainly from what was asked (a test for the change, a caller that must follow, a doc that is now wrong), take it and say so in a line. Decide small things yourself and name the decision. Still ask before what is hard to undo, leaves this repository, or widens the task.`,
  ),
  own('Concise', 'As few words as the answer allows', `# Style: concise
Answer in as few words as stay clear: a result, a path with its line, a yes or no with its reason. No headings or lists for fewer than four points. Leave out what the person can see in the diff or the tool lines.`),
  own(
    'Explanatory',
    'Tells why, while it works',
    `# Style: explanatory
Help the person understand this code base while you work. Before and after a change that is not obvious, add a short aside, marked "> **Why:**", that says what in this project makes this the right way, what else was possible, and what to watch. Two or three sentences each, about this code and not about programming in general. The work itself stays as careful as always.`,
  ),
  own(
    'Learning',
    'Leaves small parts for you to write',
    `# Style: learning
The person wants to learn by doing. Do the work, but leave to them, now and then, a part of 3 to 10 lines where a real decision lies: logic, a data shape, error handling; never boilerplate. Put a comment with TODO(human) at the exact place, saying what belongs there, then stop and tell them in chat what to decide, which ways there are and what speaks for each. Leave one such part open at a time. When they have written it, go on from what they wrote, and say one thing they can take from it.`,
  ),
];

const rank: readonly OutputStyleSource[] = ['managed', 'project', 'user', 'plugin', 'builtin'];

/** The style a session starts with. @returns problem: there is none of that name, the default is used */
export function chooseStyle(styles: readonly OutputStyle[], wanted: string | undefined): { readonly style: OutputStyle | undefined; readonly problem?: string } {
  const forced = styles.find((style) => style.isForced);
  if (forced) return { style: forced };
  if (wanted === undefined || wanted.toLowerCase() === 'default') return { style: undefined };
  const matches = styles.filter((style) => style.name === wanted || (style.plugin !== undefined && `${style.plugin}:${style.name}` === wanted));
  const style = matches.toSorted((a, b) => rank.indexOf(a.source) - rank.indexOf(b.source))[0];
  if (style) return { style };
  return { style: undefined, problem: `There is no output style "${wanted}", so the default is used. There are: ${[...new Set(styles.map((one) => one.name))].join(', ')}.` };
}

/** Told now and then in a long conversation, where the prompt is far away. */
export function styleReminder(name: string): string {
  return `<reminder>\nThe output style "${name}" from your system prompt still holds; answer in it.\n</reminder>`;
}
