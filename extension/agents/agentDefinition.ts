import * as z from 'zod';
import type { Frontmatter } from '../base/frontmatter';
import type { FrontmatterField } from '../base/frontmatterField';
import { firstField, firstParagraph, looseBoolean, stringList, textOf, toolList } from '../base/frontmatterValues';
import { lazily } from '../base/lazily';
import type { Problem } from '../base/problem';
import { err, ok, type Result } from '../base/result';
import { PermissionMode } from '../protocol/permissionMode';

export type AgentSource = 'builtin' | 'plugin' | 'user' | 'project' | 'flag' | 'managed';

/** What single fields may hold. Made with the first agent file: most starts read none. */
const fields = lazily(() => {
  const scope = z.enum(['user', 'project', 'local']);
  return {
    color: z.enum(['red', 'blue', 'green', 'yellow', 'purple', 'orange', 'pink', 'cyan']),
    memory: z.union([scope, z.looseObject({ scope }).transform((memory) => memory.scope)]),
    effort: z.union([z.enum(['low', 'medium', 'high', 'xhigh', 'max']), z.coerce.number().int().positive()]),
    /** `manual` is another word for `default`. */
    mode: z.union([PermissionMode, z.literal('manual').transform((): PermissionMode => 'default')]),
    isolation: z.literal('worktree'),
    serverConfig: z.looseObject({}),
  };
});
type FieldValue<K extends keyof ReturnType<typeof fields>> = z.infer<ReturnType<typeof fields>[K]>;
export type MemoryScope = FieldValue<'memory'>;

/** A server the agent uses: one of the session by its name, or its own when a config is given. */
export interface AgentMcpServer {
  readonly name: string;
  readonly config?: Readonly<Record<string, unknown>>;
}

export interface AgentDefinition {
  /** The agent type; in a plugin the last part of `qualified`. */
  readonly name: string;
  /** `plugin:dir:name` for plugin agents, else `name`: what `subagent_type` and rules say. */
  readonly qualified: string;
  readonly source: AgentSource;
  readonly plugin?: string;
  readonly path?: string;
  /** Hooks and inline MCP servers of an untrusted folder's agents must not be started. */
  readonly isTrusted: boolean;
  /** As written; `shownDescription` is for the model. */
  readonly description: string;
  /** `null` inherits all, `[]` leaves none, `*` is all. */
  readonly tools: readonly string[] | null;
  readonly disallowedTools: readonly string[];
  /** An alias, an id or `inherit`; absent is `inherit`. */
  readonly model?: string;
  readonly permissionMode?: PermissionMode;
  readonly maxTurns?: number;
  readonly skills: readonly string[];
  readonly mcpServers: readonly AgentMcpServer[];
  /** The hook map as it stands in the file; `Stop` means the end of this agent. */
  readonly hooks?: unknown;
  readonly memory?: MemoryScope;
  readonly background?: boolean;
  readonly isolation?: 'worktree';
  readonly color?: FieldValue<'color'>;
  readonly effort?: FieldValue<'effort'>;
  /** Only when the agent is the main agent. */
  readonly initialPrompt?: string;
  /** The system prompt. */
  readonly prompt: string;
  /** Paths of definitions of the same name that this one hides. */
  readonly hides: readonly string[];
}

/** Where a definition was found. */
export interface AgentPlace {
  readonly source: AgentSource;
  readonly path?: string;
  readonly isTrusted: boolean;
  readonly plugin?: string;
  /** File name without `.md`: the name of a plugin agent that states none. */
  readonly fileName: string;
  /** Folders between the plugin's `agents/` and the file. */
  readonly folders: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
}

/** Lists `\n` spelt out as real line breaks: people write whole dialogues on one line. */
export function shownDescription(definition: Pick<AgentDefinition, 'description'>): string {
  return definition.description.replaceAll('\\n', '\n');
}

export function usesAllTools(definition: Pick<AgentDefinition, 'tools'>): boolean {
  return definition.tools === null || definition.tools.includes('*');
}

