import type { HookRunView } from '../../extension/protocol/view';
import { duration } from '../ui/format';
import { Icon } from '../ui/Icon';

const words: Readonly<Record<HookRunView['outcome'], string>> = { ok: '', blocked: 'refused', failed: 'failed', timedOut: 'ran out of time', stopped: 'was stopped', background: 'goes on by itself' };

/** The hooks of one call: what ran, how long, and what it said. */
export function HookRuns({ runs }: { readonly runs: readonly HookRunView[] }) {
  return (
    <ul className="hooks" aria-label="Hooks">
      {runs.map((run, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: runs are only ever added at the end
        <li key={i}>
          <Icon name={run.outcome === 'ok' || run.outcome === 'background' ? 'pass' : run.outcome === 'blocked' ? 'circle-slash' : 'warning'} tone={run.outcome === 'ok' || run.outcome === 'background' ? undefined : 'warn'} />
          <span className="what">{[`${run.event} hook`, words[run.outcome]].filter((part) => part !== '').join(' ')}</span>
          <code title={run.label}>{run.label}</code>
          <span className="meta">{`${run.source} · ${duration(run.durationMs)}`}</span>
          {run.output === '' ? null : <p className="quiet-line">{run.output}</p>}
        </li>
      ))}
    </ul>
  );
}
