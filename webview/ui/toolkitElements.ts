import { provideVSCodeDesignSystem, vsCodeButton, vsCodeTextArea, vsCodeTextField } from '@vscode/webview-ui-toolkit';
import type { DetailedHTMLProps, HTMLAttributes } from 'react';

type ToolkitElement<P> = DetailedHTMLProps<HTMLAttributes<HTMLElement>, HTMLElement> & P;

declare module 'react' {
  namespace JSX {
    interface IntrinsicElements {
      'vscode-button': ToolkitElement<{ appearance?: 'primary' | 'secondary'; disabled?: boolean; type?: 'button' | 'submit' }>;
      'vscode-text-field': ToolkitElement<{ value?: string; type?: 'text' | 'password' | 'url'; placeholder?: string; disabled?: boolean }>;
      'vscode-text-area': ToolkitElement<{ value?: string; rows?: number; placeholder?: string; resize?: 'vertical' }>;
    }
  }
}

/** Before the first render: React sets properties only on elements that are already defined. */
export function registerToolkit(): void {
  provideVSCodeDesignSystem().register(vsCodeButton(), vsCodeTextArea(), vsCodeTextField());
}

/** The text of a toolkit field after an input event. */
export function fieldValue(target: EventTarget): string {
  return 'value' in target && typeof target.value === 'string' ? target.value : '';
}