export interface AgentReading {
  readonly definition: AgentDefinition;
  readonly problems: readonly Problem[];
}

/** @returns problems: why the file is no agent; `[]` for a file that is plainly something else (a README) */
export function readAgent(file: Frontmatter, place: AgentPlace): Result<AgentReading, readonly Problem[]> {
  const skip = skipReason(file, place);
  if (skip) return err(skip.map((problem) => ({ ...problem, ...(place.path === undefined ? {} : { path: place.path }) })));
  const reader = new AgentReader(file, place);
  const definition = reader.read();
  return ok({ definition, problems: reader.problems.map((problem) => ({ ...problem, ...(place.path === undefined ? {} : { path: place.path }) })) });
}

/** Plugin agents load whatever is missing; the others need a name that can be told from a plugin's, and a description. */
function skipReason(file: Frontmatter, place: AgentPlace): readonly Problem[] | undefined {
  if (place.source === 'plugin') return undefined;
  if (!file.hasBlock) return [];
  const skipped = (severity: Problem['severity'], why: string): readonly Problem[] => [{ severity, code: 'agent-skipped', message: `not loaded as an agent: ${why}` }];
  if (file.isUnreadable) return [...file.problems, ...skipped('error', 'its frontmatter cannot be read')];
  const name = textOf(file.fields.get('name'));
  if (name === undefined) return skipped('info', 'it has no name; add "name:" if it is meant to be one');
  if (name.includes(':')) return skipped('warning', `the name "${name}" has a colon, which stands for a plugin; use a hyphen`);
  if (name.startsWith('-')) return skipped('warning', `the name "${name}" begins with a hyphen`);
  return textOf(file.fields.get('description')) === undefined ? skipped('warning', 'it has no description; say when to use it') : undefined;
}

class AgentReader {
  readonly problems: Problem[];

  constructor(
    private readonly file: Frontmatter,
    private readonly place: AgentPlace,
  ) {
    this.problems = [...file.problems];
  }

