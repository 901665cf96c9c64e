import { useEffect, useRef, useState } from 'react';
import { Button } from '../ui/Button';

interface DenySheetProps {
  readonly agent: string;
  readonly onDeny: (feedback: string) => void;
  readonly onBack: () => void;
}

/** A denial that says what to do instead is worth more than a bare one. */
export function DenySheet({ agent, onDeny, onBack }: DenySheetProps) {
  const [feedback, setFeedback] = useState('');
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
  const send = (): void => {
    if (feedback.trim() !== '') onDeny(feedback.trim());
  };
  return (
    <div className="acts">
      <textarea
        ref={field}
        className="field"
        rows={2}
        aria-label={`What should ${agent} do instead?`}
        placeholder={`Tell ${agent} what to do instead`}
        value={feedback}
        onChange={(event) => setFeedback(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
          event.preventDefault();
          send();
        }}
      />
      <Button kind="primary" disabled={feedback.trim() === ''} onClick={send}>
        Deny and send
      </Button>
      <Button onClick={onBack}>Back</Button>
    </div>
  );
}
