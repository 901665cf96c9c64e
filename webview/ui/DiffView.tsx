import { memo, useState } from 'react';
import type { Diff, DiffHunk } from '../../extension/protocol/toolDisplay';
import { pathParts } from './format';
import { IconButton } from './IconButton';

interface DiffViewProps {
  readonly diff: Diff;
  readonly root: string;
  /** Opens VS Code's own diff editor. */
  readonly onOpen?: () => void;
}

const shownLines = 200;

/** The hunks of one file; long ones are cut until asked for. */
export const DiffView = memo(function DiffView({ diff, root, onOpen }: DiffViewProps) {
  const [whole, setWhole] = useState(false);
  const { name, folder } = pathParts(diff.path, root);
  const total = diff.hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0);
  const hunks = whole ? diff.hunks : firstLines(diff.hunks, shownLines);
  return (
    <div className="code">
      <header>
        <span className="mono cut" title={diff.path}>
          {folder ? `${folder}/` : ''}
          {name}
        </span>
        <span className="grow" />
        <Counts added={diff.added} removed={diff.removed} />
        {onOpen ? <IconButton icon="go-to-file" label="Open diff in editor" onClick={onOpen} /> : null}
      </header>
      <pre tabIndex={0} role="group" aria-label={`Diff of ${name}`}>
        {hunks.map((hunk, i) => (
          <Hunk key={hunk.newStart} hunk={hunk} headed={i > 0 || diff.hunks.length > 1} />
        ))}
      </pre>
      {total > shownLines && !whole ? (
        <button type="button" className="btn flat" onClick={() => setWhole(true)}>
          Show all {total} lines
        </button>
      ) : null}
      {diff.cut ? <p className="cut-note">The rest was left out here. Open the diff in the editor to see it.</p> : null}
    </div>
  );
});

export function Counts({ added, removed }: { readonly added: number; readonly removed: number }) {
  return (
    <span className="num">
      <span className="sr">{`${added} lines added, ${removed} removed`}</span>
      <span aria-hidden="true">
        <ins>+{added}</ins> <del>−{removed}</del>
      </span>
    </span>
  );
}

function Hunk({ hunk, headed }: { readonly hunk: DiffHunk; readonly headed: boolean }) {
  return (
    <span className="hunk">
      {headed ? <span className="dl c">{`@@ ${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines} @@`}</span> : null}
      {hunk.lines.map((line, i) => {
        const kind = line.startsWith('+') ? ' add' : line.startsWith('-') ? ' rem' : '';
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines of one hunk never move
          <span key={i} className={`dl${kind}`} data-s={kind === ' rem' ? '−' : kind ? '+' : ' '}>
            {line.slice(1) || ' '}
          </span>
        );
      })}
    </span>
  );
}

function firstLines(hunks: readonly DiffHunk[], limit: number): readonly DiffHunk[] {
  let left = limit;
  return hunks.flatMap((hunk) => {
    const lines = hunk.lines.slice(0, Math.max(0, left));
    left -= hunk.lines.length;
    return lines.length > 0 ? [{ ...hunk, lines }] : [];
  });
}
