import * as z from 'zod';

/**
 * Message content in the shape of the Messages API, which every provider is mapped to.
 * Blocks of a kind we do not know travel as `opaque`: kept, sent back, never shown.
 */
export const TextBlock = z.strictObject({ type: z.literal('text'), text: z.string() });
export const ThinkingBlock = z.strictObject({ type: z.literal('thinking'), thinking: z.string(), signature: z.string() });
export const RedactedThinkingBlock = z.strictObject({ type: z.literal('redacted_thinking'), data: z.string() });
/** `brokenInput` holds the text of an input that was no JSON or was cut off: such a call never runs. */
export const ToolUseBlock = z.strictObject({
  type: z.literal('tool_use'),
  id: z.string(),
  name: z.string(),
  input: z.record(z.string(), z.unknown()),
  brokenInput: z.string().optional(),
});
export const ImageBlock = z.strictObject({
  type: z.literal('image'),
  source: z.strictObject({
    type: z.literal('base64'),
    media_type: z.enum(['image/png', 'image/jpeg', 'image/gif', 'image/webp']),
    data: z.string(),
  }),
});
export const DocumentBlock = z.strictObject({
  type: z.literal('document'),
  source: z.strictObject({ type: z.literal('base64'), media_type: z.literal('application/pdf'), data: z.string() }),
  title: z.string().optional(),
});
/** Loads a deferred tool's schema; only in results of the tool search. */
export const ToolReferenceBlock = z.strictObject({ type: z.literal('tool_reference'), tool_name: z.string() });
export const ResultBlock = z.discriminatedUnion('type', [TextBlock, ImageBlock, DocumentBlock, ToolReferenceBlock]);
export const ToolResultBlock = z.strictObject({
  type: z.literal('tool_result'),
  tool_use_id: z.string(),
  content: z.union([z.string(), z.array(ResultBlock)]),
  is_error: z.boolean().optional(),
});
export const OpaqueBlock = z.strictObject({ type: z.literal('opaque'), block: z.looseObject({ type: z.string() }) });

export const AssistantBlock = z.discriminatedUnion('type', [TextBlock, ThinkingBlock, RedactedThinkingBlock, ToolUseBlock, OpaqueBlock]);
export const UserBlock = z.discriminatedUnion('type', [TextBlock, ImageBlock, DocumentBlock, ToolResultBlock]);

export type TextBlock = z.infer<typeof TextBlock>;
export type ThinkingBlock = z.infer<typeof ThinkingBlock>;
export type ToolUseBlock = z.infer<typeof ToolUseBlock>;
export type ImageBlock = z.infer<typeof ImageBlock>;
export type DocumentBlock = z.infer<typeof DocumentBlock>;
export type ResultBlock = z.infer<typeof ResultBlock>;
export type ToolResultBlock = z.infer<typeof ToolResultBlock>;
export type OpaqueBlock = z.infer<typeof OpaqueBlock>;
export type AssistantBlock = z.infer<typeof AssistantBlock>;
export type UserBlock = z.infer<typeof UserBlock>;

export type ModelMessage =
  | { readonly role: 'user'; readonly content: readonly UserBlock[] }
  | { readonly role: 'assistant'; readonly content: readonly AssistantBlock[] };

/** Tokens as the provider counted them; a field the provider does not report is absent, never 0. */
export const Usage = z.strictObject({
  inputTokens: z.int().min(0).optional(),
  outputTokens: z.int().min(0).optional(),
  cacheReadTokens: z.int().min(0).optional(),
  cacheWriteTokens: z.int().min(0).optional(),
});
export type Usage = z.infer<typeof Usage>;
