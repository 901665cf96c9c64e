import { memo, useEffect, useState } from 'react';
import { CopyButton } from './CopyButton';
import { type CodeSpan, highlight } from './highlight';

interface CodeBlockProps {
  readonly code: string;
  readonly language: string;
  /** False while the fence is still being written; then it has no colours. */
  readonly closed: boolean;
}

/** A fenced block. Colours come when the page has nothing better to do. */
export const CodeBlock = memo(function CodeBlock({ code, language, closed }: CodeBlockProps) {
  const [spans, setSpans] = useState<readonly CodeSpan[] | undefined>();
  useEffect(() => {
    if (!closed || language === '') return;
    const idle = requestIdleCallback(() => setSpans(highlight(code, language)));
    return () => cancelIdleCallback(idle);
  }, [code, language, closed]);
  return (
    <div className="code">
      <header>
        <span className="cut">{language || 'text'}</span>
        <span className="grow" />
        <CopyButton text={code} label="Copy code" />
      </header>
      <pre tabIndex={0} role="group" aria-label={`${language || 'text'} code`}>
        {spans
          ? spans.map((span, i) =>
              span.className ? (
                <span key={spanKey(span, i)} className={span.className}>
                  {span.text}
                </span>
              ) : (
                span.text
              ),
            )
          : code}
      </pre>
    </div>
  );
});

function spanKey(span: CodeSpan, index: number): string {
  return `${index}:${span.text.length}`;
}
