import type { MergeConflictView } from '../../extension/protocol/worktree';
import { plural } from '../ui/format';
import { Icon } from '../ui/Icon';
import { conflictWords } from './reviewWords';

const shownConflicts = 8;

/** Each file by name, with why. */
export function ConflictList({ conflicts }: { readonly conflicts: readonly MergeConflictView[] }) {
  const rest = conflicts.length - shownConflicts;
  return (
    <ul className="conflicts" aria-label="Files in conflict">
      {conflicts.slice(0, shownConflicts).map((conflict) => (
        <li key={conflict.path}>
          <Icon name="git-compare" tone="warn" />
          <span>
            <span className="mono">{conflict.path}</span>: {conflictWords[conflict.reason]}
          </span>
        </li>
      ))}
      {rest > 0 ? <li className="more">{`and ${plural(rest, 'more file')}`}</li> : null}
    </ul>
  );
}
