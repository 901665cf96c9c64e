import { useEffect, useRef } from 'react';
import { Icon } from '../ui/Icon';
import { marked } from './suggest';
import type { Suggestion } from './useSuggestions';

interface SuggestListProps {
  readonly id: string;
  readonly label: string;
  readonly suggestions: readonly Suggestion[];
  readonly current: number;
  readonly onPick: (suggestion: Suggestion) => void;
}

/** Opens upwards over the chat; the keyboard stays in the message box, which names the current option. */
export function SuggestList({ id, label, suggestions, current, onPick }: SuggestListProps) {
  const box = useRef<HTMLDivElement>(null);
  const currentId = suggestions[current]?.id;
  useEffect(() => {
    if (currentId !== undefined) box.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }, [currentId]);
  return (
    <div className="pop">
      <div ref={box} role="listbox" id={id} aria-label={label} className="options">
        {suggestions.map((suggestion, i) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/useFocusableInteractive: the keys are the message box's
          <div
            key={suggestion.id}
            id={`${id}-${i}`}
            role="option"
            aria-selected={i === current}
            className="row"
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => onPick(suggestion)}
          >
            <Icon name={suggestion.icon} />
            <span className="name">{marked(suggestion.name, suggestion.at).map((part) => (part.hit ? <mark key={part.at}>{part.text}</mark> : part.text))}</span>
            <span className="desc">{suggestion.detail}</span>
            {suggestion.tag ? (
              <span className="meta">
                <span className="tag">
                  <span className="cut">{suggestion.tag}</span>
                </span>
              </span>
            ) : null}
          </div>
        ))}
      </div>
      {suggestions[current]?.about ? <div className="foot">{suggestions[current].about}</div> : null}
    </div>
  );
}
