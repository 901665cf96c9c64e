/** One entry of Problems in plain values; `line` and `column` count from 1. */
export interface FileProblem {
  readonly path: string;
  readonly line: number;
  readonly column: number;
  readonly severity: 'error' | 'warning';
  readonly message: string;
  readonly source: string | undefined;
  readonly code: string | undefined;
}

/** A line each, errors first, in the shape compilers print; messages over several lines are joined. Empty for no problems. */
export function diagnosticLines(problems: readonly FileProblem[], limit: number): string {
  const sorted = [...problems].sort((a, b) => rank(a) - rank(b) || a.path.localeCompare(b.path) || a.line - b.line || a.column - b.column);
  const lines = sorted.slice(0, limit).map(diagnosticLine);
  if (sorted.length > limit) lines.push(`… and ${sorted.length - limit} more`);
  return lines.join('\n');
}

export function diagnosticLine(problem: FileProblem): string {
  const origin = [problem.source, problem.code].filter(Boolean).join(' ');
  return `${problem.path}:${problem.line}:${problem.column} ${problem.severity}: ${problem.message.replaceAll(/\s*\n\s*/g, ' ')}${origin ? ` [${origin}]` : ''}`;
}

/** What "Fix with Troupe" puts into the composer. */
export function fixRequest(problems: readonly FileProblem[]): string {
  const many = problems.length > 1;
  return `Fix ${many ? 'these problems' : 'this problem'}:\n${problems.map(diagnosticLine).join('\n')}`;
}

function rank(problem: FileProblem): number {
  return problem.severity === 'error' ? 0 : 1;
}
