import * as z from 'zod';

/** One hunk of a unified diff; each line keeps its leading ` `, `+` or `-`. */
export const DiffHunk = z.strictObject({ oldStart: z.int(), oldLines: z.int(), newStart: z.int(), newLines: z.int(), lines: z.array(z.string()) });
export type DiffHunk = z.infer<typeof DiffHunk>;

export const Diff = z.strictObject({
  path: z.string(),
  kind: z.enum(['create', 'edit', 'delete']),
  added: z.int().min(0),
  removed: z.int().min(0),
  hunks: z.array(DiffHunk),
  /** Set when hunks were left out to keep the event small. */
  cut: z.boolean().optional(),
});
export type Diff = z.infer<typeof Diff>;

/** What the opened tool line shows. Big texts are cut here; `fullPath` names the file that has the rest. */
export const ToolDisplay = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('diff'), diff: Diff }),
  z.strictObject({
    kind: z.literal('output'),
    text: z.string(),
    exitCode: z.int().optional(),
    cutBytes: z.int().optional(),
    fullPath: z.string().optional(),
    background: z.boolean().optional(),
  }),
  z.strictObject({ kind: z.literal('files'), paths: z.array(z.string()), total: z.int(), cut: z.boolean() }),
  z.strictObject({ kind: z.literal('text'), text: z.string(), cut: z.boolean().optional() }),
  z.strictObject({ kind: z.literal('image'), mediaType: z.string(), data: z.string() }),
]);
export type ToolDisplay = z.infer<typeof ToolDisplay>;
