import type { ToolSchema } from '../ports';
import type { Tool } from './defineTool';
import { createToolRegistry, nearNames, type ToolRegistry } from './registry';

/** Tools that come while an agent works: those of MCP servers. */
export interface LateTools {
  /** What there is now. */
  readonly current: () => readonly Tool[];
  /** A tool that may still come (its server is being connected), to be called as if it were there. */
  readonly expected: (name: string) => Tool | undefined;
}

export interface ShelfModel {
  /** Takes `defer_loading` and `tool_reference`. */
  readonly defersTools: boolean;
  readonly contextTokens: number;
}

interface Shelved {
  readonly schema: ToolSchema;
  readonly tool: Tool;
  /** The model reads its schema only once the tool search has named it. */
  readonly deferred: boolean;
}

/** Above this part of the context window late tools are only found by search (spec 15). */
const mostOfWindow = 0.1;
const charsPerToken = 4;

/**
 * The tools of one agent over its life. The list the model is sent only ever grows at its end, at most once per turn,
 * and no byte of it changes; a tool that goes stays in it and says at the call that it is gone. Models that take
 * deferred tools are sent late ones as such, which leaves the prompt cache whole.
 */
export class ToolShelf implements ToolRegistry {
  private readonly base: ToolRegistry;
  private readonly shelved = new Map<string, Shelved>();
  private hasBegun = false;
  private mayAppend = true;
  private lateChars = 0;
  private readonly told = new Set<string>();

  constructor(
    base: readonly Tool[],
    private readonly late: LateTools,
    private readonly model: () => ShelfModel,
  ) {
    this.base = createToolRegistry(base);
  }

  get tools(): readonly Tool[] {
    return [...this.base.tools, ...this.newest()];
  }

  find(name: string): Tool | undefined {
    return this.base.find(name) ?? this.late.current().find((tool) => tool.name === name || tool.aliases.includes(name)) ?? this.shelved.get(name)?.tool ?? this.late.expected(name);
  }

  near(name: string): readonly string[] {
    return nearNames(name, this.tools.map((tool) => tool.name));
  }

  schemas(): readonly ToolSchema[] {
    return [...this.base.schemas(), ...[...this.shelved.values()].map(({ schema, deferred }) => (deferred ? { ...schema, deferred: true } : schema))];
  }

  /** At a turn's begin: takes in what has come. @returns tools that only the search gives and that were not told of before */
  beginTurn(): readonly Tool[] {
    this.mayAppend = true;
    const fresh = this.late.current().filter((tool) => !this.shelved.has(tool.name) && !this.base.find(tool.name));
    const isFirst = !this.hasBegun;
    this.hasBegun = true;
    if (fresh.length === 0) return [];
    const model = this.model();
    const chars = fresh.reduce((sum, tool) => sum + (tool.late?.mayDefer === false ? 0 : sizeOf(tool)), 0);
    const fits = this.lateChars + chars <= model.contextTokens * mostOfWindow * charsPerToken;
    // Later tools of a model that can defer are deferred however few they are: its cache stays whole.
    const loads = (tool: Tool): boolean => (isFirst ? fits || tool.late?.mayDefer === false : !model.defersTools && fits);
    const loaded = fresh.filter(loads);
    for (const tool of loaded) this.shelve(tool, false);
    if (!isFirst && loaded.length > 0) this.mayAppend = false;
    const hidden = fresh.filter((tool) => !loads(tool));
    if (model.defersTools) for (const tool of hidden) this.shelve(tool, true);
    const untold = hidden.filter((tool) => !this.told.has(tool.name));
    for (const tool of untold) this.told.add(tool.name);
    return untold;
  }

  /** Tools whose name or text fits, best first; `select:a,b` names them. */
  search(query: string, limit: number): readonly Tool[] {
    const all = this.late.current();
    const named = /^select:(.*)$/s.exec(query.trim())?.[1];
    if (named !== undefined) {
      const names = named.split(',').map((name) => name.trim());
      return names.flatMap((name) => all.find((tool) => tool.name === name) ?? all.find((tool) => tool.name.toLowerCase().endsWith(`__${name.toLowerCase()}`)) ?? []).slice(0, limit);
    }
    const words = query.toLowerCase().split(/[^a-z0-9]+/).filter((word) => word !== '');
    return all
      .map((tool) => ({ tool, score: scoreOf(tool, words) }))
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score)
      .slice(0, limit)
      .map(({ tool }) => tool);
  }

  /**
   * Makes found tools ready to call. @returns `references`: the model is given their names and the API adds the schemas;
   * `schemas`: it has to read them from the result
   */
  load(tools: readonly Tool[]): 'references' | 'schemas' {
    if (this.model().defersTools) {
      for (const tool of tools) if (!this.shelved.has(tool.name)) this.shelve(tool, true);
      return 'references';
    }
    const missing = tools.filter((tool) => !this.shelved.has(tool.name));
    if (missing.length > 0 && this.mayAppend) {
      this.mayAppend = false;
      for (const tool of missing) this.shelve(tool, false);
    }
    return 'schemas';
  }

  /** The same list for another agent, such as a fork that repeats this one's request. */
  copy(): ToolShelf {
    const shelf = new ToolShelf(this.base.tools, this.late, this.model);
    for (const [name, entry] of this.shelved) shelf.shelved.set(name, entry);
    shelf.hasBegun = this.hasBegun;
    shelf.lateChars = this.lateChars;
    return shelf;
  }

  private newest(): readonly Tool[] {
    const now = this.late.current();
    const gone = [...this.shelved.values()].filter(({ tool }) => !now.some((one) => one.name === tool.name));
    return [...now, ...gone.map(({ tool }) => tool)];
  }

  private shelve(tool: Tool, deferred: boolean): void {
    const schema = { name: tool.name, description: tool.description, inputSchema: tool.inputSchema() };
    this.shelved.set(tool.name, { schema, tool, deferred });
    if (!deferred) this.lateChars += sizeOf(tool);
  }
}

function sizeOf(tool: Tool): number {
  return tool.name.length + tool.description.length + JSON.stringify(tool.inputSchema()).length;
}

function scoreOf(tool: Tool, words: readonly string[]): number {
  const name = tool.name.toLowerCase();
  const parts = new Set(name.split(/[^a-z0-9]+/));
  const text = tool.description.toLowerCase();
  return words.reduce((sum, word) => sum + (parts.has(word) ? 4 : name.includes(word) ? 2 : 0) + (text.includes(word) ? 1 : 0), 0);
}
