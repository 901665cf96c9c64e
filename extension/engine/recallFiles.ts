import type { FileStore } from '../platform/fileStore';
import type { DurableEvent } from '../protocol/events';
import type { FileState } from '../tools/fileState';
import { absolutePath } from '../tools/toolPaths';

interface Touch {
  /** The file as the call left or found it is no younger than this. */
  readonly untilMs: number;
  readonly partial: boolean;
}

/** Looked at latest are kept; more than this many files are not asked for. */
const maxFiles = 500;

/**
 * After a reload an agent still knows the files it had read or written, as far as the disk shows that nobody has changed
 * them since: a file younger than the call that last saw it is not known.
 */
export async function recallFiles(events: readonly DurableEvent[], agent: { readonly agentId: string; readonly cwd: string }, { store, files }: { readonly store: FileStore; readonly files: FileState }): Promise<void> {
  const touched = [...touchesOf(events, agent)].slice(-maxFiles);
  await Promise.all(
    touched.map(async ([path, { untilMs, partial }]) => {
      const info = await store.info(path);
      if (info?.kind !== 'file' || info.mtimeMs > untilMs) return;
      files.note(await store.realPath(path), { mtimeMs: info.mtimeMs, sizeBytes: info.sizeBytes, hash: '', partial });
    }),
  );
}

/** By path, in the order of the last calls. */
function touchesOf(events: readonly DurableEvent[], { agentId, cwd }: { readonly agentId: string; readonly cwd: string }): ReadonlyMap<string, Touch> {
  const started = new Map<string, Extract<DurableEvent, { type: 'tool/started' }>>();
  const touched = new Map<string, Touch>();
  for (const event of events) {
    if (event.type === 'tool/started' && event.agentId === agentId) started.set(event.callId, event);
    if (event.type !== 'tool/completed' || event.agentId !== agentId || event.outcome !== 'completed') continue;
    const call = started.get(event.callId);
    const path = call && pathOf(call);
    if (!call || path === undefined) continue;
    const at = absolutePath(path, cwd);
    const before = touched.get(at);
    touched.delete(at);
    if (call.name === 'Read') {
      const isPart = ['offset', 'limit', 'pages'].some((key) => call.input[key] !== undefined);
      touched.set(at, { untilMs: call.atMs, partial: isPart && before?.partial !== false });
    } else touched.set(at, { untilMs: event.atMs, partial: false });
  }
  return touched;
}

function pathOf({ name, input }: Extract<DurableEvent, { type: 'tool/started' }>): string | undefined {
  const path = name === 'NotebookEdit' ? input['notebook_path'] : ['Read', 'Write', 'Edit'].includes(name) ? input['file_path'] : undefined;
  return typeof path === 'string' ? path : undefined;
}
