import { fieldValue } from './toolkitElements';

interface TextAreaProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly rows?: number;
  readonly placeholder?: string;
  readonly className?: string;
}

export function TextArea({ label, value, onChange, rows = 2, placeholder, className }: TextAreaProps) {
  return (
    <vscode-text-area className={className} rows={rows} value={value} placeholder={placeholder} onInput={(event) => onChange(fieldValue(event.currentTarget))}>
      {label}
    </vscode-text-area>
  );
}
