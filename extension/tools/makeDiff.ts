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
  return capped({ path, kind, all: patch ? patch.hunks : middleReplaced(before, after) });
}

/** For changes too large to compare line by line: everything between the first and the last line that differ. */
function middleReplaced(before: string, after: string): readonly DiffHunk[] {
  const [was, is] = [linesOf(before), linesOf(after)];
  let start = 0;
  while (start < was.length && start < is.length && was[start] === is[start]) start += 1;
  let same = 0;
  while (same < was.length - start && same < is.length - start && was[was.length - 1 - same] === is[is.length - 1 - same]) same += 1;
  const [gone, come] = [was.slice(start, was.length - same), is.slice(start, is.length - same)];
  return [{ oldStart: start + 1, oldLines: gone.length, newStart: start + 1, newLines: come.length, lines: [...gone.map((line) => `-${line}`), ...come.map((line) => `+${line}`)] }];
}

function capped({ path, kind, all: full }: { readonly path: string; readonly kind: Diff['kind']; readonly all: readonly DiffHunk[] }): Diff {
  const all = full.flatMap((hunk) => hunk.lines);
  const hunks: DiffHunk[] = [];
  let room = maxDiffLines;
  for (const hunk of full) {
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

function linesOf(text: string): readonly string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}

function lineCount(text: string): number {
  if (text === '') return 0;
  let count = text.endsWith('\n') ? 0 : 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
