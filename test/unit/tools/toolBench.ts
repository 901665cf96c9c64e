import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createFileStore } from '../../../extension/platform/fileStore';
import type { Tool, ToolContext, ToolResult } from '../../../extension/tools/defineTool';
import { FileState } from '../../../extension/tools/fileState';

/** A real folder, and a way to call one tool in it the way the scheduler does. */
export function createToolBench() {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'troupe tools ')));
  const files = new FileState();
  const store = createFileStore();
  const live: string[] = [];
  const spawned: number[] = [];
  let calls = 0;
  const context = (more: Partial<ToolContext> = {}): ToolContext => ({
    sessionId: 's1',
    agentId: 'main',
    callId: `call-${++calls}`,
    cwd: dir,
    projectRoot: dir,
    workingDirs: [dir],
    mode: 'default',
    signal: new AbortController().signal,
    files,
    output: (text) => live.push(text),
    spawned: (pid) => spawned.push(pid),
    ...more,
  });
  return {
    dir,
    files,
    store,
    live,
    spawned,
    context,
    path: (name: string) => join(dir, name),
    write: (name: string, content: string | Uint8Array) => {
      mkdirSync(dirname(join(dir, name)), { recursive: true });
      writeFileSync(join(dir, name), content);
      return join(dir, name);
    },
    call: async (tool: Tool, input: Record<string, unknown>, more: Partial<ToolContext> = {}): Promise<ToolResult> => {
      const prepared = tool.prepare(input);
      if (!prepared.ok) return { content: prepared.problem, isError: true };
      const ctx = context(more);
      const impossible = await prepared.value.check?.(ctx);
      if (impossible !== undefined) return { content: impossible, isError: true };
      await prepared.value.describe(ctx);
      return prepared.value.run(ctx);
    },
    describe: async (tool: Tool, input: Record<string, unknown>, more: Partial<ToolContext> = {}) => {
      const prepared = tool.prepare(input);
      if (!prepared.ok) throw new Error(prepared.problem);
      return prepared.value.describe(context(more));
    },
    dispose: () => rmSync(dir, { recursive: true, force: true }),
  };
}

export function textOf(result: { readonly content: ToolResult['content'] }): string {
  return typeof result.content === 'string' ? result.content : result.content.map((block) => (block.type === 'text' ? block.text : `<${block.type}>`)).join('\n');
}
