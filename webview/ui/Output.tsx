import { memo, type ReactNode, useState } from 'react';
import { CopyButton } from './CopyButton';

interface OutputProps {
  readonly text: string;
  readonly label: string;
  /** Which end matters: the last lines of a command, the first ones of a file. */
  readonly keep: 'start' | 'end';
  readonly lines?: number;
  readonly title?: ReactNode;
}

/** Text of a tool. Only so many lines are put into the page until the person asks for all of them. */
export const Output = memo(function Output({ text, label, keep, lines = 40, title }: OutputProps) {
  const [whole, setWhole] = useState(false);
  const plain = withoutAnsi(text).replace(/\n+$/, '');
  const all = plain.split('\n');
  const hidden = whole ? 0 : Math.max(0, all.length - lines);
  const shown = hidden === 0 ? plain : (keep === 'end' ? all.slice(-lines) : all.slice(0, lines)).join('\n');
  const more =
    hidden > 0 ? (
      <button type="button" className="btn flat more" onClick={() => setWhole(true)}>
        {`Show ${hidden} more ${hidden === 1 ? 'line' : 'lines'}`}
      </button>
    ) : null;
  return (
    <div className="code out">
      {title ? (
        <header>
          {title}
          <span className="grow" />
          <CopyButton text={plain} label={`Copy ${label.toLowerCase()}`} />
        </header>
      ) : null}
      {keep === 'end' ? more : null}
      <pre tabIndex={0} role="group" aria-label={label} className="wrap">
        {shown}
      </pre>
      {keep === 'start' ? more : null}
    </div>
  );
});

/** Colours and cursor moves mean nothing here. */
function withoutAnsi(text: string): string {
  return text.replace(/\u001b(\[[0-9;?]*[ -/]*[@-~]|\][^\u0007\u001b]*(\u0007|\u001b\\))/g, '');
}
