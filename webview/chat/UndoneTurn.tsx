import type { UndoReport } from '../../extension/protocol/worktree';
import { Button } from '../ui/Button';
import { plural } from '../ui/format';
import { Icon } from '../ui/Icon';

interface UndoneTurnProps {
  readonly report: UndoReport;
  readonly isWorking: boolean;
  readonly onRedo: (backup: string) => void;
}

const reasonWords: Readonly<Record<UndoReport['skipped'][number]['reason'], string>> = {
  'edited-since': 'edited since, so it was kept',
  'in-the-way': 'something else stands in its place now',
  'not-stored': 'too large to have been kept',
};
const shownFiles = 6;

/** What came back, what was left and why, and the way forward again. */
export function UndoneTurn({ report, isWorking, onRedo }: UndoneTurnProps) {
  const { restored, skipped, backup } = report;
  const rest = restored.length - shownFiles;
  return (
    <section className="undone" aria-label="This turn was undone">
      <p>
        <Icon name="discard" tone="off" />
        <span>{restored.length > 0 ? `Undone: ${plural(restored.length, 'file is', 'files are')} as before this message` : 'Undone: no file had to be put back'}</span>
      </p>
      <ul aria-label="Put back">
        {restored.slice(0, shownFiles).map((path) => (
          <li key={path} className="mono cut" title={path}>
            {path}
          </li>
        ))}
        {rest > 0 ? <li>{`and ${plural(rest, 'more file')}`}</li> : null}
      </ul>
      {skipped.length > 0 ? (
        <ul aria-label="Left as they are" className="left">
          {skipped.map(({ path, reason }) => (
            <li key={path}>
              <Icon name="warning" tone="warn" />
              <span>
                <span className="mono">{path}</span>: {reasonWords[reason]}
              </span>
            </li>
          ))}
        </ul>
      ) : null}
      {report.commitsStay ? <p className="quiet-line">Commits made in this turn stay in the history; only the files are as before.</p> : null}
      {backup === undefined ? null : (
        <Button disabled={isWorking} title="Takes the undo back" onClick={() => onRedo(backup)}>
          Redo
        </Button>
      )}
    </section>
  );
}
