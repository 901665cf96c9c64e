import type { ToolEntry } from '../../extension/protocol/view';
import { pathParts } from '../ui/format';

export interface ToolWords {
  readonly icon: string;
  readonly verb: string;
  /** What it was done to, cut at its end. */
  readonly object: string;
  readonly mono: boolean;
  /** Where, in the dim column. */
  readonly place: string;
}

interface KindWords {
  readonly icon: string;
  readonly verb: string;
  readonly running: string;
}

const byKind: Readonly<Record<string, KindWords>> = {
  command: { icon: 'terminal', verb: 'Ran', running: 'Running' },
  edit: { icon: 'edit', verb: 'Edit', running: 'Editing' },
  read: { icon: 'book', verb: 'Read', running: 'Reading' },
  search: { icon: 'search', verb: 'Search', running: 'Searching' },
  fetch: { icon: 'globe', verb: 'Fetched', running: 'Fetching' },
  skill: { icon: 'lightbulb', verb: 'Skill', running: 'Skill' },
  agent: { icon: 'organization', verb: 'Agent', running: 'Agent' },
  plan: { icon: 'checklist', verb: 'Plan', running: 'Plan' },
};

/** One line for a tool call: icon, verb, thing. `root` is left out of paths. */
export function toolWords(entry: ToolEntry, root: string): ToolWords {
  const mcp = /^mcp__(.+?)__(.+)$/.exec(entry.name);
  if (mcp) return { icon: 'plug', verb: mcp[2] ?? entry.name, object: '', mono: false, place: `${mcp[1]} · MCP` };
  const words = byKind[entry.toolKind] ?? { icon: 'tools', verb: entry.name, running: entry.name };
  const verb = entry.call.status === 'running' || entry.call.status === 'validating' ? words.running : words.verb;
  const title = withoutVerb(entry.title, [entry.name, words.verb, words.running]);
  const isFile = entry.toolKind === 'edit' || entry.toolKind === 'read';
  const { name, folder } = isFile ? pathParts(title, root) : { name: title, folder: '' };
  return { icon: words.icon, verb, object: name, mono: isFile || entry.toolKind === 'command' || entry.toolKind === 'search', place: folder };
}

/** "4 files, 2 searches" for a group of reads. */
export function readsSummary(entries: readonly ToolEntry[]): string {
  const searches = entries.filter((e) => e.toolKind === 'search').length;
  const files = entries.length - searches;
  const parts = [files > 0 ? `${files} ${files === 1 ? 'file' : 'files'}` : '', searches > 0 ? `${searches} ${searches === 1 ? 'search' : 'searches'}` : ''];
  return parts.filter((part) => part !== '').join(', ');
}

function withoutVerb(title: string, verbs: readonly string[]): string {
  const verb = verbs.find((v) => title.toLowerCase().startsWith(`${v.toLowerCase()} `));
  return verb ? title.slice(verb.length + 1) : title;
}
