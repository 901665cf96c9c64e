import { fieldValue } from './toolkitElements';

interface TextFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly type?: 'text' | 'password' | 'url';
  readonly placeholder?: string;
  readonly onEnter?: () => void;
  readonly onEscape?: () => void;
}

export function TextField({ label, value, onChange, type = 'text', placeholder, onEnter, onEscape }: TextFieldProps) {
  return (
    <vscode-text-field
      type={type}
      value={value}
      placeholder={placeholder}
      onInput={(event) => onChange(fieldValue(event.currentTarget))}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && !event.nativeEvent.isComposing) onEnter?.();
        if (event.key === 'Escape' && onEscape) {
          event.stopPropagation();
          onEscape();
        }
      }}
    >
      {label}
    </vscode-text-field>
  );
}
