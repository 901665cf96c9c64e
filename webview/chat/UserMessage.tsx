import { memo, type MouseEvent, useRef, useState } from 'react';
import type { Attachment } from '../../extension/protocol/interaction';
import type { UserEntry } from '../../extension/protocol/view';
import { useApp, useView } from '../store/appContext';
import { CopyButton } from '../ui/CopyButton';
import { clock } from '../ui/format';
import { Icon } from '../ui/Icon';
import { IconButton } from '../ui/IconButton';
import { Menu, type MenuItem } from '../ui/Menu';
import { attachmentIcon, attachmentLabel } from '../composer/attachmentWords';
import { UndoneTurn } from './UndoneTurn';

interface UserMessageProps {
  readonly entry: UserEntry;
  /** Who wrote it, where it was another agent. */
  readonly sender: string;
  /** While the agent works nothing is undone under its hands. */
  readonly isWorking: boolean;
}

/** What the person sent. A message that came from elsewhere (a skill, another agent) is one quiet line. */
export const UserMessage = memo(function UserMessage({ entry, sender, isWorking }: UserMessageProps) {
  return entry.origin === 'person' ? <Said entry={entry} isWorking={isWorking} /> : <Elsewhere entry={entry} sender={sender} />;
});

function Said({ entry, isWorking }: { readonly entry: UserEntry; readonly isWorking: boolean }) {
  const { actions } = useApp();
  const turn = useView((view) => view.undo[entry.turnId]);
  const undo = entry.steering ? undefined : turn;
  const [menu, setMenu] = useState(false);
  const message = useRef<HTMLDivElement>(null);
  const canUndo = undo?.state === 'ready' && !isWorking;
  const onContextMenu = (event: MouseEvent): void => {
    if (!canUndo || getSelection()?.isCollapsed === false) return;
    event.preventDefault();
    setMenu(true);
  };
  const close = (): void => {
    setMenu(false);
    message.current?.querySelector<HTMLElement>('.hov button')?.focus();
  };
  return (
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: a menu over the buttons it has; Shift+F10 on one of them opens it too */}
      <div className="ask" onContextMenu={onContextMenu}>
        <div ref={message}>
          {entry.steering ? <p className="steer">Sent while it worked</p> : null}
          {entry.attachments.length > 0 ? (
            <ul className="chips" aria-label="Attached">
              {entry.attachments.map((attachment) => (
                <Attached key={attachmentLabel(attachment)} attachment={attachment} />
              ))}
            </ul>
          ) : null}
          <p className="said">{entry.text}</p>
          <span className="hov">
            <time>{clock(entry.atMs)}</time>
            <CopyButton text={entry.text} label="Copy message" />
            {undo?.state === 'ready' ? (
              <IconButton
                icon="discard"
                label={isWorking ? 'Undo this turn: stop the agent first' : 'Undo this turn'}
                isOff={isWorking}
                onClick={() => void actions.undoTurn(entry.turnId)}
              />
            ) : undo?.state === 'off' ? (
              <IconButton icon="discard" label={`This turn can’t be undone: ${undo.reason}`} isOff onClick={() => undefined} />
            ) : null}
          </span>
        </div>
        {menu ? (
          <span className="ask-menu">
            <Menu
              className="card-menu"
              label="This message"
              items={messageItems}
              onClose={close}
              onPick={(id) => {
                close();
                if (id === 'undo') void actions.undoTurn(entry.turnId);
                else void navigator.clipboard.writeText(entry.text);
              }}
            />
          </span>
        ) : null}
      </div>
      {undo?.state === 'undone' ? <UndoneTurn report={undo.report} isWorking={isWorking} onRedo={(backup) => void actions.redoTurn(entry.turnId, backup)} /> : null}
    </>
  );
}

const messageItems: readonly MenuItem[] = [
  { id: 'undo', label: 'Undo this turn', icon: 'discard' },
  { id: 'copy', label: 'Copy message', icon: 'copy' },
];

function Attached({ attachment }: { readonly attachment: Attachment }) {
  if (attachment.kind === 'image') {
    return (
      <li>
        <img className="thumb" src={`data:${attachment.mediaType};base64,${attachment.data}`} alt={attachment.name} />
      </li>
    );
  }
  return (
    <li className="chip">
      <Icon name={attachmentIcon(attachment)} />
      <span className="cut">{attachmentLabel(attachment)}</span>
    </li>
  );
}

/** A brief or a mail of another agent carries its name: that is who asked for what follows. */
function Elsewhere({ entry, sender }: { readonly entry: UserEntry; readonly sender: string }) {
  const first = entry.text.trim().split('\n')[0] ?? '';
  const { icon, word } = elsewhereWords(entry, sender);
  return (
    <details className="fold">
      <summary className="row">
        <Icon name={icon} tone="off" />
        <span className="name">{word}</span>
        <span className="desc keep">{first}</span>
      </summary>
      <div className="body">
        <p className="said small">{entry.text}</p>
      </div>
    </details>
  );
}

function elsewhereWords(entry: UserEntry, sender: string): { readonly icon: string; readonly word: string } {
  if (entry.origin === 'skill') return { icon: 'lightbulb', word: 'Skill' };
  if (entry.origin === 'agent') return { icon: 'mail', word: sender };
  return { icon: 'info', word: 'Note' };
}
