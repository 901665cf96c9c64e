import type { QueuedMessage } from '../../extension/protocol/view';
import { Icon } from '../ui/Icon';
import { IconButton } from '../ui/IconButton';

interface QueueListProps {
  readonly queue: readonly QueuedMessage[];
  readonly onEdit: (message: QueuedMessage) => void;
  readonly onRemove: (message: QueuedMessage) => void;
  readonly onSendNow: (message: QueuedMessage) => void;
}

/** What was sent while the agent works: not read by it yet, so it can still be changed or taken back. */
export function QueueList({ queue, onEdit, onRemove, onSendNow }: QueueListProps) {
  const [first] = queue;
  if (!first) return null;
  return (
    <div className="queue" role="group" aria-label="Queued messages">
      <div className="sec">
        Queued<span className="badge">{queue.length}</span>
        <span className="grow" />
        <button type="button" className="btn flat" title="Goes in at the next step, without waiting for the end" onClick={() => onSendNow(first)}>
          Send now
        </button>
      </div>
      {queue.map((message, i) => (
        <div key={message.queueId} className="row still">
          <Icon name="clock" tone="off" />
          <span className="name grow" title={message.text}>
            {message.text || 'Attachments only'}
          </span>
          <span className="acts shown">
            <IconButton icon="edit" label={`Edit message ${i + 1}`} onClick={() => onEdit(message)} />
            <IconButton icon="close" label={`Remove message ${i + 1}`} onClick={() => onRemove(message)} />
          </span>
        </div>
      ))}
    </div>
  );
}
