import { useEffect, useState } from 'react';
import { IconButton } from './IconButton';

const shownMs = 1500;

/** Copies and says so on itself, for a moment. */
export function CopyButton({ text, label }: { readonly text: string; readonly label: string }) {
  const [outcome, setOutcome] = useState<'copied' | 'failed' | undefined>();
  useEffect(() => {
    if (!outcome) return;
    const timer = setTimeout(() => setOutcome(undefined), shownMs);
    return () => clearTimeout(timer);
  }, [outcome]);
  const copy = (): void => {
    navigator.clipboard.writeText(text).then(
      () => setOutcome('copied'),
      () => setOutcome('failed'),
    );
  };
  if (outcome === 'copied') return <IconButton icon="check" label="Copied" onClick={copy} />;
  return <IconButton icon={outcome === 'failed' ? 'error' : 'copy'} label={outcome === 'failed' ? 'Could not copy; the clipboard is not available' : label} onClick={copy} />;
}
