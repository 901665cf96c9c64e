import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { MergeConflictView, WorktreeFileView, WorktreeView } from '../../extension/protocol/worktree';
import { useApp, useUi } from '../store/appContext';
import { Button } from '../ui/Button';
import { Counts } from '../ui/DiffView';
import { plural } from '../ui/format';
import { Icon } from '../ui/Icon';
import { IconButton } from '../ui/IconButton';
import { Menu } from '../ui/Menu';
import { ConflictList } from './ConflictList';
import { FileList } from './FileList';
import { MergeSheet, type TakeOutcome } from './MergeSheet';
import { fileCount, fileKey, stateWords, tickKey } from './reviewWords';

export interface Owner {
  readonly name: string;
  /** The name, or the title of the session where its conversation is. */
  readonly label: string;
  readonly isWorking: boolean;
}

export interface WorktreeCardProps {
  readonly worktree: WorktreeView;
  readonly owner: Owner;
  readonly onShowOwner: () => void;
  readonly onTaken: (kind: 'merge' | 'apply', outcome: TakeOutcome, branch: string) => void;
  readonly onAskAgent: (into: string, conflicts: readonly MergeConflictView[]) => void;
  readonly onDiscard: () => void;
}

const noTicks: readonly string[] = [];

/** One agent's work: what it is, its files, and the one decision about it. */
export function WorktreeCard(props: WorktreeCardProps) {
  const { worktree } = props;
  const { ui, actions } = useApp();
  const rowId = `worktree:${worktree.name}`;
  const isOpen = useUi((state) => state.openRows.get(rowId) ?? true);
  const ticks = useUi((state) => state.reviewed[tickKey(worktree)] ?? noTicks);
  const [sheet, setSheet] = useState<'closed' | 'open' | 'left'>('closed');
  const ticked = new Set(ticks);
  const tick = (file: WorktreeFileView, isTicked: boolean): void => {
    const others = ticks.filter((key) => key !== fileKey(file));
    ui.setReviewed(tickKey(worktree), isTicked ? [...others, fileKey(file)] : others);
  };
  return (
    <section className="rev block" aria-label={`Worktree ${worktree.name}`}>
      <div className="rh">
        <h3 className="cut">
          <button type="button" aria-expanded={isOpen} title={`${worktree.name}\n${worktree.path}`} onClick={() => ui.setRowOpen(rowId, !isOpen)}>
            <Icon name={isOpen ? 'chevron-down' : 'chevron-right'} />
            <span className="cut">{worktree.name}</span>
          </button>
        </h3>
        <span className="muted cut branch" title={`Branch ${worktree.branch}`}>
          {worktree.branch}
        </span>
        <span className="meta">
          <Counts added={worktree.added} removed={worktree.removed} />
        </span>
      </div>
      <Facts {...props} />
      {isOpen ? (
        <FileList
          label={`Files of ${worktree.name}`}
          files={worktree.files}
          moreFiles={worktree.moreFiles}
          ticked={ticked}
          onTick={tick}
          onOpen={(path) => void actions.call('worktree/openDiff', { name: worktree.name, path })}
        />
      ) : null}
      {sheet === 'open' ? (
        <MergeSheet
          worktree={worktree}
          owner={props.owner.name}
          onTaken={(take, outcome, branch) => {
            setSheet('closed');
            props.onTaken(take.kind, outcome, branch);
          }}
          onAskAgent={(into, conflicts) => {
            setSheet('left');
            props.onAskAgent(into, conflicts);
          }}
          onCancel={() => setSheet('left')}
        />
      ) : (
        <ActionBar worktree={worktree} owner={props.owner} takesFocus={sheet === 'left'} onMerge={() => setSheet('open')} onDiscard={props.onDiscard} />
      )}
    </section>
  );
}

