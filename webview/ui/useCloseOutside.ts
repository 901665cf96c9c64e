import { type RefObject, useEffect, useRef } from 'react';

/** A press anywhere else closes what is open; the button that opened it toggles by itself. */
export function useCloseOutside(box: RefObject<HTMLElement | null>, onClose: () => void): void {
  const latest = useRef(onClose);
  latest.current = onClose;
  useEffect(() => {
    const press = (event: PointerEvent): void => {
      const target = event.target instanceof Element ? event.target : undefined;
      if (target && !box.current?.contains(target) && !target.closest('[aria-expanded=true][aria-haspopup]')) latest.current();
    };
    document.addEventListener('pointerdown', press, true);
    return () => document.removeEventListener('pointerdown', press, true);
  }, [box]);
}
