import type { LocalPage } from '../protocol/localCommand';

/** A page as plain text, for where there is no screen. */
export function pageText({ title, intro, groups }: LocalPage): string {
  const rows = groups.flatMap((group) => ['', `${group.title}:`, ...group.rows.map(({ name, detail, badge }) => `  ${name}${badge ? ` (${badge})` : ''}${detail ? `: ${detail.split('\n')[0]}` : ''}`)]);
  return [title, ...(intro === undefined ? [] : [intro]), ...rows].join('\n');
}
