import * as z from 'zod';
import type { Question, QuestionReply } from '../protocol/interaction';
import { defineTool, failure, text, type Tool, type ToolContext, type ToolResult } from './defineTool';

export interface QuestionPorts {
  /** Waits for the person; `cancelled` when the call's signal aborts or nobody can answer. */
  readonly askQuestions: (ask: { readonly ctx: ToolContext; readonly questions: readonly Question[] }) => Promise<QuestionReply | { readonly behavior: 'cancelled' }>;
}

const option = z.object({ label: z.string().min(1), description: z.string(), preview: z.string().optional().describe('Text shown when the option is looked at, for example code') });
const question = z.object({
  question: z.string().min(1).describe('The whole question'),
  header: z.string().describe('One or two words for the tab'),
  options: z.array(option).min(2).max(8),
  multiSelect: z.boolean().optional().describe('Several options may be chosen'),
});
const input = z.object({
  questions: z.array(question).min(1).max(4),
  answers: z.record(z.string(), z.string()).optional().describe('Leave out: filled in for you'),
  annotations: z.record(z.string(), z.unknown()).optional(),
  metadata: z.record(z.string(), z.unknown()).optional(),
});

export function createAskUserQuestionTool(ports: QuestionPorts): Tool {
  return defineTool({
    name: 'AskUserQuestion',
    description: 'Asks the person 1 to 4 questions with options to choose from; they can also write their own answer. Use it when the way on depends on what they want and you can not find that out yourself. Put the option you would take first.',
    kind: 'other',
    input,
    readOnly: true,
    hookInputs: ['answers'],
    title: (call) => call.questions[0]?.question ?? '',
    describe: (call) => ({ title: `ask: ${call.questions[0]?.question ?? ''}` }),
    run: async (call, ctx) => {
      const { answers } = call;
      if (answers && call.questions.every((q) => Object.hasOwn(answers, q.question))) return answered(call.questions.map((q) => q.question), answers);
      const texts = new Set(call.questions.map((q) => q.question));
      if (texts.size < call.questions.length) return failure('Two questions have the same text, so their answers could not be told apart. Word them differently.');
      const reply = await ports.askQuestions({ ctx, questions: call.questions.map((q) => ({ ...q, multiSelect: q.multiSelect ?? false })) });
      if (reply.behavior === 'answer') return answered([...texts], reply.answers);
      return failure(reply.behavior === 'decline' ? 'The person chose not to answer. Go on with what you know, or ask what they would like instead.' : 'Nobody answered. Go on with the most sensible choice and say which one you took.');
    },
  });
}

function answered(questions: readonly string[], answers: Readonly<Record<string, string>>): ToolResult {
  const lines = questions.map((q) => `- ${q}\n  ${answers[q] ?? '(no answer)'}`);
  return text(`The person answered:\n${lines.join('\n')}`, { note: 'answered', display: { kind: 'text', text: lines.join('\n') } });
}
