import type { ImageBlock } from '../protocol/content';
import { type FileInfo, type FileStore, sizeText } from '../platform/fileStore';
import { failure, type ToolResult } from './defineTool';
import { imageSizeOf } from './imageSize';
import type { FileState } from './fileState';
import { noteSeen } from './knownFiles';

type ImageType = ImageBlock['source']['media_type'];

/** Models take 5 MB of base64, which is this much of a file. */
const maxImageBytes = 3_750_000;
/** Larger pictures are refused by models, and would be with every later request of the conversation. */
const maxPixels = 8_000;
const maxDisplayBytes = 256 * 1024;

/** By its first bytes: names lie. */
export function imageTypeOf(start: Buffer): ImageType | undefined {
  if (start.subarray(0, 8).equals(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]))) return 'image/png';
  if (start[0] === 0xff && start[1] === 0xd8 && start[2] === 0xff) return 'image/jpeg';
  const head = start.subarray(0, 12).toString('latin1');
  if (head.startsWith('GIF87a') || head.startsWith('GIF89a')) return 'image/gif';
  return head.startsWith('RIFF') && head.slice(8) === 'WEBP' ? 'image/webp' : undefined;
}

export async function readImage(image: { readonly path: string; readonly real: string; readonly type: ImageType; readonly info: FileInfo; readonly files: FileState; readonly store: FileStore }): Promise<ToolResult> {
  const { path, type, info } = image;
  if (info.sizeBytes > maxImageBytes) {
    return failure(`${path} is an image of ${sizeText(info.sizeBytes)}; models take at most ${sizeText(maxImageBytes)}. Make a smaller copy first, for example with \`convert in.png -resize 50% out.png\` or \`sips -Z 1600\`, and read that.`);
  }
  const bytes = await image.store.readBytes(path, maxImageBytes);
  if (!bytes.ok) return failure(bytes.problem.message);
  const size = imageSizeOf(bytes.value);
  if (size && Math.max(size.width, size.height) > maxPixels) {
    return failure(`${path} has ${size.width} x ${size.height} pixels; models take at most ${maxPixels} on a side. Make a smaller copy first, for example with \`convert in.png -resize 2000x2000 out.png\`, and read that.`);
  }
  await noteSeen(image.store, image.files, image.real, false);
  const data = bytes.value.toString('base64');
  return {
    content: [{ type: 'image', source: { type: 'base64', media_type: type, data } }],
    note: sizeText(info.sizeBytes),
    display: info.sizeBytes <= maxDisplayBytes ? { kind: 'image', mediaType: type, data } : { kind: 'text', text: `${type}, ${sizeText(info.sizeBytes)}: open ${path} to see it.` },
  };
}
