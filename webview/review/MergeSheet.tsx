import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import type { MethodResult, Params } from '../../extension/protocol/methods';
import type { MergeConflictView, MergePreviewView, WorktreeView } from '../../extension/protocol/worktree';
import { useApp } from '../store/appContext';
import { Button } from '../ui/Button';
import { plural } from '../ui/format';
import { Icon } from '../ui/Icon';
import { Spinner } from '../ui/Spinner';
import { ConflictList } from './ConflictList';
import { isOwnConflict } from './reviewWords';

type Take = Params<'worktree/take'>;
export type TakeOutcome = MethodResult<'worktree/take'>;

interface MergeSheetProps {
  readonly worktree: WorktreeView;
  readonly owner: string;
  readonly onTaken: (take: Take, outcome: TakeOutcome, branch: string) => void;
  readonly onAskAgent: (into: string, conflicts: readonly MergeConflictView[]) => void;
  readonly onCancel: () => void;
}

const noBranch = 'the commit you have checked out';

/** What would happen, said before it happens: which branch, which files, what is in the way. */
export function MergeSheet({ worktree, owner, onTaken, onAskAgent, onCancel }: MergeSheetProps) {
  const { actions } = useApp();
  const [kind, setKind] = useState<Take['kind']>('merge');
  const [into, setInto] = useState<string | undefined>();
  const [message, setMessage] = useState('');
  const [busy, setBusy] = useState(false);
  const [refused, setRefused] = useState<TakeOutcome | undefined>();
  const branches = useBranches(worktree.branch);
  const take: Take = { name: worktree.name, kind, ...(kind === 'merge' && into !== undefined ? { into } : {}) };
  const preview = usePreview(take, worktree);
  const group = useId();
  const first = useRef<HTMLInputElement>(null);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => first.current?.focus(), []);
  const branch = preview?.branch ?? (kind === 'merge' ? into : undefined) ?? branches?.current ?? noBranch;
  const conflicts = refused?.conflicts.length ? refused.conflicts : (preview?.conflicts ?? []);
  const problem = refused?.problem ?? preview?.problem;
  const isBlocked = problem !== undefined || conflicts.length > 0;
  const change = (run: () => void): void => {
    setRefused(undefined);
    run();
  };
  const run = async (): Promise<void> => {
    setBusy(true);
    const full = kind === 'merge' && message.trim() !== '' ? { ...take, message: message.trim() } : take;
    const outcome = await actions.call('worktree/take', full);
    setBusy(false);
    if (outcome?.problem !== undefined) {
      setRefused(outcome);
      box.current?.focus(); // the button that was pressed goes
    } else if (outcome) onTaken(full, outcome, branch);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape') return;
    event.stopPropagation();
    onCancel();
  };
  return (
    <div ref={box} className="peek merge" role="dialog" tabIndex={-1} aria-label={`Take in ${worktree.name}`} onKeyDown={onKeyDown}>
      <fieldset>
        <legend className="lab">How</legend>
        <label className="opt">
          <input ref={first} type="radio" name={group} checked={kind === 'merge'} onChange={() => change(() => setKind('merge'))} />
          <span>
            Merge<small>Ends in a commit on the branch</small>
          </span>
        </label>
        <label className="opt">
          <input type="radio" name={group} checked={kind === 'apply'} onChange={() => change(() => setKind('apply'))} />
          <span>
            Apply to your files<small>No commit; you look at it and commit yourself</small>
          </span>
        </label>
      </fieldset>
      {kind === 'merge' && branches && branches.branches.length > 0 ? (
        <div className="inset">
          <label className="lab flat" htmlFor={`${group}-into`}>
            Into
          </label>
          <select
            id={`${group}-into`}
            className="field"
            value={into ?? branches.current ?? ''}
            onChange={(event) => change(() => setInto(event.target.value === branches.current ? undefined : event.target.value))}
          >
            {branches.current === null ? <option value="">(no branch is checked out)</option> : null}
            {branches.branches.map((name) => (
              <option key={name} value={name}>
                {name === branches.current ? `${name} (checked out)` : name}
              </option>
            ))}
          </select>
        </div>
      ) : null}
      {kind === 'merge' && worktree.files.some((file) => file.isUncommitted) ? (
        <div className="inset">
          <label className="lab flat" htmlFor={`${group}-message`}>
            Commit message
          </label>
          <input
            id={`${group}-message`}
            className="field"
            value={message}
            placeholder={`Changes from worktree ${worktree.name}`}
            onChange={(event) => setMessage(event.target.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && !event.nativeEvent.isComposing && preview && !isBlocked && !busy) void run();
            }}
          />
        </div>
      ) : null}
      {preview ? (
        <Effect kind={kind} branch={branch} preview={preview} problem={problem} conflicts={conflicts} />
      ) : (
        <p className="inset">
          <Spinner word="Looking at what would change" />
        </p>
      )}
      <div className="acts">
        {isBlocked ? (
          conflicts.length > 0 ? (
            <Button kind="primary" onClick={() => onAskAgent(branch, conflicts)}>{`Ask ${owner} to resolve`}</Button>
          ) : null
        ) : (
          <Button kind="primary" disabled={busy || preview === undefined} onClick={() => void run()}>
            {kind === 'merge' ? `Merge into ${branch}` : 'Apply to your files'}
          </Button>
        )}
        <Button onClick={onCancel}>Cancel</Button>
      </div>
    </div>
  );
}

