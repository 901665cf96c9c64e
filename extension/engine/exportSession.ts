import { mainAgentId } from '../base/ids';
import type { View } from '../protocol/view';

/** The main agent's conversation as Markdown: what was said, and each call in a line with its outcome. */
export function sessionMarkdown(view: View): string {
  const { title, startedAtMs, model } = view.session;
  const parts = [`# ${title || 'Session'}`, `${new Date(startedAtMs).toISOString().slice(0, 16).replace('T', ' ')}${model === undefined ? '' : ` · ${model}`}`];
  for (const entry of view.conversations[mainAgentId] ?? []) {
    if (entry.kind === 'user') parts.push(`## You`, entry.text);
    else if (entry.kind === 'assistant' && entry.text.trim() !== '') parts.push(`## Troupe`, entry.text.trim());
    else if (entry.kind === 'tool') parts.push(`- \`${entry.name}\` ${entry.title.replaceAll('`', "'")} (${entry.call.status})`);
  }
  return `${joined(parts)}\n`;
}

/** A blank line between parts, none between lines of one list. */
function joined(parts: readonly string[]): string {
  return parts.reduce((text, part, i) => (i === 0 ? part : `${text}${part.startsWith('- ') && parts[i - 1]?.startsWith('- ') ? '\n' : '\n\n'}${part}`), '');
}

/** A file name from a title; `stamp` tells two of one title apart. */
export function exportName(title: string, stamp: string): string {
  const words = title.normalize('NFKD').toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-+|-+$/g, '').slice(0, 50);
  return `${words === '' ? 'session' : words}-${stamp}.md`;
}
