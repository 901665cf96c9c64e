import * as z from 'zod';
import { lazily } from '../base/lazily';
import type { Problem } from '../base/problem';
import { err, ok, type Result } from '../base/result';

/** A person as packages write one: a map, or `Name <mail>`. */
const author = z.union([z.string(), z.looseObject({ name: z.string().optional() })]);
const paths = z.union([z.string(), z.array(z.string())]);
const fileOrMap = z.union([z.string(), z.record(z.string(), z.unknown())]);
const filesOrMaps = z.union([fileOrMap, z.array(fileOrMap)]);
const option = z.strictObject({
  type: z.enum(['string', 'number', 'boolean', 'directory', 'file']),
  title: z.string(),
  description: z.string(),
  sensitive: z.boolean().optional(),
  required: z.boolean().optional(),
  default: z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]).optional(),
  multiple: z.boolean().optional(),
  min: z.number().optional(),
  max: z.number().optional(),
});
const options = z.record(z.string().regex(/^[A-Za-z_]\w*$/, 'names of options are letters, digits and _'), option);
const command = z.looseObject({
  source: z.string().optional(),
  content: z.string().optional(),
  description: z.string().optional(),
  argumentHint: z.string().optional(),
  model: z.string().optional(),
  allowedTools: z.array(z.string()).optional(),
});

/** plugin.json. A known key with a wrong value refuses the plugin; unknown keys are named and left alone. */
export const manifestSchema = lazily(() =>
  z.object({
    $schema: z.string().optional(),
    name: z.string().regex(/^[^\s/\\:@]+$/, 'no blanks, slashes, colons or @').optional(),
    displayName: z.string().optional(),
    version: z.string().optional(),
    description: z.string().optional(),
    homepage: z.string().optional(),
    repository: z.union([z.string(), z.looseObject({})]).optional(),
    license: z.string().optional(),
    author: author.optional(),
    keywords: z.array(z.string()).optional(),
    metadata: z.unknown().optional(),
    experimental: z.unknown().optional(),
    defaultEnabled: z.boolean().optional(),
    commands: z.union([paths, z.record(z.string(), command)]).optional(),
    agents: paths.optional(),
    skills: paths.optional(),
    workflows: paths.optional(),
    outputStyles: paths.optional(),
    themes: z.unknown().optional(),
    monitors: z.unknown().optional(),
    hooks: filesOrMaps.optional(),
    mcpServers: filesOrMaps.optional(),
    lspServers: filesOrMaps.optional(),
    userConfig: options.optional(),
    channels: z.array(z.strictObject({ server: z.string(), displayName: z.string().optional(), userConfig: options.optional() })).optional(),
    dependencies: z.array(z.union([z.string(), z.looseObject({ name: z.string() })])).optional(),
    settings: z.looseObject({}).optional(),
  }),
);
export type Manifest = z.infer<ReturnType<typeof manifestSchema>>;

/** Read, so that nothing is lost, but of no effect here. */
const notRun = ['workflows', 'themes', 'monitors', 'channels'] as const;

/** @returns problems: which field refuses the plugin, and what it must be */
export function readManifest(raw: unknown, path: string): Result<{ readonly manifest: Manifest; readonly problems: readonly Problem[] }, readonly Problem[]> {
  if (!isMap(raw)) return err([{ severity: 'error', code: 'manifest-invalid', message: 'a manifest is one JSON object; the plugin is left out', path }]);
  const parsed = manifestSchema().safeParse(raw);
  if (!parsed.success) {
    return err(parsed.error.issues.map((issue) => ({ severity: 'error', code: 'manifest-invalid', message: `${issue.path.join('.')}: ${issue.message}; the plugin is left out until this is mended`, path, field: issue.path.join('.') })));
  }
  const known = new Set(Object.keys(manifestSchema().shape));
  const problems: Problem[] = Object.keys(raw)
    .filter((key) => !known.has(key))
    .map((key) => ({ severity: 'warning', code: 'manifest-unknown-field', message: `${key}: no field of a plugin's manifest; it is ignored`, path, field: key }));
  for (const key of ['experimental', 'metadata'] as const) {
    if (raw[key] !== undefined && !isMap(raw[key])) problems.push({ severity: 'warning', code: 'manifest-field-ignored', message: `${key}: is a map or nothing; it is ignored`, path, field: key });
  }
  const experimental = isMap(raw['experimental']) ? raw['experimental'] : {};
  for (const key of notRun) {
    if (raw[key] !== undefined || experimental[key] !== undefined) problems.push({ severity: 'info', code: 'component-not-run', message: `${key} of plugins are not run here`, path, field: key });
  }
  return ok({ manifest: parsed.data, problems });
}

export function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The options a plugin's texts may name, with their defaults under what the person set. Secrets never are. */
export function plainOptions(manifest: Manifest, set: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  const values: Record<string, string> = {};
  for (const [key, { sensitive, default: usual }] of Object.entries(manifest.userConfig ?? {})) {
    const value = Object.hasOwn(set, key) ? set[key] : usual;
    if (sensitive !== true && (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')) values[key] = String(value);
  }
  return values;
}
