import * as z from 'zod';
import { lazily } from '../base/lazily';
import type { ResultBlock } from '../protocol/content';

/** Writes what the conversation can't hold to a file. @returns where it lies, or why it doesn't */
export type SaveBytes = (name: string, bytes: Uint8Array) => Promise<string>;

export interface ReadResult {
  readonly content: string | readonly ResultBlock[];
  readonly isError: boolean;
}

const block = lazily(() => {
  const resource = z.looseObject({ uri: z.string(), mimeType: z.string().optional(), text: z.string().optional(), blob: z.string().optional() });
  return {
    resource,
    content: z.union([
      z.looseObject({ type: z.literal('text'), text: z.string() }),
      z.looseObject({ type: z.literal('image'), data: z.string(), mimeType: z.string() }),
      z.looseObject({ type: z.literal('audio'), data: z.string(), mimeType: z.string() }),
      z.looseObject({ type: z.literal('resource'), resource }),
      z.looseObject({ type: z.literal('resource_link'), uri: z.string(), name: z.string().optional(), description: z.string().optional(), mimeType: z.string().optional() }),
    ]),
  };
});
type Content = z.infer<ReturnType<typeof block>['content']>;
type Resource = z.infer<ReturnType<typeof block>['resource']>;

/** The API takes pictures up to 5 MB; as base64 that is a third more. */
const maxImageChars = 6_600_000;
const imageTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const;

/** A tool's result as the model reads it: texts, pictures, and files for the rest. */
export async function readToolResult(raw: Readonly<Record<string, unknown>>, save: SaveBytes): Promise<ReadResult> {
  const items = Array.isArray(raw['content']) ? raw['content'] : [];
  const blocks: ResultBlock[] = [];
  for (const [i, item] of items.entries()) blocks.push(...(await readBlock(item, i, save)));
  const structured = raw['structuredContent'];
  // Servers repeat their structured result as text; only where they don't is it shown as it is.
  if (structured !== undefined && !blocks.some((one) => one.type === 'text')) blocks.push({ type: 'text', text: JSON.stringify(structured, null, 2) });
  return { content: merged(blocks), isError: raw['isError'] === true };
}

/** What `resources/read` gives. */
export async function readContents(raw: Readonly<Record<string, unknown>>, save: SaveBytes): Promise<string | readonly ResultBlock[]> {
  const items = Array.isArray(raw['contents']) ? raw['contents'] : [];
  const blocks: ResultBlock[] = [];
  for (const [i, item] of items.entries()) {
    const parsed = block().resource.safeParse(item);
    if (parsed.success) blocks.push(...(await readResourceBlock(parsed.data, i, save)));
  }
  return merged(blocks);
}

async function readBlock(item: unknown, index: number, save: SaveBytes): Promise<readonly ResultBlock[]> {
  const parsed = block().content.safeParse(item);
  if (!parsed.success) return [text(`[a part of a kind this program does not know: ${JSON.stringify(item)?.slice(0, 200) ?? ''}]`)];
  return readKnown(parsed.data, index, save);
}

async function readKnown(content: Content, index: number, save: SaveBytes): Promise<readonly ResultBlock[]> {
  switch (content.type) {
    case 'text':
      return [text(content.text)];
    case 'image':
    case 'audio':
      return bytesBlock({ data: content.data, mimeType: content.mimeType, name: `${content.type}-${index + 1}` }, save);
    case 'resource':
      return readResourceBlock(content.resource, index, save);
    case 'resource_link':
      return [text(`[resource ${content.uri}${content.name ? ` (${content.name})` : ''}${content.description ? `: ${content.description}` : ''}; read it with ReadMcpResourceTool]`)];
  }
}

async function readResourceBlock(resource: Resource, index: number, save: SaveBytes): Promise<readonly ResultBlock[]> {
  if (resource.text !== undefined) return [text(`<resource uri="${resource.uri}">\n${resource.text}\n</resource>`)];
  if (resource.blob === undefined) return [text(`[resource ${resource.uri} is empty]`)];
  return bytesBlock({ data: resource.blob, mimeType: resource.mimeType ?? 'application/octet-stream', name: `resource-${index + 1}` }, save);
}

async function bytesBlock(part: { readonly data: string; readonly mimeType: string; readonly name: string }, save: SaveBytes): Promise<readonly ResultBlock[]> {
  const type = imageTypes.find((known) => known === part.mimeType.toLowerCase());
  if (type && part.data.length <= maxImageChars && part.data !== '') return [{ type: 'image', source: { type: 'base64', media_type: type, data: part.data } }];
  const bytes = Buffer.from(part.data, 'base64');
  const where = await save(`${part.name}.${extension(part.mimeType)}`, bytes);
  return [text(`[${part.mimeType}, ${bytes.length} bytes: ${where}]`)];
}

function extension(mimeType: string): string {
  return /\/([a-z0-9]{1,8})/i.exec(mimeType)?.[1]?.toLowerCase() ?? 'bin';
}

function text(value: string): ResultBlock {
  return { type: 'text', text: value };
}

/** Only text: one string, as of any other tool. */
function merged(blocks: readonly ResultBlock[]): string | readonly ResultBlock[] {
  if (blocks.length === 0) return 'The tool gave no output.';
  return blocks.every((one) => one.type === 'text') ? blocks.map((one) => (one.type === 'text' ? one.text : '')).join('\n') : blocks;
}
