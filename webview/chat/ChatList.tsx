import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { ScrollAnchor } from '../store/uiState';
import { Icon } from '../ui/Icon';
import type { Row } from './rows';

interface ChatListProps {
  readonly rows: readonly Row[];
  readonly label: string;
  readonly busy: boolean;
  readonly renderRow: (row: Row) => ReactNode;
  readonly anchor: ScrollAnchor | undefined;
  readonly onAnchor: (anchor: ScrollAnchor | undefined) => void;
}

/** Nearer than this to the end counts as at the end. */
const endSlackPx = 6;
const rowEstimatePx: Readonly<Record<Row['kind'], number>> = {
  user: 52,
  text: 96,
  thinking: 22,
  writing: 22,
  tool: 22,
  reads: 22,
  agents: 60,
  turnEnd: 96,
  plan: 260,
  question: 260,
  notice: 80,
  compaction: 22,
  working: 28,
  waiting: 64,
};

/** A conversation of any length: only what is near the viewport is in the page. It follows its end until the person scrolls up. */
export function ChatList({ rows, label, busy, renderRow, anchor, onAnchor }: ChatListProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const follow = useFollow(scroller, { atEnd: anchor === undefined, count: rows.length });
  const [focused, setFocused] = useState<number | undefined>();
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (i) => rowEstimatePx[rows[i]?.kind ?? 'text'],
    getItemKey: (i) => rows[i]?.id ?? i,
    overscan: 6,
    anchorTo: 'end',
    scrollEndThreshold: endSlackPx,
    paddingStart: 20, // room for what a message shows above itself on hover
    paddingEnd: 12,
    rangeExtractor: ({ startIndex, endIndex, overscan, count }) => {
      const from = Math.max(0, startIndex - overscan);
      const to = Math.min(count - 1, endIndex + overscan);
      const range = Array.from({ length: to - from + 1 }, (_, i) => from + i);
      // A row that has the keyboard stays in the page, or the focus would be lost.
      return focused === undefined || focused >= count || (focused >= from && focused <= to) ? range : [...range, focused].sort((a, b) => a - b);
    },
  });
  useRestore(scroller, virtualizer, { rows, anchor });
  useLayoutEffect(follow.pin);
  useSaveAnchor(
    scroller,
    () => {
      if (follow.isFollowing()) return undefined;
      const top = scroller.current?.scrollTop ?? 0;
      const item = virtualizer.getVirtualItemForOffset(top);
      return item ? { rowId: String(item.key), offsetPx: Math.round(top - item.start) } : undefined;
    },
    onAnchor,
  );

  return (
    <>
      <div
        ref={scroller}
        className="panel chat-scroll"
        tabIndex={0}
        role="group"
        aria-label={label}
        onScroll={follow.onScroll}
        onWheel={follow.onWheel}
        onTouchMove={follow.onIntent}
        onKeyDown={follow.onIntent}
        onPointerDown={follow.onIntent}
        onPointerMove={(event) => event.buttons > 0 && follow.onIntent()}
      >
        <div role="feed" aria-label="Conversation" aria-busy={busy} className="chat-feed" style={{ height: virtualizer.getTotalSize() }}>
          {virtualizer.getVirtualItems().map((item) => {
            const row = rows[item.index];
            return row ? (
              <div
                key={item.key}
                ref={virtualizer.measureElement}
                data-index={item.index}
                data-row={row.kind}
                className="chat-row"
                role="article"
                aria-posinset={item.index + 1}
                aria-setsize={rows.length}
                aria-label={articleLabel[row.kind]}
                style={{ transform: `translateY(${item.start}px)` }}
                onFocus={() => setFocused(item.index)}
                onBlur={() => setFocused(undefined)}
              >
                {renderRow(row)}
              </div>
            ) : null;
          })}
        </div>
      </div>
      <div className="pillbox">
        {follow.detached ? (
          <button type="button" className="btn alt newpill" onClick={follow.toEnd}>
            <Icon name="arrow-down" />
            {follow.unseen > 0 ? `${follow.unseen} new` : 'To the end'}
          </button>
        ) : null}
      </div>
    </>
  );
}

const articleLabel: Readonly<Record<Row['kind'], string>> = {
  user: 'You',
  text: 'Reply',
  thinking: 'Thinking',
  writing: 'Being written',
  tool: 'Tool call',
  reads: 'Reads',
  agents: 'Sub-agents',
  turnEnd: 'Turn ended',
  plan: 'Plan',
  question: 'Question',
  notice: 'Notice',
  compaction: 'Conversation summarised',
  working: 'Working',
  waiting: 'Waiting',
};

