import type { Ref } from 'react';
import { Icon } from './Icon';

interface IconButtonProps {
  readonly icon: string;
  readonly label: string;
  readonly onClick: () => void;
  readonly disabled?: boolean;
  readonly className?: string;
  readonly tabIndex?: number;
  readonly expanded?: boolean;
  readonly popup?: 'menu';
  /** Says why it can't be used; it stays in reach of the keyboard, so that the reason can be read. */
  readonly isOff?: boolean;
  readonly ref?: Ref<HTMLButtonElement>;
}

export function IconButton({ icon, label, onClick, disabled, className = '', tabIndex, expanded, popup, isOff = false, ref }: IconButtonProps) {
  return (
    <button
      ref={ref}
      type="button"
      className={`ib ${className}`.trim()}
      aria-label={label}
      title={label}
      disabled={disabled}
      tabIndex={tabIndex}
      aria-expanded={expanded}
      aria-haspopup={popup}
      aria-disabled={isOff || undefined}
      onClick={(event) => {
        event.stopPropagation();
        if (!isOff) onClick();
      }}
    >
      <Icon name={icon} />
    </button>
  );
}
