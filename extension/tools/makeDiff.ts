import type { Diff, DiffHunk } from '../protocol/toolDisplay';

const maxDiffLines = 400;
const maxLineChars = 2_000;
const maxEdits = 10_000;
const maxTextChars = 4 * 1024 * 1024;

/** The change of one file, small enough for an event. `before` undefined: the file is new. */
export async function makeDiff(change: { readonly path: string; readonly before: string | undefined; readonly after: string }): Promise<Diff> {
  const { path, after } = change;
  const before = change.before ?? '';
  const kind = change.before === undefined ? 'create' : 'edit';
  if (before.length + after.length > maxTextChars) return wholeReplaced(path, kind, before, after);
  const { structuredPatch } = await import('diff');
  const patch = structuredPatch(path, path, before, after, '', '', { context: 3, maxEditLength: maxEdits, timeout: 500 });
  if (!patch) return wholeReplaced(path, kind, before, after);
  const all = patch.hunks.flatMap((hunk) => hunk.lines);
  const hunks: DiffHunk[] = [];
  let room = maxDiffLines;
  for (const hunk of patch.hunks) {
    if (room <= 0) break;
    const lines = hunk.lines.slice(0, room).map((line) => (line.length > maxLineChars ? `${line.slice(0, maxLineChars)}…` : line));
    hunks.push({ oldStart: hunk.oldStart, oldLines: hunk.oldLines, newStart: hunk.newStart, newLines: hunk.newLines, lines });
    room -= lines.length;
  }
  const cut = all.length > maxDiffLines || all.some((line) => line.length > maxLineChars);
  return { path, kind, added: countOf(all, '+'), removed: countOf(all, '-'), hunks, ...(cut ? { cut } : {}) };
}

function wholeReplaced(path: string, kind: Diff['kind'], before: string, after: string): Diff {
  return { path, kind, added: lineCount(after), removed: lineCount(before), hunks: [], cut: true };
}

function countOf(lines: readonly string[], sign: string): number {
  return lines.filter((line) => line.startsWith(sign)).length;
}

function lineCount(text: string): number {
  if (text === '') return 0;
  let count = text.endsWith('\n') ? 0 : 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
