import { memo, type ReactNode } from 'react';
import type { ToolEntry } from '../../extension/protocol/view';
import { Counts } from '../ui/DiffView';
import { duration, elapsed } from '../ui/format';
import { Icon } from '../ui/Icon';
import { Output } from '../ui/Output';
import { useNow } from '../ui/useNow';
import { ToolBody } from './ToolBody';
import { toolWords } from './toolWords';

export interface ToolLineProps {
  readonly entry: ToolEntry;
  readonly root: string;
  /** undefined: as the call's state says (failures open by themselves). */
  readonly open: boolean | undefined;
  readonly selected: boolean;
  readonly onToggle: (rowId: string, open: boolean) => void;
  readonly onOpenFile: (path: string) => void;
  readonly onOpenDiff: (callId: string) => void;
}

/** A tool call in one row; success is quiet, failure opens itself. */
export const ToolLine = memo(function ToolLine({ entry, root, open, selected, onToggle, onOpenFile, onOpenDiff }: ToolLineProps) {
  const { call } = entry;
  const words = toolWords(entry, root);
  const isOpen = open ?? (call.status === 'failed' && !selected);
  const tone = call.status === 'failed' ? 'err' : call.status === 'running' ? 'run' : undefined;
  return (
    <div className="tool">
      <button type="button" className="row" aria-expanded={isOpen} aria-current={selected ? 'true' : undefined} title={entry.title} onClick={() => onToggle(entry.id, !isOpen)}>
        <Icon name={call.status === 'running' ? 'loading' : words.icon} tone={tone} spin={call.status === 'running'} />
        <span className="name">{words.verb}</span>
        <span className={words.mono ? 'obj mono' : 'obj'}>{words.object}</span>
        <span className="desc">{words.place}</span>
        <span className="meta">
          <Figures entry={entry} />
        </span>
        <Icon name={isOpen ? 'chevron-down' : 'chevron-right'} className="go" />
      </button>
      {isOpen ? <ToolBody entry={entry} root={root} onOpenFile={onOpenFile} onOpenDiff={onOpenDiff} /> : null}
      {!isOpen && call.status === 'running' && call.output.trim() !== '' ? (
        <div className="body tail">
          <Output text={call.output} label="Output so far" keep="end" lines={5} />
        </div>
      ) : null}
    </div>
  );
});

function Figures({ entry }: { readonly entry: ToolEntry }): ReactNode {
  const { call } = entry;
  const [waitsFor] = entry.waitsForHooks ?? [];
  if (waitsFor !== undefined && (call.status === 'validating' || call.status === 'running')) return <span title={waitsFor}>{`waits for the hook ${waitsFor.length > 40 ? `${waitsFor.slice(0, 39)}…` : waitsFor}`}</span>;
  switch (call.status) {
    case 'validating':
      return <span>preparing</span>;
    case 'awaitingPermission':
      return (
        <>
          <Icon name="bell-dot" tone="warn" />
          <span>asks you</span>
        </>
      );
    case 'running':
      return <Elapsed sinceMs={call.startedAtMs} />;
    case 'completed':
      if (call.display?.kind === 'diff') return <Counts added={call.display.diff.added} removed={call.display.diff.removed} />;
      return call.note ? <span>{call.note}</span> : entry.toolKind === 'command' ? <Done ms={call.durationMs} /> : null;
    case 'failed':
      return <span>{call.note ?? `Failed · ${duration(call.durationMs)}`}</span>;
    case 'denied':
      return <span>denied</span>;
    case 'cancelled':
      return <span>cancelled</span>;
    case 'interrupted':
      return <span>interrupted</span>;
  }
}

function Done({ ms }: { readonly ms: number }) {
  return (
    <>
      <Icon name="check" tone="ok" />
      <span className="sr">succeeded in </span>
      {duration(ms)}
    </>
  );
}

function Elapsed({ sinceMs }: { readonly sinceMs: number }) {
  const now = useNow(true);
  return <span>{elapsed(now - sinceMs)}</span>;
}
