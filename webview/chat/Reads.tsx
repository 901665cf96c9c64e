import { Icon } from '../ui/Icon';
import { ToolLine, type ToolLineProps } from './ToolLine';
import { readsSummary } from './toolWords';
import type { ToolEntry } from '../../extension/protocol/view';

interface ReadsProps {
  readonly entries: readonly ToolEntry[];
  readonly open: boolean;
  readonly onToggle: (open: boolean) => void;
  readonly lineProps: (entry: ToolEntry) => ToolLineProps;
}

/** Reads in a row are one line: how many, not which; it opens to the calls. */
export function Reads({ entries, open, onToggle, lineProps }: ReadsProps) {
  const running = entries.some((entry) => entry.call.status === 'running');
  return (
    <div className="tool">
      <button type="button" className="row" aria-expanded={open} onClick={() => onToggle(!open)}>
        <Icon name={running ? 'loading' : 'search'} tone={running ? 'run' : undefined} spin={running} />
        <span className="name">{running ? 'Reading' : 'Read'}</span>
        <span className="desc keep">{readsSummary(entries)}</span>
        <Icon name={open ? 'chevron-down' : 'chevron-right'} className="go" />
      </button>
      {open ? (
        <div className="reads">
          {entries.map((entry) => (
            <ToolLine key={entry.id} {...lineProps(entry)} />
          ))}
        </div>
      ) : null}
    </div>
  );
}
