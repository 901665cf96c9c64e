import { useEffect, useRef, useState } from 'react';
import { useApp, useUi } from '../store/appContext';
import { milestone } from '../store/milestones';

/** The one place that speaks to a screen reader: asks and ends, never tokens. */
export function Announcer() {
  const { store } = useApp();
  const [text, setText] = useState('');
  const before = useRef(store.get().view);
  useEffect(
    () =>
      store.subscribe(() => {
        const after = store.get().view;
        const said = before.current && after && before.current !== after ? milestone(before.current, after) : undefined;
        before.current = after;
        if (said) setText(said);
      }),
    [store],
  );
  const announcement = useUi((state) => state.announcement);
  useEffect(() => {
    if (announcement !== '') setText(announcement);
  }, [announcement]);
  return (
    <div className="sr" role="status">
      {text}
    </div>
  );
}
