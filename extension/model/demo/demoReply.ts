import type { DemoTalk, DemoTurn, Done } from './demoTalk';

export interface DemoCall {
  /** Lower-case letters and dashes; the step is found again by it. */
  readonly label: string;
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** One reply of the script. Without calls it ends the turn. */
export interface DemoReply {
  readonly text: string;
  readonly calls: readonly DemoCall[];
}

/** What a step of the script may look at. */
export interface Scene {
  readonly talk: DemoTalk;
  readonly turn: DemoTurn;
  /** The latest result of that step in this turn. */
  readonly last: (label: string) => Done | undefined;
  readonly count: (label: string) => number;
  /** Absolute path of a file in the working folder. */
  readonly at: (path: string) => string;
}

export function sceneOf(talk: DemoTalk, turn: DemoTurn): Scene {
  return {
    talk,
    turn,
    last: (label) => turn.done.get(label)?.at(-1),
    count: (label) => turn.done.get(label)?.length ?? 0,
    at: (path) => (talk.cwd === '' ? path : `${talk.cwd}/${path}`),
  };
}

export const say = (...lines: readonly string[]): DemoReply => ({ text: lines.join('\n\n'), calls: [] });
export const act = (text: string, ...calls: readonly DemoCall[]): DemoReply => ({ text, calls });

export const read = (label: string, path: string): DemoCall => ({ label, tool: 'Read', input: { file_path: path } });
export const write = (label: string, path: string, content: string): DemoCall => ({ label, tool: 'Write', input: { file_path: path, content } });
export const bash = (label: string, command: string, description: string): DemoCall => ({ label, tool: 'Bash', input: { command, description } });
export const glob = (label: string, pattern: string): DemoCall => ({ label, tool: 'Glob', input: { pattern } });

/** Ends every turn, so that nobody takes the script for a model, wherever its words are read. */
export const label = '*Demo: a fixed script, no model.*';

export function next(words: string): string {
  return `**Next:** ${words}\n\n${label}`;
}

/** Why a call gave nothing, as the end of a sentence. */
export function why(done: Done): string {
  return done.isRefused ? 'it was not allowed' : `it did not work (${firstLine(done.text)})`;
}

export function firstLine(text: string): string {
  const line = text.trim().split('\n')[0] ?? '';
  return line.length > 160 ? `${line.slice(0, 159)}…` : line;
}

export interface TestCounts {
  readonly passed: number;
  readonly failed: number;
}

/** What Node's test runner printed, as TAP or as a list. */
export function testCounts(output: string): TestCounts | undefined {
  const number = (word: string): number | undefined => {
    const match = new RegExp(`^\\S?\\s*${word} (\\d+)\\s*$`, 'm').exec(output);
    return match ? Number(match[1]) : undefined;
  };
  const [passed, failed] = [number('pass'), number('fail')];
  return passed === undefined || failed === undefined ? undefined : { passed, failed };
}

/** The file again from what Read shows: lines of number, tab, text. */
export function fileText(shown: string): string {
  return shown
    .split('\n')
    .map((line) => line.replace(/^\s*\d+\t/, ''))
    .join('\n');
}

/** @returns the number Read shows before the line that holds `part`; empty when none does */
export function lineOf(shown: string, part: string): string {
  const line = shown.split('\n').find((one) => one.includes(part));
  return /^\s*(\d+)/.exec(line ?? '')?.[1] ?? '';
}
