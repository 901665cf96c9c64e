import { type KeyboardEvent, type RefObject, useCallback } from 'react';

interface Roving {
  /** CSS selector of the items inside the box, in the order of the keys. */
  readonly items: string;
  readonly axis: 'horizontal' | 'vertical';
  /** Letters jump to the next item whose label starts with them. */
  readonly typeAhead?: boolean;
}

/** One tab stop for a tab list, menu or tree: arrows, Home, End and letters move within it. */
export function useRovingFocus(box: RefObject<HTMLElement | null>, { items, axis, typeAhead = false }: Roving) {
  return useCallback(
    (event: KeyboardEvent): void => {
      const all = [...(box.current?.querySelectorAll<HTMLElement>(items) ?? [])];
      const at = all.findIndex((item) => item.contains(document.activeElement));
      if (all.length === 0 || event.altKey || event.ctrlKey || event.metaKey) return;
      const target = step(event.key, { at, count: all.length, axis }) ?? (typeAhead ? letter(event.key, all, at) : undefined);
      if (target === undefined) return;
      event.preventDefault();
      all[target]?.focus();
    },
    [box, items, axis, typeAhead],
  );
}

function step(key: string, { at, count, axis }: { at: number; count: number; axis: Roving['axis'] }): number | undefined {
  if (key === (axis === 'horizontal' ? 'ArrowRight' : 'ArrowDown')) return (at + 1) % count;
  if (key === (axis === 'horizontal' ? 'ArrowLeft' : 'ArrowUp')) return (at - 1 + count) % count;
  if (key === 'Home') return 0;
  return key === 'End' ? count - 1 : undefined;
}

function letter(key: string, all: readonly HTMLElement[], at: number): number | undefined {
  if (key.length !== 1 || key === ' ') return undefined;
  const starts = (item: HTMLElement): boolean => (item.getAttribute('aria-label') ?? item.textContent ?? '').toLowerCase().startsWith(key.toLowerCase());
  const after = all.findIndex((item, i) => i > at && starts(item));
  const found = after === -1 ? all.findIndex(starts) : after;
  return found === -1 ? undefined : found;
}
