import * as z from 'zod';

/** Questions of AskUserQuestion: 1 to 4 at once, each with its options; free text is always possible. */
export const Question = z.strictObject({
  question: z.string(),
  header: z.string(),
  options: z.array(z.strictObject({ label: z.string(), description: z.string(), preview: z.string().optional() })),
  multiSelect: z.boolean(),
});
export type Question = z.infer<typeof Question>;

export const QuestionRequest = z.strictObject({
  requestId: z.string(),
  callId: z.string(),
  agentPath: z.array(z.string()).min(1),
  questions: z.array(Question),
  /** An MCP server asks, not the agent: its name and its words, and the page it wants opened. */
  source: z.strictObject({ kind: z.literal('mcp'), name: z.string(), message: z.string(), url: z.string().optional() }).optional(),
  askedAtMs: z.int(),
});
export type QuestionRequest = z.infer<typeof QuestionRequest>;

/** `answers` maps the question's text to the chosen label(s) or the free text. */
export const QuestionReply = z.discriminatedUnion('behavior', [
  z.strictObject({ behavior: z.literal('answer'), answers: z.record(z.string(), z.string()) }),
  z.strictObject({ behavior: z.literal('decline') }),
]);
export type QuestionReply = z.infer<typeof QuestionReply>;

export const PlanRequest = z.strictObject({
  requestId: z.string(),
  callId: z.string(),
  agentPath: z.array(z.string()).min(1),
  plan: z.string(),
  /** The plan file, so that it can be opened and edited. */
  path: z.string(),
  askedAtMs: z.int(),
});
export type PlanRequest = z.infer<typeof PlanRequest>;

export const PlanReply = z.discriminatedUnion('behavior', [
  /** `plan` is set when the person edited it; `mode` is how the work goes on. */
  z.strictObject({ behavior: z.literal('approve'), mode: z.enum(['default', 'acceptEdits']), plan: z.string().optional() }),
  z.strictObject({ behavior: z.literal('sendBack'), feedback: z.string() }),
]);
export type PlanReply = z.infer<typeof PlanReply>;

/** A file, selection or picture the person put beside a message. */
export const Attachment = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('file'), path: z.string() }),
  z.strictObject({ kind: z.literal('selection'), path: z.string(), startLine: z.int(), endLine: z.int(), text: z.string() }),
  z.strictObject({
    kind: z.literal('image'),
    name: z.string(),
    mediaType: z.enum(['image/png', 'image/jpeg', 'image/gif', 'image/webp']),
    data: z.string(),
  }),
  z.strictObject({ kind: z.literal('text'), name: z.string(), text: z.string() }),
  z.strictObject({ kind: z.literal('problems'), path: z.string().optional(), text: z.string(), count: z.int() }),
]);
export type Attachment = z.infer<typeof Attachment>;