type Scroller = React.RefObject<HTMLDivElement | null>;

/** A scroll this soon after a key, a press or a touch is the reader's; any other is the layout's. Long enough for a flick to run out. */
const intentMs = 1500;

/** Follows the end of the list until the person scrolls up, and again once they are back at the end. */
function useFollow(scroller: Scroller, { atEnd, count }: { atEnd: boolean; count: number }) {
  const following = useRef(atEnd);
  const lastTop = useRef(0);
  const [detached, setDetached] = useState(!atEnd);
  const [seen, setSeen] = useState(count);
  const set = useCallback(
    (follows: boolean) => {
      if (following.current === follows) return;
      following.current = follows;
      setDetached(!follows);
      setSeen(count);
    },
    [count],
  );
  const pin = useCallback(() => {
    const element = scroller.current;
    if (!element || !following.current) return;
    element.scrollTop = element.scrollHeight;
    lastTop.current = element.scrollTop;
  }, [scroller]);
  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const observer = new ResizeObserver(pin);
    observer.observe(element);
    return () => observer.disconnect();
  }, [scroller, pin]);
  const intentAtMs = useRef(Number.NEGATIVE_INFINITY);
  const onIntent = useCallback(() => {
    intentAtMs.current = performance.now();
  }, []);
  const onScroll = useCallback(() => {
    const element = scroller.current;
    if (!element) return;
    const fromEnd = element.scrollHeight - element.scrollTop - element.clientHeight;
    const wentUp = element.scrollTop < lastTop.current - 1;
    lastTop.current = element.scrollTop;
    if (fromEnd <= endSlackPx) set(true);
    else if (wentUp && performance.now() - intentAtMs.current < intentMs) set(false);
    else pin(); // rows were measured or the box changed its size; the reader did nothing
  }, [scroller, set, pin]);
  return {
    detached,
    unseen: detached ? Math.max(0, count - seen) : 0,
    isFollowing: () => following.current,
    pin,
    onScroll,
    onIntent,
    onWheel: (event: React.WheelEvent) => {
      const element = scroller.current;
      onIntent();
      if (event.deltaY < 0 && element && element.scrollTop > 0) set(false);
    },
    toEnd: () => {
      set(true);
      pin();
    },
  };
}

type List = ReturnType<typeof useVirtualizer<HTMLDivElement, Element>>;

/** Sizes are estimates until rows are drawn, so the place is looked up again in the first frames. */
const restoreFrames = 12;

/** Puts the reader back where they were, once, when the list is made; the first thing they do ends it. */
function useRestore(scroller: Scroller, list: List, { rows, anchor }: { rows: readonly Row[]; anchor: ScrollAnchor | undefined }): void {
  const [first] = useState({ list, index: anchor ? rows.findIndex((row) => row.id === anchor.rowId) : -1, offsetPx: anchor?.offsetPx ?? 0 });
  useLayoutEffect(() => {
    const element = scroller.current;
    if (first.index === -1 || !element) return;
    let frame = 0;
    let left = restoreFrames;
    const place = (): void => {
      const start = first.list.getOffsetForIndex(first.index, 'start')?.[0];
      if (start !== undefined) element.scrollTop = start + first.offsetPx;
      if (--left > 0) frame = requestAnimationFrame(place);
    };
    const stop = (): void => cancelAnimationFrame(frame);
    const acts = ['wheel', 'pointerdown', 'keydown'] as const;
    for (const act of acts) element.addEventListener(act, stop, { passive: true });
    place();
    return () => {
      stop();
      for (const act of acts) element.removeEventListener(act, stop);
    };
  }, [first, scroller]);
}

const settleMs = 150;

function useSaveAnchor(scroller: Scroller, read: () => ScrollAnchor | undefined, onAnchor: ChatListProps['onAnchor']): void {
  const latest = useRef({ read, onAnchor });
  latest.current = { read, onAnchor };
  useEffect(() => {
    const element = scroller.current;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const save = (): void => {
      clearTimeout(timer);
      timer = setTimeout(() => latest.current.onAnchor(latest.current.read()), settleMs);
    };
    element?.addEventListener('scroll', save, { passive: true });
    return () => {
      element?.removeEventListener('scroll', save);
      clearTimeout(timer);
    };
  }, [scroller]);
}
