import * as z from 'zod';
import type { LocalPage } from '../../extension/protocol/localCommand';
import { Attachment } from '../../extension/protocol/interaction';
import { Observable } from './observable';

export const Tab = z.enum(['chat', 'agents', 'review']);
export type Tab = z.infer<typeof Tab>;

const Draft = z.strictObject({ text: z.string(), attachments: z.array(Attachment) });
export type Draft = z.infer<typeof Draft>;

/** Where the reader was: the row at the top edge and how far it was scrolled past. Absent: at the end. */
const ScrollAnchor = z.strictObject({ rowId: z.string(), offsetPx: z.number() });
export type ScrollAnchor = z.infer<typeof ScrollAnchor>;

/** What comes back after VS Code has thrown the page away and made it again. */
const Persisted = z.strictObject({
  sessionId: z.string().optional(),
  tab: Tab,
  drafts: z.record(z.string(), Draft),
  anchors: z.record(z.string(), ScrollAnchor),
  /** Ticks in the Review tab: per worktree, the files as they were when ticked. */
  reviewed: z.record(z.string(), z.array(z.string())).default({}),
});
type Persisted = z.infer<typeof Persisted>;

export interface UiState extends Persisted {
  /** Rows the person has opened or closed against their default. */
  readonly openRows: ReadonlyMap<string, boolean>;
  /** The tool call shown in the right column of the wide layout. */
  readonly selectedCallId: string | undefined;
  /** "Set up…" was chosen although a model is ready. */
  readonly setupOpen: boolean;
  /** What stands in the chat's place: the Permissions page, or what a command has to show. */
  readonly page: 'permissions' | LocalPage | undefined;
  /** What a command has done, in a sentence, until the next message. */
  readonly said: string | undefined;
  /** What the page says aloud of what the person did. */
  readonly announcement: string;
}

export const emptyDraft: Draft = { text: '', attachments: [] };
const keptDrafts = 40;

/** What this page remembers about itself; nothing here is known to the engine. */
export class UiStateStore extends Observable<UiState> {
  constructor(
    saved: unknown,
    private readonly save: (state: Persisted) => void,
  ) {
    const parsed = Persisted.safeParse(saved);
    const persisted: Persisted = parsed.success ? parsed.data : { tab: 'chat', drafts: {}, anchors: {}, reviewed: {} };
    super({ ...persisted, openRows: new Map(), selectedCallId: undefined, setupOpen: false, page: undefined, said: undefined, announcement: '' });
  }

  change(part: Partial<UiState>): void {
    this.set({ ...this.get(), ...part });
    const { sessionId, tab, drafts, anchors, reviewed } = this.get();
    this.save({ sessionId, tab, drafts: Object.fromEntries(Object.entries(drafts).map(([key, draft]) => [key, withoutPictures(draft)])), anchors, reviewed });
  }

  setDraft(key: string, draft: Draft): void {
    const { [key]: _old, ...others } = this.get().drafts;
    const kept = Object.entries(others).slice(-keptDrafts);
    const empty = draft.text === '' && draft.attachments.length === 0;
    this.change({ drafts: Object.fromEntries(empty ? kept : [...kept, [key, draft]]) });
  }

  setAnchor(key: string, anchor: ScrollAnchor | undefined): void {
    const { [key]: old, ...others } = this.get().anchors;
    if (!old && !anchor) return;
    this.change({ anchors: Object.fromEntries([...Object.entries(others).slice(-keptDrafts), ...(anchor ? [[key, anchor] as const] : [])]) });
  }

  /** @param files keys of the ticked files; an empty list forgets the worktree */
  setReviewed(worktree: string, files: readonly string[]): void {
    const { [worktree]: _old, ...others } = this.get().reviewed;
    const kept = Object.entries(others).slice(-keptDrafts);
    this.change({ reviewed: Object.fromEntries(files.length === 0 ? kept : [...kept, [worktree, [...files]]]) });
  }

  setRowOpen(rowId: string, open: boolean): void {
    this.set({ ...this.get(), openRows: new Map([...this.get().openRows, [rowId, open]]) });
  }
}

/** One per agent and session, so that a thought half written to one agent is not sent to another. */
export function draftKey(sessionId: string, agentId: string): string {
  return `${sessionId}/${agentId}`;
}

/** VS Code keeps the state as JSON in its own storage; megabytes of pictures don't belong there. */
function withoutPictures(draft: Draft): Draft {
  return draft.attachments.some((a) => a.kind === 'image') ? { ...draft, attachments: draft.attachments.filter((a) => a.kind !== 'image') } : draft;
}
