import { Lexer, type Token } from 'marked';

export interface MarkdownBlock {
  /** Stable while the block stands at its place. */
  readonly key: number;
  readonly start: number;
  readonly raw: string;
  readonly token: Token;
}

/** Blocks this near the end can still change when text is added: a list grows, a heading gets its underline. */
const openBlocks = 2;

/**
 * Markdown that grows at its end. Each update lexes only the tail after the last block that can't change any more,
 * and hands out the same block objects for what stayed, so that a renderer can skip them.
 */
export class MarkdownBlocks {
  private source = '';
  private blocks: readonly MarkdownBlock[] = [];
  private lastKey = 0;

  update(source: string): readonly MarkdownBlock[] {
    if (source === this.source) return this.blocks;
    const grew = source.startsWith(this.source);
    const stable = grew ? this.blocks.slice(0, this.stableCount()) : [];
    const open = grew ? this.blocks.slice(stable.length) : [];
    const last = stable.at(-1);
    const from = last ? last.start + last.raw.length : 0;
    this.source = source;
    this.blocks = [...stable, ...this.lexed(source.slice(from), from, open)];
    return this.blocks;
  }

  private stableCount(): number {
    let index = this.blocks.length;
    for (let open = 0; index > 0 && open <= openBlocks; index--) if (this.blocks[index - 1]?.token.type !== 'space') open++;
    return index;
  }

  private lexed(tail: string, from: number, open: readonly MarkdownBlock[]): MarkdownBlock[] {
    let start = from;
    return new Lexer({ gfm: true }).lex(tail).map((token, i) => {
      const old = open[i];
      const samePlace = old?.start === start && old.token.type === token.type;
      const block: MarkdownBlock = samePlace && old.raw === token.raw ? old : { key: samePlace ? old.key : ++this.lastKey, start, raw: token.raw, token };
      start += token.raw.length;
      return block;
    });
  }
}

/** Only these leave the page; the host checks again. */
export function safeLink(href: string): string | undefined {
  const cleaned = Array.from(href)
    .filter((c) => c > ' ')
    .join('');
  return /^(https?:\/\/|mailto:)/i.test(cleaned) ? cleaned : undefined;
}

/** marked escapes text for HTML; React escapes again. */
export function unescapeHtml(text: string): string {
  const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
  return text.replace(/&(amp|lt|gt|quot|#39);/g, (whole, name: string) => named[name] ?? whole);
}

/** A fence that is still being written has no closing line yet. */
export function isClosedFence(raw: string): boolean {
  const lines = raw.trimEnd().split('\n');
  const fence = /^\s*(`{3,}|~{3,})/.exec(lines[0] ?? '')?.[1];
  return !fence || (lines.length > 1 && (lines.at(-1) ?? '').trim().startsWith(fence));
}
