import type { Readable } from 'node:stream';
import { type PrintPrompt, readInputLine } from './runPrint';

/** The prompts of one run. Without `prompt` they come as JSON lines. @throws with words for the person at a line that is none */
export async function* promptsOf(prompt: string | undefined, input: Readable): AsyncIterable<PrintPrompt> {
  if (prompt !== undefined) {
    yield { text: prompt, attachments: [] };
    return;
  }
  const { createInterface } = await import('node:readline');
  for await (const line of createInterface({ input })) {
    if (line.trim() === '') continue;
    const read = readInputLine(line);
    if (!read.ok) throw new Error(read.problem);
    yield read.value;
  }
}

export async function readAll(stream: AsyncIterable<Buffer | string>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString('utf8');
}
