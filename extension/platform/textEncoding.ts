/** How a file's bytes become text and back without changing what an edit did not touch. */
export type Encoding = 'utf8' | 'utf16le' | 'utf16be' | 'latin1';

export interface DecodedText {
  readonly text: string;
  readonly encoding: Encoding;
  readonly bom: boolean;
}

const sniffBytes = 8192;

/** A zero byte near the start, in a file that does not say it is UTF-16. */
export function looksBinary(start: Uint8Array): boolean {
  return bomOf(start) === undefined && start.subarray(0, sniffBytes).includes(0);
}

export function bomOf(bytes: Uint8Array): { readonly encoding: Encoding; readonly length: number } | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return { encoding: 'utf8', length: 3 };
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return { encoding: 'utf16le', length: 2 };
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return { encoding: 'utf16be', length: 2 };
  return undefined;
}

/** Bytes that are no UTF-8 are read as Latin-1, which maps every byte to one character and back. */
export function decodeText(bytes: Buffer): DecodedText {
  const bom = bomOf(bytes);
  const body = bom ? bytes.subarray(bom.length) : bytes;
  if (bom?.encoding === 'utf16le') return { text: body.toString('utf16le'), encoding: 'utf16le', bom: true };
  if (bom?.encoding === 'utf16be') return { text: swapped(body).toString('utf16le'), encoding: 'utf16be', bom: true };
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body), encoding: 'utf8', bom: bom !== undefined };
  } catch {
    return { text: body.toString('latin1'), encoding: 'latin1', bom: false };
  }
}

/** @returns undefined when `text` has characters the encoding can't hold */
export function encodeText({ text, encoding, bom }: DecodedText): Buffer | undefined {
  switch (encoding) {
    case 'utf8':
      return Buffer.from(bom ? `\uFEFF${text}` : text, 'utf8');
    case 'utf16le':
      return Buffer.from(`\uFEFF${text}`, 'utf16le');
    case 'utf16be':
      return swapped(Buffer.from(`\uFEFF${text}`, 'utf16le'));
    case 'latin1':
      return /^[\u0000-\u00FF]*$/.test(text) ? Buffer.from(text, 'latin1') : undefined;
  }
}

export type LineEnding = 'lf' | 'crlf' | 'mixed';

export function lineEndingOf(text: string): LineEnding {
  let crlf = 0;
  let lf = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) {
    if (text[at - 1] === '\r') crlf += 1;
    else lf += 1;
  }
  if (crlf === 0) return 'lf';
  return lf === 0 ? 'crlf' : 'mixed';
}

function swapped(bytes: Buffer): Buffer {
  return Buffer.from(bytes.length % 2 === 0 ? bytes : bytes.subarray(0, bytes.length - 1)).swap16();
}
