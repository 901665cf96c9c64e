import { useEffect, useState } from 'react';
import type { SessionSummary } from '../../extension/protocol/view';
import { Button } from '../ui/Button';
import { ago, money, plural } from '../ui/format';
import { Icon } from '../ui/Icon';
import { IconButton } from '../ui/IconButton';
import { TextField } from '../ui/TextField';
import { sessionGroups, sessionGroupTitle, sessionIcon } from './sessionWords';

interface SessionListProps {
  readonly sessions: readonly SessionSummary[];
  readonly currentId: string;
  readonly onNew: () => void;
  readonly onOpen: (sessionId: string) => void;
  readonly onRename: (sessionId: string, title: string) => void;
  readonly onDelete: (sessionId: string) => void;
}

/** Every session of this folder, those that need the person first. */
export function SessionList({ sessions, currentId, onNew, onOpen, onRename, onDelete }: SessionListProps) {
  const [asked, setAsked] = useState<{ readonly id: string; readonly what: 'rename' | 'delete' } | undefined>();
  const close = (): void => setAsked(undefined);
  return (
    <section className="sessions" aria-label="Sessions">
      <div className="sec head">
        <h3>Sessions</h3>
        <span className="grow" />
        <IconButton icon="add" label="New session" onClick={onNew} />
      </div>
      {sessions.length === 0 ? <p className="quiet-line pad">Nothing has been done in this folder yet. Sessions are kept here, each with its whole record.</p> : null}
      {sessionGroups.map((group) => {
        const inGroup = sessions.filter((s) => s.group === group).sort((a, b) => b.lastEventAtMs - a.lastEventAtMs);
        return inGroup.length === 0 ? null : (
          <div className="block" key={group}>
            <h4 className="sec">
              {sessionGroupTitle[group]}
              <span className="badge">{inGroup.length}</span>
            </h4>
            <ul>
              {inGroup.map((session) => (
                <li key={session.sessionId}>
                  {asked?.id === session.sessionId && asked.what === 'rename' ? (
                    <Rename session={session} onClose={close} onRename={onRename} />
                  ) : (
                    <SessionRow session={session} current={session.sessionId === currentId} onOpen={onOpen} onAsk={(what) => setAsked({ id: session.sessionId, what })} />
                  )}
                  {asked?.id === session.sessionId && asked.what === 'delete' ? <ConfirmDelete session={session} onClose={close} onDelete={onDelete} /> : null}
                </li>
              ))}
            </ul>
          </div>
        );
      })}
    </section>
  );
}

interface SessionRowProps {
  readonly session: SessionSummary;
  readonly current: boolean;
  readonly onOpen: (sessionId: string) => void;
  readonly onAsk: (what: 'rename' | 'delete') => void;
}

function SessionRow({ session, current, onOpen, onAsk }: SessionRowProps) {
  const title = session.title || 'New session';
  const state =
    session.pendingAsks > 0
      ? plural(session.pendingAsks, 'request waits', 'requests wait')
      : session.readOnly
        ? 'Open in another window; follows read-only'
        : sessionGroupTitle[session.group];
  return (
    <div className="brow">
      <button type="button" className="row2" aria-current={current ? 'true' : undefined} title={title} onClick={() => onOpen(session.sessionId)}>
        <Icon {...sessionIcon[session.group]} />
        <span className="t cut">{title}</span>
        <span className="m">{ago(session.lastEventAtMs, Date.now())}</span>
        <span className="t2 cut">{state}</span>
        <span className="m2">{session.costUsd === null || session.costUsd > 0 ? money(session.costUsd) : ''}</span>
      </button>
      <span className="acts">
        <IconButton icon="edit" label={`Rename ${title}`} onClick={() => onAsk('rename')} />
        <IconButton icon="trash" label={`Delete ${title}`} onClick={() => onAsk('delete')} />
      </span>
    </div>
  );
}

function Rename({ session, onClose, onRename }: { readonly session: SessionSummary; readonly onClose: () => void; readonly onRename: SessionListProps['onRename'] }) {
  const [title, setTitle] = useState(session.title);
  const save = (): void => {
    if (title.trim() !== '') onRename(session.sessionId, title.trim());
    onClose();
  };
  return (
    <div className="peek">
      <div className="inset">
        <TextField label="Title" value={title} onChange={setTitle} onEnter={save} onEscape={onClose} />
      </div>
      <div className="acts">
        <Button kind="primary" disabled={title.trim() === ''} onClick={save}>
          Rename
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </div>
    </div>
  );
}

function ConfirmDelete({ session, onClose, onDelete }: { readonly session: SessionSummary; readonly onClose: () => void; readonly onDelete: SessionListProps['onDelete'] }) {
  const [box, setBox] = useState<HTMLDivElement | null>(null);
  useEffect(() => box?.focus(), [box]);
  return (
    <div
      className="peek"
      role="alertdialog"
      aria-label="Delete this session?"
      tabIndex={-1}
      ref={setBox}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onClose();
      }}
    >
      <p className="inset">Its conversation and record are removed from this computer. Files the agents changed stay as they are.</p>
      <div className="acts">
        <Button kind="primary" onClick={onClose}>
          Keep
        </Button>
        <Button
          onClick={() => {
            onDelete(session.sessionId);
            onClose();
          }}
        >
          Delete session
        </Button>
      </div>
    </div>
  );
}
