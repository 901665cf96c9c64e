import { memo } from 'react';
import type { Attachment } from '../../extension/protocol/interaction';
import type { UserEntry } from '../../extension/protocol/view';
import { CopyButton } from '../ui/CopyButton';
import { clock } from '../ui/format';
import { Icon } from '../ui/Icon';
import { attachmentIcon, attachmentLabel } from '../composer/attachmentWords';

/** What the person sent. A message that came from elsewhere (a skill, a finished agent) is one quiet line. */
export const UserMessage = memo(function UserMessage({ entry }: { readonly entry: UserEntry }) {
  if (entry.origin !== 'person') return <Elsewhere entry={entry} />;
  return (
    <div className="ask">
      <div>
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
        </span>
      </div>
    </div>
  );
});

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

function Elsewhere({ entry }: { readonly entry: UserEntry }) {
  const first = entry.text.trim().split('\n')[0] ?? '';
  return (
    <details className="fold">
      <summary className="row">
        <Icon name={entry.origin === 'skill' ? 'lightbulb' : 'info'} tone="off" />
        <span className="name">{entry.origin === 'skill' ? 'Skill' : 'Note'}</span>
        <span className="desc keep">{first}</span>
      </summary>
      <div className="body">
        <p className="said small">{entry.text}</p>
      </div>
    </details>
  );
}
