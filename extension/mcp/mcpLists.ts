import * as z from 'zod';
import { lazily } from '../base/lazily';

/** What a server says of a tool. Its hints are claims of the server, never a ground to allow something. */
export interface McpToolInfo {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly readOnly: boolean;
  readonly destructive: boolean;
  readonly openWorld: boolean;
  /** The server wants a person to be asked every time. */
  readonly needsPerson: boolean;
  /** How long a result it is made for, in characters. */
  readonly maxResultChars?: number;
}

export interface McpPromptInfo {
  readonly name: string;
  readonly description: string;
  readonly arguments: readonly { readonly name: string; readonly description?: string; readonly required: boolean }[];
}

export interface McpResourceInfo {
  readonly uri: string;
  readonly name: string;
  readonly description?: string;
  readonly mimeType?: string;
}

const schemas = lazily(() => {
  const text = z.string();
  return {
    tool: z.looseObject({
      name: text.min(1),
      title: text.optional(),
      description: text.optional(),
      inputSchema: z.looseObject({}).optional(),
      annotations: z.looseObject({ title: text.optional(), readOnlyHint: z.boolean().optional(), destructiveHint: z.boolean().optional(), openWorldHint: z.boolean().optional() }).optional(),
      _meta: z.looseObject({}).optional(),
    }),
    prompt: z.looseObject({
      name: text.min(1),
      description: text.optional(),
      arguments: z.array(z.looseObject({ name: text, description: text.optional(), required: z.boolean().optional() })).optional(),
    }),
    resource: z.looseObject({ uri: text.min(1), name: text.optional(), title: text.optional(), description: text.optional(), mimeType: text.optional() }),
  };
});

/** Longer texts of a server are cut: they stand in every request. */
export const maxDescriptionChars = 2_048;
const maxResultLimit = 500_000;

/** @returns undefined for an entry that is no tool or one the API would refuse; the others are listed without it */
export function readTool(raw: unknown): McpToolInfo | undefined {
  const parsed = schemas().tool.safeParse(raw);
  if (!parsed.success) return undefined;
  const { name, title, description = '', inputSchema, annotations, _meta } = parsed.data;
  const schema = plainSchema(inputSchema ?? {});
  if (!schema) return undefined;
  const limit = _meta?.['anthropic/maxResultSizeChars'];
  const label = title ?? annotations?.title;
  return {
    name,
    ...(label === undefined ? {} : { title: label }),
    description: cutText(description),
    inputSchema: schema,
    readOnly: annotations?.readOnlyHint === true,
    destructive: annotations?.destructiveHint === true,
    openWorld: annotations?.openWorldHint === true,
    needsPerson: _meta?.['anthropic/requiresUserInteraction'] === true,
    ...(typeof limit === 'number' && limit > 0 ? { maxResultChars: Math.min(limit, maxResultLimit) } : {}),
  };
}

export function readPrompt(raw: unknown): McpPromptInfo | undefined {
  const parsed = schemas().prompt.safeParse(raw);
  if (!parsed.success) return undefined;
  const { name, description = '', arguments: args = [] } = parsed.data;
  return { name, description: cutText(description), arguments: args.map((arg) => ({ name: arg.name, ...(arg.description === undefined ? {} : { description: arg.description }), required: arg.required ?? false })) };
}

export function readResource(raw: unknown): McpResourceInfo | undefined {
  const parsed = schemas().resource.safeParse(raw);
  if (!parsed.success) return undefined;
  const { uri, name, title, description, mimeType } = parsed.data;
  return { uri, name: name ?? title ?? uri, ...(description === undefined ? {} : { description: cutText(description) }), ...(mimeType === undefined ? {} : { mimeType }) };
}

export function cutText(text: string): string {
  return text.length <= maxDescriptionChars ? text : `${text.slice(0, maxDescriptionChars - 1)}…`;
}

/** Names of fields as the API takes them; one that does not fit would have the whole request refused. */
const fieldName = /^[a-zA-Z0-9_.-]{1,64}$/;

/**
 * The API wants an object at the root, without `anyOf`, `oneOf` or `allOf` there: what those hold becomes one list of
 * fields. A field is required when every alternative requires it.
 */
function plainSchema(given: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> | undefined {
  const { anyOf, oneOf, allOf, $schema: _dropped, ...rest } = given;
  const alternatives = [...branches(anyOf), ...branches(oneOf)];
  const all = branches(allOf);
  const properties = Object.assign({}, ...[...alternatives, ...all].map((branch) => record(branch['properties'])), record(rest['properties']));
  const required = new Set<string>([...strings(rest['required']), ...all.flatMap((branch) => strings(branch['required'])), ...everywhere(alternatives.map((branch) => strings(branch['required'])))]);
  if (Object.keys(properties).some((name) => !fieldName.test(name))) return undefined;
  const { required: _required, properties: _properties, type: _type, ...others } = rest;
  return { type: 'object', properties, ...(required.size > 0 ? { required: [...required] } : {}), ...others };
}

function branches(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.map(record) : [];
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

function strings(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

function everywhere(lists: readonly (readonly string[])[]): readonly string[] {
  const [first = [], ...others] = lists;
  return first.filter((name) => others.every((list) => list.includes(name)));
}
