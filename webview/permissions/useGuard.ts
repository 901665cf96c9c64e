import { useCallback, useLayoutEffect, useRef } from 'react';

/** Long enough for a key that was already on its way, short enough not to be noticed. */
const guardMs = 400;

/** @returns whether the card with this id came up so recently that a key can't have been meant for it. */
export function useGuard(cardId: string): () => boolean {
  const changed = useRef({ cardId: '', atMs: 0 });
  useLayoutEffect(() => {
    if (changed.current.cardId !== cardId) changed.current = { cardId, atMs: performance.now() };
  }, [cardId]);
  return useCallback(() => performance.now() - changed.current.atMs < guardMs, []);
}
