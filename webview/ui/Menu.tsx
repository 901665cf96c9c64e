import { Fragment, useEffect, useRef } from 'react';
import { Icon } from './Icon';
import { useCloseOutside } from './useCloseOutside';
import { useRovingFocus } from './useRovingFocus';

export interface MenuItem {
  readonly id: string;
  readonly label: string;
  readonly detail?: string;
  readonly icon?: string;
  /** Set on the items of a choice: true on the one that holds now. */
  readonly checked?: boolean;
  /** A line above it. */
  readonly separated?: boolean;
}

interface MenuProps {
  readonly label: string;
  readonly items: readonly MenuItem[];
  readonly onPick: (id: string) => void;
  readonly onClose: () => void;
  readonly className?: string;
  readonly note?: string;
}

/** Opened by the person, so it takes the focus; whoever opened it gives the focus back in `onClose`. */
export function Menu({ label, items, onPick, onClose, className = '', note }: MenuProps) {
  const box = useRef<HTMLDivElement>(null);
  const move = useRovingFocus(box, { items: '[role^=menuitem]', axis: 'vertical', typeAhead: true });
  useEffect(() => {
    const first = box.current?.querySelector<HTMLElement>('[aria-checked=true]') ?? box.current?.querySelector<HTMLElement>('[role^=menuitem]');
    first?.focus();
  }, []);
  useCloseOutside(box, onClose);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys of the items bubble up to it
    <div
      ref={box}
      className={`menu ${className}`}
      onKeyDown={(event) => {
        if (event.key === 'Escape' || event.key === 'Tab') {
          event.preventDefault();
          event.stopPropagation();
          onClose();
        } else move(event);
      }}
      onBlur={(event) => {
        if (event.relatedTarget && !event.currentTarget.contains(event.relatedTarget)) onClose();
      }}
    >
      <div role="menu" aria-label={label}>
        {items.map((item) => (
          <Fragment key={item.id}>
            {item.separated ? <hr /> : null}
            {/* biome-ignore lint/a11y/useAriaPropsSupportedByRole: set only where the role is menuitemradio */}
            <button
              type="button"
              role={item.checked === undefined ? 'menuitem' : 'menuitemradio'}
              aria-checked={item.checked}
              aria-label={item.detail ? `${item.label}. ${item.detail}` : item.label}
              tabIndex={-1}
              onClick={() => onPick(item.id)}
            >
              <Icon name={item.checked ? 'check' : (item.icon ?? 'blank')} />
              <span className="grow">
                {item.label}
                {item.detail ? <small>{item.detail}</small> : null}
              </span>
            </button>
          </Fragment>
        ))}
      </div>
      {note ? <p className="menu-note">{note}</p> : null}
    </div>
  );
}
