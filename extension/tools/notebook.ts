import * as z from 'zod';
import { err, ok, type Result } from '../base/result';

const lines = z.union([z.string(), z.array(z.string())]);
const Cell = z.looseObject({
  id: z.string().optional(),
  cell_type: z.string(),
  source: lines,
  outputs: z.array(z.looseObject({ output_type: z.string() })).optional(),
  execution_count: z.number().nullable().optional(),
});
export type Cell = z.infer<typeof Cell>;
export const Notebook = z.looseObject({ cells: z.array(Cell), nbformat: z.number().optional(), nbformat_minor: z.number().optional(), metadata: z.looseObject({}).optional() });
export type Notebook = z.infer<typeof Notebook>;

/** @returns problem: what is wrong, for the model */
export function parseNotebook(path: string, text: string): Result<Notebook, string> {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (thrown) {
    return err(`${path} is no valid notebook: its JSON can't be read (${thrown instanceof Error ? thrown.message : 'unknown error'}). Look at it with \`head\` in Bash.`);
  }
  const parsed = Notebook.safeParse(json);
  if (parsed.success) return ok(parsed.data);
  return err(`${path} is no notebook: ${parsed.error.issues[0]?.path.join('.')} ${parsed.error.issues[0]?.message}. Notebooks of format 3 or older must be converted first (jupyter nbconvert).`);
}

export function joined(value: string | readonly string[]): string {
  return typeof value === 'string' ? value : value.join('');
}

/** Cells without an id (format before 4.5) are called by their place: cell-0, cell-1 … */
export function cellName(cell: Cell, index: number): string {
  return cell.id ?? `cell-${index}`;
}
