import type { TestSession } from './startEngine';

/** Fields that differ from run to run, and what stands for them. Figures depend on the length of temp paths. */
const fixed: Readonly<Record<string, unknown>> = { atMs: 0, askedAtMs: 0, durationMs: 0, pid: 1, processStartedAtMs: 0, usage: '…', costUsd: '…' };

/** The durable events of a session, one JSON line each, with ids in order of appearance and paths by their meaning. */
export function normaliseLog(session: TestSession): string {
  const ids = new Map<string, string>();
  const counts = new Map<string, number>();
  const idFor = (found: string, kind: string): string => {
    const known = ids.get(found);
    if (known !== undefined) return known;
    const n = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, n);
    const name = `<${kind} ${n}>`;
    ids.set(found, name);
    return name;
  };
  const { repo, sessionId } = session;
  const places: readonly (readonly [string, string])[] = [
    [repo.root, '<root>'],
    [repo.configRoot, '<config>'],
    [repo.homeDir, '<home>'],
    [repo.outside, '<outside>'],
    [sessionId, '<session>'],
    [sessionId.slice(0, 8), '<session-8>'],
  ];
  const text = (value: string): string =>
    places
      .reduce((now, [from, to]) => now.replaceAll(from, to), value)
      .replace(/\b(turn|msg|ask|notice|queued)[-_][0-9a-zA-Z-]{6,}\b/g, (found, kind: string) => idFor(found, kind));
  return `${session
    .log()
    .map((event) => JSON.stringify(event, (key, value: unknown) => (key in fixed ? fixed[key] : typeof value === 'string' ? text(value) : contextLeftOut(key, value))))
    .join('\n')}\n`;
}

/** What the model is told at the start has tests of its own; here it would change with every word of it. */
function contextLeftOut(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('origin' in value)) return value;
  return value.origin === 'context' || value.origin === 'reminder' ? { ...value, content: '…' } : value;
}
