import type { CallPlace } from './callPlace';
import { byRule, type Judgement, type Reason } from './judgement';
import type { RuleBehavior } from './permissionTypes';

/** Nothing a PowerShell parser would read as more than one plain command. */
const plain = /^[A-Za-z0-9 _./:\\-]+$/;

/**
 * Until PowerShell lines are parsed: deny and ask look at every piece, without regard to case; allow takes a plain
 * single command, or a rule that spells out the whole line.
 */
export function judgePowerShell(place: CallPlace, command: string): Judgement {
  const line = command.trim();
  const pieces = [line, ...line.split(/[;&|\n(){}]+/).map((p) => p.trim())].filter((p) => p !== '').map((p) => p.toLowerCase());
  const { index } = place;
  const on = (behavior: RuleBehavior, texts: readonly string[]): Reason | undefined =>
    byRule(index.tool(behavior, 'PowerShell') ?? index.command(behavior, 'PowerShell', (p) => texts.some((t) => p.matchesLoosely(t))));
  const exact = index.tool('allow', 'PowerShell') ?? index.command('allow', 'PowerShell', (p) => p.exact && p.source === line);
  return { deny: on('deny', pieces), ask: on('ask', pieces), allow: byRule(exact) ?? (plain.test(line) ? on('allow', [line.toLowerCase()]) : undefined), readOnly: false, otherwise: 'no rule allows it' };
}
