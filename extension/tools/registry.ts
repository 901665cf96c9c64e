import type { ToolSchema } from '../ports';
import type { Tool } from './defineTool';

/** The tools of one agent, in the order the model sees them. */
export interface ToolRegistry {
  readonly tools: readonly Tool[];
  /** By name or alias. */
  readonly find: (name: string) => Tool | undefined;
  /** For "did you mean". */
  readonly near: (name: string) => readonly string[];
  readonly schemas: () => readonly ToolSchema[];
}

/** A later tool of the same name is left out: the first one given wins. */
export function createToolRegistry(given: readonly Tool[]): ToolRegistry {
  const byName = new Map<string, Tool>();
  const tools = given.filter((tool) => {
    if (byName.has(tool.name)) return false;
    byName.set(tool.name, tool);
    return true;
  });
  const byAlias = new Map(tools.flatMap((tool) => tool.aliases.map((alias) => [alias, tool])));
  return {
    tools,
    find: (name) => byName.get(name) ?? byAlias.get(name),
    near: (name) => nearNames(name, [...byName.keys()]),
    schemas: () => tools.map((tool) => ({ name: tool.name, description: tool.description, inputSchema: tool.inputSchema() })),
  };
}

/** Known names that come close to one that is not there. */
export function nearNames(name: string, known: readonly string[]): readonly string[] {
  const wanted = name.toLowerCase();
  const scored = known.map((other) => ({ other, distance: distance(wanted, other.toLowerCase()), inside: other.toLowerCase().includes(wanted) || wanted.includes(other.toLowerCase()) }));
  return scored
    .filter(({ other, distance: d, inside }) => inside || d <= Math.max(1, Math.floor(other.length / 3)))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, 3)
    .map(({ other }) => other);
}

/** Levenshtein. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)));
    row = next;
  }
  return row[b.length] ?? 0;
}
