import { promises as fs } from 'node:fs';
import { join } from 'node:path';
import type { Problem } from '../base/problem';
import { readTextFile } from '../platform/textFile';
import type { HookOrigin } from '../hooks/hook';
import type { RawHooks } from '../settings/hookLayers';
import { parseStrictJson } from '../settings/strictJson';
import type { RawServers } from './plugin';
import { isMap } from './pluginManifest';
import { isThere, type PluginGround, resolvePaths } from './pluginPathsLoader';

type FilesOrMaps = string | Readonly<Record<string, unknown>> | readonly (string | Readonly<Record<string, unknown>>)[] | undefined;

interface Piece {
  readonly raw: unknown;
  readonly path: string;
  readonly keys: readonly string[];
}

/** Hooks of `hooks/hooks.json` and of the manifest, each file once: naming the usual file again is common and harmless. */
export async function pluginHooks(ground: PluginGround, written: FilesOrMaps, origin: Omit<HookOrigin, 'path' | 'keys'>): Promise<readonly RawHooks[]> {
  const pieces = await piecesOf(ground, { field: 'hooks', written, usual: 'hooks/hooks.json', wrapper: 'hooks' });
  return pieces.map(({ raw, path, keys }) => ({ raw, origin: { ...origin, path, keys } }));
}

/** Servers of `.mcp.json` (or `.lsp.json`) and of the manifest; a file may wrap them or be the map itself. */
export async function pluginServers(ground: PluginGround, field: 'mcpServers' | 'lspServers', written: FilesOrMaps): Promise<readonly RawServers[]> {
  return piecesOf(ground, { field, written, usual: field === 'mcpServers' ? '.mcp.json' : '.lsp.json', wrapper: field });
}

async function piecesOf(ground: PluginGround, part: { readonly field: string; readonly written: FilesOrMaps; readonly usual: string; readonly wrapper: string }): Promise<readonly Piece[]> {
  const { field, written, usual, wrapper } = part;
  const list = written !== undefined && isList(written);
  const entries = written === undefined ? [] : isList(written) ? written : [written];
  const files: string[] = (await isThere(join(ground.root, usual))) ? [join(ground.root, usual)] : [];
  const inline: Piece[] = [];
  for (const [index, entry] of entries.entries()) {
    if (typeof entry === 'string') files.push(...(await resolvePaths(ground, field, entry)));
    else inline.push({ raw: entry, path: ground.manifestPath, keys: list ? [field, String(index)] : [field] });
  }
  const pieces: Piece[] = [];
  const seen = new Set<string>();
  for (const path of files) {
    const real = await fs.realpath(path).catch(() => path);
    if (seen.has(real)) {
      ground.problems.push({ severity: 'warning', code: 'duplicate-file', message: `${field}: ${usual} is read anyway; leave it out of the manifest`, path: ground.manifestPath, field });
      continue;
    }
    seen.add(real);
    const piece = await readPiece(path, wrapper, ground.problems);
    if (piece) pieces.push(piece);
  }
  return [...pieces, ...inline];
}

function isList(written: NonNullable<FilesOrMaps>): written is readonly (string | Readonly<Record<string, unknown>>)[] {
  return Array.isArray(written);
}

async function readPiece(path: string, wrapper: string, problems: Problem[]): Promise<Piece | undefined> {
  const json = await readJsonFile(path, problems);
  if (json === undefined) return undefined;
  return isMap(json.value) && wrapper in json.value ? { raw: json.value[wrapper], path, keys: [wrapper] } : { raw: json.value, path, keys: [] };
}

/** @returns undefined when it can't be read, with the reason among the problems */
export async function readJsonFile(path: string, problems: Problem[]): Promise<{ readonly value: unknown } | undefined> {
  const file = await readTextFile(path);
  if (!file.ok) {
    problems.push(file.problem);
    return undefined;
  }
  const json = await parseStrictJson(file.value.text, path);
  if (!json.ok) problems.push(json.problem);
  return json.ok ? { value: json.value } : undefined;
}
