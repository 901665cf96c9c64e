import type { ReactNode } from 'react';
import './toolkitElements';

interface ButtonProps {
  readonly children: ReactNode;
  readonly onClick: () => void;
  /** The first button of a decision is primary; there is one. */
  readonly kind?: 'primary' | 'secondary';
  readonly disabled?: boolean;
  readonly label?: string;
  readonly title?: string;
}

/** A button of a card, a form or the dock. Rows use native buttons: there are too many of them. */
export function Button({ children, onClick, kind = 'secondary', disabled = false, label, title }: ButtonProps) {
  return (
    <vscode-button appearance={kind} disabled={disabled} aria-label={label} title={title} onClick={disabled ? undefined : onClick}>
      {children}
    </vscode-button>
  );
}