function Facts({ worktree, owner, onShowOwner, onAskAgent }: WorktreeCardProps) {
  const isWorking = worktree.state === 'active' && owner.isWorking;
  const state = isWorking ? { icon: 'loading', tone: 'run' as const, word: 'Still working' } : stateWords[worktree.state];
  const uncommitted = worktree.files.filter((file) => file.isUncommitted).length;
  return (
    <>
      <div className="gates">
        <span>
          <Icon name={state.icon} tone={state.tone} spin={state.icon === 'loading'} />
          {state.word}
        </span>
        <button type="button" className="lnk" title={`Show the conversation of ${owner.name}`} onClick={onShowOwner}>
          <Icon name="hubot" tone="off" />
          <span className="cut">{owner.label}</span>
        </button>
        {worktree.commits > 0 ? (
          <span>
            <Icon name="git-commit" tone="off" />
            {plural(worktree.commits, 'commit')}
          </span>
        ) : null}
        {uncommitted > 0 ? (
          <span>
            <Icon name="circle-outline" tone="off" />
            {`${uncommitted} not committed`}
          </span>
        ) : null}
        {worktree.isApplied ? (
          <span title="Its changes are in your files, without a commit">
            <Icon name="check" tone="ok" />
            Applied
          </span>
        ) : null}
      </div>
      {worktree.problem ? <Inline icon="error">{worktree.problem}</Inline> : null}
      {worktree.conflicts.length > 0 ? (
        <div className="inset-card">
          <ConflictList conflicts={worktree.conflicts} />
          <button type="button" className="lnk ask-agent" onClick={() => onAskAgent('your branch', worktree.conflicts)}>
            <Icon name="comment" tone="off" />
            <span>{`Ask ${owner.name} to resolve`}</span>
          </button>
        </div>
      ) : null}
      {worktree.skipped.length > 0 ? (
        <Inline icon="info">
          {`Left out, because ${worktree.skipped.length === 1 ? 'it' : 'they'} could not be read or ${worktree.skipped.length === 1 ? 'is' : 'are'} too large: `}
          <span className="mono">{worktree.skipped.slice(0, 4).join(', ')}</span>
          {worktree.skipped.length > 4 ? ` and ${worktree.skipped.length - 4} more` : ''}
        </Inline>
      ) : null}
    </>
  );
}

function Inline({ icon, children }: { readonly icon: 'error' | 'info'; readonly children: ReactNode }) {
  return (
    <p className="inline">
      <Icon name={icon} tone={icon === 'error' ? 'err' : 'off'} />
      <span>{children}</span>
    </p>
  );
}

interface ActionBarProps {
  readonly worktree: WorktreeView;
  readonly owner: Owner;
  /** The sheet this button had opened was left: the keyboard comes back to it. */
  readonly takesFocus: boolean;
  readonly onMerge: () => void;
  readonly onDiscard: () => void;
}

const places = [
  { id: 'terminal', label: 'Open in a terminal', icon: 'terminal' },
  { id: 'window', label: 'Open in a new window', icon: 'empty-window' },
] as const;

function ActionBar({ worktree, owner, takesFocus, onMerge, onDiscard }: ActionBarProps) {
  const { actions } = useApp();
  const [menu, setMenu] = useState(false);
  const more = useRef<HTMLButtonElement>(null);
  const mergeButton = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    if (takesFocus) mergeButton.current?.querySelector<HTMLElement>('vscode-button')?.focus();
  }, [takesFocus]);
  const { name } = worktree;
  const files = fileCount(worktree);
  const isWorking = worktree.state === 'active' && owner.isWorking;
  const canMerge = !isWorking && (worktree.state === 'active' || worktree.state === 'ready' || worktree.state === 'conflicted') && (files > 0 || worktree.commits > 0);
  const close = (): void => {
    setMenu(false);
    more.current?.focus();
  };
  return (
    <div className="acts-bar">
      {files > 0 ? (
        <Button kind={isWorking ? 'secondary' : 'primary'} onClick={() => void actions.call('worktree/openDiff', { name })}>
          <span>
            {`Review ${files}`}
            <span className="w">{files === 1 ? ' file' : ' files'}</span>
          </span>
        </Button>
      ) : (
        <span className="muted small">No changes</span>
      )}
      {canMerge ? (
        <span ref={mergeButton} className="merge-button">
          <Button label={`Merge ${name}…`} onClick={onMerge}>
            Merge…
          </Button>
        </span>
      ) : null}
      <span className="grow" />
      <IconButton ref={more} icon="ellipsis" label={`More for ${name}`} expanded={menu} popup="menu" onClick={() => setMenu(!menu)} />
      {worktree.state === 'discarded' || worktree.state === 'merging' || isWorking ? null : <IconButton icon="trash" label={`Discard ${name}`} onClick={onDiscard} />}
      {menu ? (
        <Menu
          className="card-menu"
          label={`More for ${name}`}
          items={places}
          onClose={close}
          onPick={(id) => {
            close();
            void actions.call('worktree/open', { name, where: id === 'window' ? 'window' : 'terminal' });
          }}
        />
      ) : null}
    </div>
  );
}
