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
  readonly ref?: Ref<HTMLButtonElement>;
}

export function IconButton({ icon, label, onClick, disabled, className = '', tabIndex, expanded, ref }: IconButtonProps) {
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
      onClick={(event) => {
        event.stopPropagation();
        onClick();
      }}
    >
      <Icon name={icon} />
    </button>
  );
}
