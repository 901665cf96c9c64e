import { memo } from 'react';
import { clock } from '../ui/format';
import { Markdown } from '../ui/Markdown';

interface AssistantTextProps {
  readonly text: string;
  readonly live: boolean;
  /** The first text of a turn says who and when. */
  readonly headed: boolean;
  readonly name: string;
  readonly model: string;
  readonly atMs: number;
  readonly onLink: (url: string) => void;
}

export const AssistantText = memo(function AssistantText({ text, live, headed, name, model, atMs, onLink }: AssistantTextProps) {
  return (
    <div className="turn">
      {headed ? (
        <div className="who">
          <b>{name}</b>
          <span className="cut">{model}</span>
          <time>{clock(atMs)}</time>
        </div>
      ) : null}
      <Markdown text={text} streaming={live} onLink={onLink} />
    </div>
  );
});
