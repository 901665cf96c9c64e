import { Attachment } from '../../extension/protocol/interaction';

/** Pictures of a paste or a drop, as attachments. Other files of the outside can't be read here and are left alone. */
export async function picturesOf(files: Iterable<File>): Promise<readonly Attachment[]> {
  const pictures = await Promise.all(Array.from(files, pictureOf));
  return pictures.flatMap((picture) => (picture ? [picture] : []));
}

/** Files dragged from VS Code's explorer or tabs come as a list of addresses. */
export function droppedFiles(uriList: string): readonly Attachment[] {
  return uriList
    .split(/\r?\n/)
    .filter((line) => line.startsWith('file://') && URL.canParse(line))
    .map((line) => {
      const path = decodeURIComponent(new URL(line).pathname);
      return { kind: 'file', path: /^\/[A-Za-z]:/.test(path) ? path.slice(1) : path };
    });
}

async function pictureOf(file: File): Promise<Attachment | undefined> {
  if (!file.type.startsWith('image/')) return undefined;
  const parsed = Attachment.safeParse({ kind: 'image', name: file.name || 'picture', mediaType: file.type, data: await base64(file) });
  return parsed.success ? parsed.data : undefined;
}

function base64(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^data:[^,]*,/, ''));
    reader.onerror = () => reject(reader.error ?? new Error(`${file.name} could not be read`));
    reader.readAsDataURL(file);
  });
}
