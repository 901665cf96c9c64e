interface IconProps {
  readonly name: string;
  readonly tone?: 'run' | 'warn' | 'err' | 'ok' | 'off';
  readonly spin?: boolean;
  readonly className?: string;
}

/** A codicon. Never the only bearer of a meaning: a word stands beside it, or the button around it has a label. */
export function Icon({ name, tone, spin = false, className = '' }: IconProps) {
  return <i className={`codicon codicon-${name}${tone ? ` c-${tone}` : ''}${spin ? ' spin' : ''}${className ? ` ${className}` : ''}`} aria-hidden="true" />;
}
