import type { Question } from '../../extension/protocol/interaction';

/** What is chosen for one question: labels, and free text where "Something else" is on. */
export interface Choice {
  readonly labels: readonly string[];
  readonly other: boolean;
  readonly text: string;
}

export const noChoice: Choice = { labels: [], other: false, text: '' };

export function toggled(choice: Choice, label: string, multiSelect: boolean): Choice {
  if (!multiSelect) return { ...choice, labels: [label], other: false };
  return { ...choice, labels: choice.labels.includes(label) ? choice.labels.filter((l) => l !== label) : [...choice.labels, label] };
}

/** @returns undefined while a question has no answer yet. */
export function answersOf(questions: readonly Question[], choices: readonly Choice[]): Record<string, string> | undefined {
  const answers = questions.map((question, i) => [question.question, answerOf(choices[i] ?? noChoice)] as const);
  return answers.every(([, answer]) => answer !== '') ? Object.fromEntries(answers) : undefined;
}

function answerOf(choice: Choice): string {
  const text = choice.other ? choice.text.trim() : '';
  return [...choice.labels, ...(text === '' ? [] : [text])].join(', ');
}
