import { useEffect, useRef, useState } from 'react';
import type { ContextReport } from '../../extension/protocol/context';
import type { AgentView } from '../../extension/protocol/view';
import { Button } from '../ui/Button';
import { count, money } from '../ui/format';
import { Icon } from '../ui/Icon';
import { useCloseOutside } from '../ui/useCloseOutside';

interface ContextGaugeProps {
  readonly agent: AgentView;
  readonly limitTokens: number;
  readonly sessionCostUsd: number | null;
  /** What fills it now; undefined when it can't be told. */
  readonly onReport: () => Promise<ContextReport | undefined>;
  /** @returns what went wrong */
  readonly onCompact: () => Promise<string | undefined>;
}

const warnPercent = 80;

/** How full the model's context is, and what was spent. Not there before the first reply: nothing is known then. */
export function ContextGauge({ agent, limitTokens, ...rest }: ContextGaugeProps) {
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
      {open ? <Breakdown agent={agent} limitTokens={limitTokens} percent={percent} onClose={close} {...rest} /> : null}
    </>
  );
}

function Breakdown({ agent, limitTokens, percent, sessionCostUsd, onReport, onCompact, onClose }: ContextGaugeProps & { readonly percent: number; readonly onClose: () => void }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => box.current?.focus(), []);
  useCloseOutside(box, onClose);
  const report = useReport(onReport);
  const [problem, setProblem] = useState<string | undefined>();
  const compact = async (): Promise<void> => {
    const failed = await onCompact();
    if (failed === undefined) onClose();
    else setProblem(failed);
  };
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
      {report ? <Parts report={report} /> : null}
      <dl className="kv">
        {lines.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd className="num">{value}</dd>
          </div>
        ))}
      </dl>
      {report && report.compactsAtTokens !== null ? (
        <p className="inline">
          <Icon name={percent >= warnPercent ? 'warning' : 'info'} tone={percent >= warnPercent ? 'warn' : 'off'} />
          <span>{`Summarised by itself at ${Math.round((report.compactsAtTokens / report.limitTokens) * 100)}%.`}</span>
        </p>
      ) : null}
      {problem ? (
        <p className="inline" role="alert">
          <Icon name="error" tone="err" />
          <span>{problem}</span>
        </p>
      ) : null}
      <div className="ctx-f">
        <Button onClick={() => void compact()}>
          Summarise now
        </Button>
      </div>
    </div>
  );
}

function useReport(onReport: ContextGaugeProps['onReport']): ContextReport | undefined {
  const [report, setReport] = useState<ContextReport | undefined>();
  const ask = useRef(onReport);
  useEffect(() => {
    let isGone = false;
    void ask.current().then((found) => {
      if (!isGone) setReport(found);
    });
    return () => {
      isGone = true;
    };
  }, []);
  return report;
}

/** The bar is for the eye; the list says the same in words. */
function Parts({ report }: { readonly report: ContextReport }) {
  const percentOf = (tokens: number): number => Math.round((tokens / report.limitTokens) * 100);
  const shown = report.parts.filter((part) => part.tokens > 0);
  return (
    <>
      <svg className="stack" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
        {shown.map((part, i) => (
          <rect key={part.kind} className={`s${(i % swatches) + 1}`} x={shown.slice(0, i).reduce((sum, before) => sum + percentOf(before.tokens), 0)} y="0" width={percentOf(part.tokens)} height="4" />
        ))}
      </svg>
      <ul className="parts" aria-label="What fills the context">
        {shown.map((part, i) => (
          <li key={part.kind} className="row still">
            <span className={`sw s${(i % swatches) + 1}`} aria-hidden="true" />
            <span className="name grow">{part.label}</span>
            <span className="meta num">{`${count(part.tokens)} · ${percentOf(part.tokens)}%`}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

const swatches = 6;
