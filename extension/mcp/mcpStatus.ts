/** Where a server stands. */
export type McpStatus =
  | { readonly kind: 'idle' }
  | { readonly kind: 'connecting'; readonly attempt: number }
  | { readonly kind: 'connected'; readonly atMs: number }
  | { readonly kind: 'needsSignIn'; readonly problem: string }
  | { readonly kind: 'failed'; readonly problem: string }
  | { readonly kind: 'closed' };

export interface McpLogEntry {
  readonly atMs: number;
  readonly level: 'debug' | 'info' | 'warning' | 'error';
  readonly text: string;
}

const keptEntries = 300;
const entryChars = 2_000;

/** The last lines of what a server wrote and what happened to it. */
export class McpLog {
  private lines: McpLogEntry[] = [];

  constructor(private readonly nowMs: () => number) {}

  get entries(): readonly McpLogEntry[] {
    return this.lines;
  }

  add(level: McpLogEntry['level'], text: string): void {
    const trimmed = text.trim();
    if (trimmed === '') return;
    const cut = trimmed.length > entryChars ? `${trimmed.slice(0, entryChars)}… (${trimmed.length} characters)` : trimmed;
    this.lines = [...this.lines.slice(1 - keptEntries), { atMs: this.nowMs(), level, text: cut }];
  }

  /** The last words that can tell why it does not work, in one line. */
  lastWords(): string {
    const text = this.lines.filter((line) => line.level !== 'debug').slice(-3).map((line) => line.text.replace(/\s+/g, ' ')).join(' · ');
    return text.length > 400 ? `…${text.slice(-400)}` : text;
  }
}
