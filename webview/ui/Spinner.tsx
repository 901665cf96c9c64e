import { Icon } from './Icon';

/** Never without a word: what is going on. */
export function Spinner({ word }: { readonly word: string }) {
  return (
    <span className="spinner">
      <Icon name="loading" tone="run" spin /> {word}
    </span>
  );
}
