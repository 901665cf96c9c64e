import { memo } from 'react';
import { Icon } from '../ui/Icon';
import { Markdown } from '../ui/Markdown';

interface ThinkingProps {
  readonly text: string;
  readonly live: boolean;
  readonly open: boolean;
  readonly id: string;
  readonly onToggle: (rowId: string, open: boolean) => void;
  readonly onLink: (url: string) => void;
}

/** Folded: most people want the work, not the thoughts. While it thinks, its last line shows that it moves. */
export const Thinking = memo(function Thinking({ id, text, live, open, onToggle, onLink }: ThinkingProps) {
  const lastLine = live ? (text.trim().split('\n').at(-1) ?? '') : '';
  return (
    <div className="tool">
      <button type="button" className="row dim" aria-expanded={open} onClick={() => onToggle(id, !open)}>
        <Icon name={live ? 'loading' : 'thinking'} tone={live ? 'run' : 'off'} spin={live} />
        <span className="name">{live ? 'Thinking' : 'Thought'}</span>
        <span className="desc keep">{open ? '' : lastLine}</span>
        <Icon name={open ? 'chevron-down' : 'chevron-right'} className="go" />
      </button>
      {open ? (
        <div className="body thought">
          <Markdown text={text} onLink={onLink} />
        </div>
      ) : null}
    </div>
  );
});