interface EffectProps {
  readonly kind: Take['kind'];
  readonly branch: string;
  readonly preview: MergePreviewView;
  readonly problem: string | undefined;
  readonly conflicts: readonly MergeConflictView[];
}

const shownFiles = 6;

function Effect({ kind, branch, preview, problem, conflicts }: EffectProps) {
  if (problem !== undefined || conflicts.length > 0) {
    return (
      <div className="effect" role="alert">
        <p>
          <Icon name="warning" tone="warn" />
          <span>{conflicts.length > 0 ? `This does not go into ${branch} as it is. Nothing was changed.` : problem}</span>
        </p>
        <ConflictList conflicts={conflicts} />
        {conflicts.some(isOwnConflict) ? <p className="quiet-line">Commit your own changes in these files, or put them away, and try again.</p> : null}
      </div>
    );
  }
  const rest = preview.files.length - shownFiles;
  return (
    <div className="effect">
      <p>
        <Icon name={kind === 'merge' ? 'git-merge' : 'edit'} tone="off" />
        <span>{effectWords(kind, branch, preview)}</span>
      </p>
      {preview.isDirty ? (
        <p>
          <Icon name="info" tone="off" />
          <span>You have uncommitted changes there. They stay as they are, and a copy is kept first.</span>
        </p>
      ) : null}
      <ul className="paths" aria-label="Files that change">
        {preview.files.slice(0, shownFiles).map((path) => (
          <li key={path} className="mono cut" title={path}>
            {path}
          </li>
        ))}
        {rest > 0 ? <li className="more">{`and ${plural(rest, 'more file')}`}</li> : null}
      </ul>
    </div>
  );
}

function effectWords(kind: Take['kind'], branch: string, preview: MergePreviewView): string {
  const files = plural(preview.files.length, 'file');
  if (kind === 'apply') return `${files} of yours ${preview.files.length === 1 ? 'changes' : 'change'}; nothing is committed.`;
  const how = preview.isFastForward ? `${branch} moves forward to it` : `A merge commit on ${branch}`;
  return preview.files.length === 0 ? `${how}; no file you have checked out changes.` : `${how}: ${files}.`;
}

/** Without the worktree's own branch: there is nothing to merge into itself. */
function useBranches(own: string): MethodResult<'worktree/branches'> | undefined {
  const { actions } = useApp();
  const [found, setFound] = useState<MethodResult<'worktree/branches'> | undefined>();
  useEffect(() => {
    void actions.call('worktree/branches', {}).then((reply) => reply && setFound({ ...reply, branches: reply.branches.filter((name) => name !== own) }));
  }, [actions, own]);
  return found;
}

/** Asked anew when the choice or the work changes; an answer that comes too late is dropped. */
function usePreview(take: Take, worktree: WorktreeView): MergePreviewView | undefined {
  const { actions } = useApp();
  const [found, setFound] = useState<{ readonly key: string; readonly preview: MergePreviewView } | undefined>();
  const work = `${worktree.commits} ${worktree.added} ${worktree.removed} ${worktree.files.length}`;
  const key = `${take.name} ${take.kind} ${take.into ?? ''} ${work}`;
  const wanted = useRef(take);
  wanted.current = take;
  useEffect(() => {
    void actions.call('worktree/preview', wanted.current).then((preview) => preview && setFound({ key, preview }));
  }, [actions, key]);
  return found?.key === key ? found.preview : undefined;
}
