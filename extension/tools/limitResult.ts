import { join } from 'node:path';
import type { ResultBlock } from '../protocol/content';
import type { ToolDisplay } from '../protocol/toolDisplay';
import type { FileStore } from '../platform/fileStore';
import { displayChars, headOf } from './cutText';
import type { Tool, ToolResult } from './defineTool';

/** What of a result enters the conversation and the event. A longer one is kept whole in a file that the text names. */
export async function limitResult(one: {
  readonly result: ToolResult;
  readonly tool: Tool;
  readonly callId: string;
  readonly outputsDir: string;
  readonly store: FileStore;
}): Promise<{ readonly content: string | readonly ResultBlock[]; readonly display: ToolDisplay | undefined }> {
  const { result, tool } = one;
  const whole = textOf(result.content);
  if (whole.length <= tool.maxResultChars) return { content: result.content, display: result.display ?? displayOf(whole) };
  const path = join(one.outputsDir, `${one.callId.replace(/[^\w-]/g, '_')}.txt`);
  const written = await one.store.writeBytes(path, Buffer.from(whole, 'utf8'));
  const where = written.ok ? `All of it is in ${path}: use Grep, or Read with offset and limit.` : 'The rest could not be kept. Ask for less.';
  const head = headOf(whole, tool.maxResultChars);
  const cut = `${head}\n\n[The result has ${whole.length} characters; ${whole.length - head.length} are left out here. ${where}]`;
  const others = typeof result.content === 'string' ? [] : result.content.filter((block) => block.type !== 'text');
  const content: string | readonly ResultBlock[] = others.length === 0 ? cut : [{ type: 'text', text: cut }, ...others];
  return { content, display: result.display ?? displayOf(whole, written.ok ? path : undefined) };
}

function textOf(content: ToolResult['content']): string {
  return typeof content === 'string' ? content : content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
}

function displayOf(text: string, fullPath?: string): ToolDisplay | undefined {
  if (text === '') return undefined;
  if (fullPath !== undefined) return { kind: 'output', text: headOf(text, displayChars), cutBytes: text.length - displayChars, fullPath };
  return { kind: 'text', text: headOf(text, displayChars), ...(text.length > displayChars ? { cut: true } : {}) };
}
