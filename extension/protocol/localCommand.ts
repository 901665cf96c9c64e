import * as z from 'zod';

/** One line of a page. `path` opens on a click. */
export const PageRow = z.strictObject({
  name: z.string(),
  detail: z.string().optional(),
  /** A word on the right: where it comes from, what state it is in. */
  badge: z.string().optional(),
  tone: z.enum(['good', 'warning', 'error']).optional(),
  path: z.string().optional(),
  line: z.int().optional(),
  /** Another command that this line leads to, written out: "/mcp". */
  command: z.string().optional(),
});
export type PageRow = z.infer<typeof PageRow>;

/** What a command has to show, in groups. */
export const LocalPage = z.strictObject({
  title: z.string(),
  intro: z.string().optional(),
  groups: z.array(z.strictObject({ title: z.string(), rows: z.array(PageRow) })),
});
export type LocalPage = z.infer<typeof LocalPage>;

/**
 * What came of a command that never reaches the model. `go`: a place the front end has itself; `prompt`: it is a skill
 * and is sent like any message; `unknown`: nothing was done, `near` are names like it.
 */
export const LocalOutcome = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('done'), text: z.string() }),
  z.strictObject({ kind: z.literal('page'), page: LocalPage }),
  z.strictObject({ kind: z.literal('go'), to: z.enum(['newSession', 'permissions', 'sessions', 'setUp']) }),
  z.strictObject({ kind: z.literal('prompt') }),
  z.strictObject({ kind: z.literal('unknown'), near: z.array(z.string()) }),
]);
export type LocalOutcome = z.infer<typeof LocalOutcome>;

/** `/name rest`, alone or with words after it; a path like `/usr/bin` is none. */
export function commandIn(text: string): { readonly name: string; readonly args: string } | undefined {
  const found = /^\/([A-Za-z][\w.:-]*)(?:\s+([\s\S]*))?$/.exec(text.trimEnd());
  return found?.[1] === undefined ? undefined : { name: found[1], args: (found[2] ?? '').trim() };
}
