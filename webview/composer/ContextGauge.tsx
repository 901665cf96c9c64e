import { useEffect, useRef, useState } from 'react';
import type { AgentView } from '../../extension/protocol/view';
import { count, money } from '../ui/format';
import { Icon } from '../ui/Icon';
import { useCloseOutside } from '../ui/useCloseOutside';

interface ContextGaugeProps {
  readonly agent: AgentView;
  readonly limitTokens: number;
  readonly sessionCostUsd: number | null;
}

const warnPercent = 80;

/** How full the model's context is, and what was spent. Not there before the first reply: nothing is known then. */
export function ContextGauge({ agent, limitTokens, sessionCostUsd }: ContextGaugeProps) {
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  if (agent.contextTokens === undefined || limitTokens === 0) return null;
  const percent = Math.min(100, Math.round((agent.contextTokens / limitTokens) * 100));
  const close = (): void => {
    setOpen(false);
    button.current?.focus();
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        className={percent >= warnPercent ? 'gauge high' : 'gauge'}
        aria-haspopup="dialog"
        aria-expanded={open}
        aria-label={`Context ${percent}% full`}
        title={`Context: ${count(agent.contextTokens)} of ${count(limitTokens)} tokens`}
        onClick={() => setOpen(!open)}
      >
        <svg width="14" height="14" viewBox="0 0 14 14" aria-hidden="true">
          <circle cx="7" cy="7" r="5.5" />
          <circle cx="7" cy="7" r="5.5" pathLength="100" strokeDasharray={`${percent} 100`} transform="rotate(-90 7 7)" />
        </svg>
        {percent}%
      </button>
      {open ? <Breakdown agent={agent} limitTokens={limitTokens} percent={percent} sessionCostUsd={sessionCostUsd} onClose={close} /> : null}
    </>
  );
}

function Breakdown({ agent, limitTokens, percent, sessionCostUsd, onClose }: ContextGaugeProps & { readonly percent: number; readonly onClose: () => void }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => box.current?.focus(), []);
  useCloseOutside(box, onClose);
  const { usage } = agent;
  const read = (usage.inputTokens ?? 0) + (usage.cacheReadTokens ?? 0) + (usage.cacheWriteTokens ?? 0);
  const cached = read > 0 && usage.cacheReadTokens !== undefined ? `${Math.round((usage.cacheReadTokens / read) * 100)}% from cache` : '';
  const lines: readonly (readonly [string, string])[] = [
    ['Read by the model', [count(read), cached].filter((part) => part !== '').join(' · ')],
    ['Written by the model', count(usage.outputTokens ?? 0)],
    [`Spent by ${agent.name}`, money(agent.costUsd)],
    ['Spent this session', money(sessionCostUsd)],
  ];
  return (
    <div
      ref={box}
      className="pop"
      role="dialog"
      aria-label="Context and cost"
      tabIndex={-1}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        onClose();
      }}
    >
      <div className="ctx-h">
        <b>{`${count(agent.contextTokens ?? 0)} of ${count(limitTokens)}`}</b>
        <span className="muted small num">{`${percent}%`}</span>
      </div>
      <dl className="kv">
        {lines.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd className="num">{value}</dd>
          </div>
        ))}
      </dl>
      {percent >= warnPercent ? (
        <p className="inline">
          <Icon name="warning" tone="warn" />
          <span>Nearly full. Start a new session for a new task; long ones get slower and dearer.</span>
        </p>
      ) : null}
    </div>
  );
}
