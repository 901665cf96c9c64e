import type { CompactionEntry } from '../../extension/protocol/view';
import { count } from '../ui/format';
import { Icon } from '../ui/Icon';
import { Markdown } from '../ui/Markdown';

interface CompactedProps {
  readonly entry: CompactionEntry;
  readonly onLink: (url: string) => void;
}

/** Where the model's memory of the conversation was replaced; what it knows instead can be read. */
export function Compacted({ entry, onLink }: CompactedProps) {
  return (
    <details className="fold">
      <summary className="row">
        <Icon name="fold" tone="off" />
        <span className="name">Earlier turns summarised</span>
        <span className="desc">{entry.trigger === 'manual' ? 'as you asked' : entry.trigger === 'overflow' ? 'the request was too long' : 'the context was nearly full'}</span>
        <span className="meta num">{`${count(entry.beforeTokens)} to ${count(entry.afterTokens)}`}</span>
      </summary>
      <div className="body">
        <Markdown text={entry.summary} streaming={false} onLink={onLink} />
      </div>
    </details>
  );
}
