import * as z from 'zod';

/** Estimated by us, part by part; their sum is near `usedTokens`, which the provider counted where it does. */
export const ContextPart = z.strictObject({ kind: z.enum(['system', 'tools', 'mcp', 'memory', 'listings', 'messages', 'files', 'results']), label: z.string(), tokens: z.int() });
export type ContextPart = z.infer<typeof ContextPart>;

/** What fills an agent's context now. */
export const ContextReport = z.strictObject({
  usedTokens: z.int(),
  limitTokens: z.int(),
  /** null: it is not summarised by itself. */
  compactsAtTokens: z.int().nullable(),
  parts: z.array(ContextPart),
});
export type ContextReport = z.infer<typeof ContextReport>;
