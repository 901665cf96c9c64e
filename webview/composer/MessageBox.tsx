import { type ClipboardEvent, type KeyboardEvent, type Ref, useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import type { Draft } from '../store/uiState';
import type { Attachment } from '../../extension/protocol/interaction';
import { picturesOf } from './dropped';
import { SuggestList } from './SuggestList';
import { replaceTrigger, triggerAt } from './suggest';
import { type Suggestion, useSuggestions } from './useSuggestions';

interface MessageBoxProps {
  readonly ref: Ref<HTMLTextAreaElement>;
  readonly draft: Draft;
  readonly placeholder: string;
  readonly onChange: (draft: Draft) => void;
  readonly onAttach: (attachments: readonly Attachment[]) => void;
  readonly onSend: () => void;
  readonly onEscape: () => void;
  /** Up in an empty box. @returns whether it did something. */
  readonly onUp: () => boolean;
}

/** The text of a message with its `/` and `@` lists. A native textarea: the lists need `aria-activedescendant` in the same tree. */
export function MessageBox({ ref, draft, placeholder, onChange, onAttach, onSend, onEscape, onUp }: MessageBoxProps) {
  const listId = useId();
  const [caret, setCaret] = useState(draft.text.length);
  const [dismissed, setDismissed] = useState<string | undefined>();
  const [current, setCurrent] = useState(0);
  const nextCaret = useRef<{ element: HTMLTextAreaElement; at: number } | undefined>(undefined);
  const trigger = triggerAt(draft.text, caret);
  const key = trigger ? `${trigger.kind}${trigger.start}` : undefined;
  const suggestions = useSuggestions(trigger && key !== dismissed ? trigger : undefined);
  const open = suggestions.length > 0;
  const at = Math.min(current, suggestions.length - 1);
  useLayoutEffect(() => {
    nextCaret.current?.element.setSelectionRange(nextCaret.current.at, nextCaret.current.at);
    nextCaret.current = undefined;
  });
  // A list that is opened anew starts at its best match.
  useEffect(() => {
    if (trigger?.query !== undefined) setCurrent(0);
    if (!key) setDismissed(undefined);
  }, [trigger?.query, key]);

  const pick = (suggestion: Suggestion, element: HTMLTextAreaElement | null): void => {
    if (!trigger) return;
    const replaced = replaceTrigger(draft.text, trigger, suggestion.insert);
    if (element) nextCaret.current = { element, at: replaced.caret };
    setCaret(replaced.caret);
    onChange({ ...draft, text: replaced.text });
  };
  const box = useRef<HTMLTextAreaElement>(null);
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>): void => {
    if (event.nativeEvent.isComposing) return;
    const suggestion = suggestions[at];
    // A name typed to its end is meant as it stands: Enter sends it.
    const isWhole = event.key === 'Enter' && trigger?.kind === 'skill' && suggestion?.insert === draft.text;
    if (open && suggestion && listKey(event) && !isWhole) {
      event.preventDefault();
      if (event.key === 'Escape') setDismissed(key);
      else if (event.key === 'ArrowDown') setCurrent((at + 1) % suggestions.length);
      else if (event.key === 'ArrowUp') setCurrent((at - 1 + suggestions.length) % suggestions.length);
      else pick(suggestion, event.currentTarget);
      return;
    }
    if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      if (!event.altKey && !event.ctrlKey && !event.metaKey) onSend();
    } else if (event.key === 'Escape') onEscape();
    else if (event.key === 'ArrowUp' && draft.text === '' && onUp()) event.preventDefault();
  };
  return (
    <>
      {open ? <SuggestList id={listId} label={trigger?.kind === 'skill' ? 'Skills' : 'Files'} suggestions={suggestions} current={at} onPick={(s) => pick(s, box.current)} /> : null}
      <textarea
        ref={(element) => {
          box.current = element;
          if (typeof ref === 'function') ref(element);
          else if (ref) ref.current = element;
        }}
        rows={1}
        aria-label="Message"
        placeholder={placeholder}
        value={draft.text}
        aria-autocomplete="list"
        aria-haspopup="listbox"
        aria-controls={open ? listId : undefined}
        aria-activedescendant={open ? `${listId}-${at}` : undefined}
        onChange={(event) => {
          setCaret(event.target.selectionStart);
          onChange({ ...draft, text: event.target.value });
        }}
        onSelect={(event) => setCaret(event.currentTarget.selectionStart)}
        onKeyDown={onKeyDown}
        onPaste={(event) => pasted(event, onAttach)}
      />
    </>
  );
}

function listKey(event: KeyboardEvent): boolean {
  return ['ArrowDown', 'ArrowUp', 'Escape', 'Tab'].includes(event.key) || (event.key === 'Enter' && !event.shiftKey);
}

function pasted(event: ClipboardEvent, onAttach: MessageBoxProps['onAttach']): void {
  const files = Array.from(event.clipboardData.files);
  if (files.length === 0 || event.clipboardData.getData('text/plain') !== '') return;
  event.preventDefault();
  void picturesOf(files).then(onAttach);
}
