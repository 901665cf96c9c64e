import { err, ok, type Result } from '../base/result';
import type { FileStore } from '../platform/fileStore';
import type { Diff, DiffHunk } from '../protocol/toolDisplay';
import type { View } from '../protocol/view';

export interface EditorDiff {
  readonly path: string;
  readonly before: string;
  readonly after: string;
  readonly title: string;
}

const maxBytes = 16 * 1024 * 1024;

/** Whole texts before and after an edit, for the editor's own diff: what the row or the dock shows only in hunks. */
export class DiffSource {
  constructor(private readonly files: FileStore) {}

  /** @returns problem: why there is nothing to show, for the person */
  async forCall(view: View, callId: string): Promise<Result<EditorDiff, string>> {
    const ask = view.pendingAsks.find((a) => a.kind === 'permission' && a.request.callId === callId);
    if (ask?.kind === 'permission' && ask.request.subject.diff) return this.proposed(ask.request.subject.diff);
    const entry = Object.values(view.conversations).flat().find((e) => e.kind === 'tool' && e.id === callId);
    if (entry?.kind !== 'tool' || !('display' in entry.call) || entry.call.display?.kind !== 'diff') return err('This call has no diff.');
    return this.done(entry.call.display.diff);
  }

  private async proposed(diff: Diff): Promise<Result<EditorDiff, string>> {
    const before = await this.textOf(diff.path);
    const after = applyHunks(before, diff.hunks);
    return after === undefined || diff.cut ? err('The file has changed since, so the proposed edit can’t be shown whole.') : ok({ path: diff.path, before, after, title: 'proposed' });
  }

  private async done(diff: Diff): Promise<Result<EditorDiff, string>> {
    const after = await this.textOf(diff.path);
    const before = applyHunks(after, diff.hunks.map(reversed));
    return before === undefined || diff.cut ? err('The file has changed since, so this edit can’t be shown whole any more.') : ok({ path: diff.path, before, after, title: 'edit' });
  }

  private async textOf(path: string): Promise<string> {
    const file = await this.files.readText(path, maxBytes);
    return file.ok ? file.value.text : '';
  }
}

function reversed(hunk: DiffHunk): DiffHunk {
  const flip = (line: string): string => (line.startsWith('+') ? `-${line.slice(1)}` : line.startsWith('-') ? `+${line.slice(1)}` : line);
  return { oldStart: hunk.newStart, oldLines: hunk.newLines, newStart: hunk.oldStart, newLines: hunk.oldLines, lines: hunk.lines.map(flip) };
}

/** @returns undefined where the text is not the one the hunks were made from */
export function applyHunks(text: string, hunks: readonly DiffHunk[]): string | undefined {
  const lines = text === '' ? [] : text.replace(/\n$/, '').split('\n');
  const bare = (line: string): string => line.replace(/\r$/, '');
  const out: string[] = [];
  let at = 0;
  for (const hunk of hunks) {
    const from = hunk.oldLines === 0 ? hunk.oldStart : hunk.oldStart - 1;
    if (from < at) return undefined;
    out.push(...lines.slice(at, from));
    at = from;
    for (const line of hunk.lines) {
      if (line.startsWith('\\')) continue;
      if (line.startsWith('+')) out.push(line.slice(1));
      else {
        if (bare(lines[at] ?? '\0') !== bare(line.slice(1))) return undefined;
        if (line.startsWith(' ')) out.push(lines[at] ?? '');
        at++;
      }
    }
  }
  out.push(...lines.slice(at));
  return out.length === 0 ? '' : out.join('\n') + (endsWithNewline(text, hunks) ? '\n' : '');
}

/** A line with `\` first says that the text of the line before it has no newline at its end; without one the end is as it was. */
function endsWithNewline(text: string, hunks: readonly DiffHunk[]): boolean {
  const marked = hunks.flatMap(({ lines }) => lines.flatMap((line, i) => (line.startsWith('\\') ? [lines[i - 1]?.[0]] : [])));
  if (marked.length > 0) return !marked.includes('+') && !marked.includes(' ');
  return text === '' || text.endsWith('\n');
}
