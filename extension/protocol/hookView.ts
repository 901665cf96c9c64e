import type { AssistantBlock } from './content';
import type { DurableEvent } from './events';
import type { ToolEntry } from './view';

/** A call with one more hook that ran for it. */
export function withHookRun(entry: ToolEntry, run: Extract<DurableEvent, { type: 'hook/ran' }>): ToolEntry {
  const { event, source, label, outcome, durationMs, output } = run;
  return { ...entry, waitsForHooks: (entry.waitsForHooks ?? []).filter((waiting) => waiting !== label), hooks: [...(entry.hooks ?? []), { event, source, label, outcome, durationMs, output }] };
}

/** Words a hook has put in place of the reply's stand where its first text was. */
export function shownContent(content: readonly AssistantBlock[], shown: string | undefined): readonly AssistantBlock[] {
  if (shown === undefined) return content;
  const first = content.findIndex((block) => block.type === 'text');
  return content.map((block, i): AssistantBlock => (block.type === 'text' ? { type: 'text', text: i === first ? shown : '' } : block));
}