  read(): AgentDefinition {
    const { file, place } = this;
    const name = textOf(file.fields.get('name')) ?? place.fileName;
    if (!/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name)) this.warn('name-not-kebab', `the name "${name}" is used as it is; other tools want small letters, digits and single hyphens`, 'name');
    return {
      name,
      qualified: place.plugin === undefined ? name : [place.plugin, ...place.folders, name].join(':'),
      source: place.source,
      ...(place.plugin === undefined ? {} : { plugin: place.plugin }),
      ...(place.path === undefined ? {} : { path: place.path }),
      isTrusted: place.isTrusted,
      description: textOf(file.fields.get('description')) ?? firstParagraph(file.body) ?? '',
      tools: toolList(this.tools()),
      disallowedTools: toolList(firstField(file, 'disallowedTools', 'disallowed-tools', 'disallowed_tools')) ?? [],
      ...present({ model: textOf(file.fields.get('model')), permissionMode: this.own('permissionMode', fields().mode), maxTurns: this.maxTurns() }),
      skills: stringList(file.fields.get('skills')),
      mcpServers: this.mcpServers(),
      ...present({ hooks: this.isOwn('hooks') ? (file.fields.get('hooks')?.value ?? undefined) : undefined, memory: this.value('memory', fields().memory), background: this.flag('background') }),
      ...present({ isolation: this.value('isolation', fields().isolation), color: this.value('color', fields().color), effort: this.value('effort', fields().effort) }),
      ...present({ initialPrompt: textOf(file.fields.get('initialPrompt')) }),
      prompt: this.prompt(),
      hides: [],
    };
  }

  /** Skills' spelling of the key only narrows an agent, so it is taken. */
  private tools(): FrontmatterField | undefined {
    const { fields } = this.file;
    for (const key of ['allowed-tools', 'allowed_tools', 'allowedTools']) {
      if (fields.has(key)) this.warn('tools-key-misspelt', `${key}: agents call this tools; ${fields.has('tools') ? 'the other one counts' : 'it was read as that'}`, key);
    }
    return firstField(this.file, 'tools', 'allowed-tools', 'allowed_tools', 'allowedTools');
  }

  private value<T>(key: string, schema: z.ZodType<T>): T | undefined {
    const field = this.file.fields.get(key);
    if (field === undefined || field.value === null) return undefined;
    const parsed = schema.safeParse(typeof field.value === 'object' ? field.value : textOf(field));
    if (parsed.success) return parsed.data;
    this.warn('bad-value', `${key}: "${textOf(field) ?? ''}" is not understood and ignored`, key);
    return undefined;
  }

  private own<T>(key: string, schema: z.ZodType<T>): T | undefined {
    return this.isOwn(key) ? this.value(key, schema) : undefined;
  }

  /** What would let a plugin run things or ask less is not a plugin's to set. */
  private isOwn(key: string): boolean {
    if (this.place.plugin === undefined || !this.file.fields.has(key)) return true;
    this.warn('agent-field-ignored', `${key} is ignored in agents of plugins`, key);
    return false;
  }

  private maxTurns(): number | undefined {
    return this.value('maxTurns', z.coerce.number().int().positive());
  }

  private flag(key: string): boolean | undefined {
    return looseBoolean(this.file.fields.get(key));
  }

  private mcpServers(): readonly AgentMcpServer[] {
    const value = this.isOwn('mcpServers') ? this.file.fields.get('mcpServers')?.value : undefined;
    if (value === undefined || value === null) return [];
    const entries: readonly unknown[] = Array.isArray(value) ? value : [value];
    return entries.flatMap((entry) => this.servers(entry));
  }

  private servers(entry: unknown): readonly AgentMcpServer[] {
    if (typeof entry === 'string') return entry.split(/[\s,]+/).filter((name) => name !== '').map((name) => ({ name }));
    const record = z.record(z.string(), z.unknown()).safeParse(entry);
    if (!record.success) {
      this.warn('bad-value', 'mcpServers: an entry is neither a name nor a name with a config; it is ignored', 'mcpServers');
      return [];
    }
    return Object.entries(record.data).map(([name, config]) => {
      const own = fields().serverConfig.safeParse(config);
      return own.success && Object.keys(own.data).length > 0 ? { name, config: own.data } : { name };
    });
  }

  private prompt(): string {
    const { variables } = this.place;
    return this.file.body.trim().replace(/\$\{([\w.]+)\}/g, (whole, name: string) => variables[name] ?? whole);
  }

  private warn(code: string, message: string, key: string): void {
    const line = this.file.fields.get(key)?.line;
    this.problems.push({ severity: 'warning', code, message, ...(line === undefined ? {} : { line }), field: key });
  }
}

/** Without the keys that say nothing, so that whole values compare. */
function present<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const kept: { [K in keyof T]?: Exclude<T[K], undefined> } = {};
  for (const key in values) {
    const value = values[key];
    if (isPresent(value)) kept[key] = value;
  }
  return kept;
}

function isPresent<T>(value: T): value is Exclude<T, undefined> {
  return value !== undefined;
}

/** An agent as `troupe inspect agents --json` prints it. */
export function inspectAgent(agent: AgentDefinition): Readonly<Record<string, unknown>> {
  const { prompt: _prompt, isTrusted: _trusted, hooks: _hooks, initialPrompt: _initial, hides, qualified, ...shown } = agent;
  return {
    ...shown,
    descriptionShown: agent.description.includes('\\n') ? shownDescription(agent) : undefined,
    qualified: agent.plugin === undefined ? undefined : qualified,
    disallowedTools: agent.disallowedTools.length > 0 ? agent.disallowedTools : undefined,
    skills: agent.skills.length > 0 ? agent.skills : undefined,
    mcpServers: agent.mcpServers.length > 0 ? agent.mcpServers.map((server) => server.name) : undefined,
    hides: hides.length > 0 ? hides : undefined,
  };
}
