import * as z from 'zod';

/** Something wrong in a file of the person's: what, where, and what to do. `code` is for programs, `message` for people. */
export const Problem = z.strictObject({
  severity: z.enum(['error', 'warning', 'info']),
  code: z.string(),
  message: z.string(),
  path: z.string().optional(),
  line: z.int().min(1).optional(),
  field: z.string().optional(),
});
export type Problem = z.infer<typeof Problem>;

/** What every loader returns. One bad file never takes down the load. */
export interface LoadReport<T> {
  readonly loaded: readonly T[];
  readonly disabled: readonly { readonly name: string; readonly path: string; readonly reason: string }[];
  readonly problems: readonly Problem[];
}
