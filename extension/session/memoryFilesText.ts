/** Spans of a Markdown text that are code: fences and code spans. */
function codeSpans(text: string): readonly (readonly [number, number])[] {
  const spans: [number, number][] = [];
  const fence = /^[ \t]*(`{3,}|~{3,})[^\n]*$/gm;
  for (let open = fence.exec(text); open; open = fence.exec(text)) {
    const mark = open[1] ?? '```';
    const closing = new RegExp(`^[ \\t]*${mark[0]}{${mark.length},}[ \\t]*$`, 'gm');
    closing.lastIndex = open.index + open[0].length;
    const close = closing.exec(text);
    const end = close ? close.index + close[0].length : text.length;
    spans.push([open.index, end]);
    fence.lastIndex = end;
  }
  for (const span of text.matchAll(/(`+)(?:(?!\1)[^\n])+\1/g)) {
    if (!spans.some(([start, end]) => span.index >= start && span.index < end)) spans.push([span.index, span.index + span[0].length]);
  }
  return spans;
}

/** HTML comments that begin a line are notes for people: they are taken out, but not from code. */
export function withoutBlockComments(text: string): string {
  if (!text.includes('<!--')) return text;
  const code = codeSpans(text);
  return text.replace(/^[ \t]{0,3}<!--[\s\S]*?-->[ \t]*\n?/gm, (comment, at: number) => (code.some(([start, end]) => at >= start && at < end) ? comment : ''));
}

/** Paths written as `@path` outside code, in order, each once. `\ ` is a blank in a path. */
export function importedPaths(text: string): readonly string[] {
  if (!text.includes('@')) return [];
  const code = codeSpans(text);
  const paths = new Set<string>();
  for (const match of text.matchAll(/(?<![^\s(["'])@((?:\\ |[^\s"'<>()[\]`])+)/g)) {
    if (code.some(([start, end]) => match.index >= start && match.index < end)) continue;
    const path = (match[1] ?? '').replaceAll('\\ ', ' ').replace(/[.,:;!?]+$/, '');
    if (path !== '') paths.add(path);
  }
  return [...paths];
}
