import type { TrashView } from '../../extension/protocol/worktree';
import { useApp, useUi } from '../store/appContext';
import { ago, plural } from '../ui/format';
import { Icon } from '../ui/Icon';
import { IconButton } from '../ui/IconButton';

interface TrashListProps {
  readonly trash: readonly TrashView[];
  readonly onRestore: (entry: TrashView) => void;
}

const rowId = 'trash';

/** Nothing that was discarded is gone. */
export function TrashList({ trash, onRestore }: TrashListProps) {
  const { ui } = useApp();
  const isOpen = useUi((state) => state.openRows.get(rowId) ?? true);
  const newest = [...trash].sort((a, b) => b.discardedAtMs - a.discardedAtMs);
  return (
    <section className="block trash" aria-label="Trash">
      <h3>
        <button type="button" className="sec" aria-expanded={isOpen} onClick={() => ui.setRowOpen(rowId, !isOpen)}>
          <Icon name={isOpen ? 'chevron-down' : 'chevron-right'} />
          Trash
          <span className="badge">{trash.length}</span>
        </button>
      </h3>
      {isOpen ? (
        <ul aria-label="Discarded work">
          {newest.map((entry) => (
            <li key={entry.id} className="row still" title={`${entry.name}, branch ${entry.branch}, discarded ${when(entry.discardedAtMs)}`}>
              <Icon name="archive" tone="off" />
              <span className="name">{entry.name}</span>
              <span className="desc">{`${plural(entry.files, 'file')} · ${when(entry.discardedAtMs)}`}</span>
              <span className="acts shown">
                <IconButton icon="discard" label={`Restore ${entry.name}`} onClick={() => onRestore(entry)} />
              </span>
            </li>
          ))}
        </ul>
      ) : null}
    </section>
  );
}

function when(atMs: number): string {
  const words = ago(atMs, Date.now());
  return words === 'now' ? 'just now' : /min|h$/.test(words) ? `${words} ago` : words;
}
