import type { ContextReport } from '../protocol/context';
import type { LocalPage, PageRow } from '../protocol/localCommand';
import type { SessionSummary, View } from '../protocol/view';
import type { InspectTopic } from './contract';

type Item = Readonly<Record<string, unknown>>;

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const list = (value: unknown): readonly Item[] => (Array.isArray(value) ? value.filter((item): item is Item => typeof item === 'object' && item !== null) : []);

/** One line of an item that was loaded, by what is looked at. */
const rowOf: Readonly<Partial<Record<InspectTopic, (item: Item) => PageRow>>> = {
  skills: (skill) => ({ name: `/${text(skill['qualified'])}`, detail: text(skill['description']), badge: text(skill['plugin']) || text(skill['source']), ...pathOf(skill) }),
  agents: (agent) => ({ name: text(agent['qualified']) || text(agent['name']), detail: text(agent['description']), badge: text(agent['plugin']) || text(agent['source']), ...pathOf(agent) }),
  hooks: (hook) => ({ name: [text(hook['event']), text(hook['matcher'])].filter(Boolean).join(' '), detail: [text(hook['label']), text(hook['waits'])].filter(Boolean).join('; '), badge: text(hook['plugin']) || text(hook['source']), ...pathOf(hook) }),
  memory: (file) => ({ name: text(file['path']), detail: text(file['why']), badge: text(file['source']), ...pathOf(file) }),
  mcp: (server) => ({ name: text(server['name']), detail: [text(server['transport']), Array.isArray(server['tools']) ? `${server['tools'].length} tools` : ''].filter(Boolean).join(', '), badge: stateWords[text(server['status'])] ?? text(server['status']), ...toneOf(text(server['status'])), ...pathOf(server) }),
};

const titles = { skills: 'Skills and commands', agents: 'Agents', hooks: 'Hooks', memory: 'Memory files', mcp: 'MCP servers' } as const;
const empty = {
  skills: 'No skill yet. Write one in .claude/skills/<name>/SKILL.md, or say /skillify after a piece of work.',
  agents: 'No agent of your own yet. Write one in .claude/agents/<name>.md.',
  hooks: 'No hook runs here. They stand under "hooks" in a settings file.',
  memory: 'No memory file yet. A line that begins with # is remembered in one.',
  mcp: 'No MCP server yet. They stand in .mcp.json of the project, or in your own settings.',
} as const;
const stateWords: Readonly<Record<string, string>> = { connected: 'connected', idle: 'not started', needsApproval: 'waits for your approval', refused: 'refused', connecting: 'connecting', failed: 'failed' };

function toneOf(status: string): Pick<PageRow, 'tone'> {
  if (status === 'connected') return { tone: 'good' };
  if (status === 'failed' || status === 'refused') return { tone: 'error' };
  return status === 'needsApproval' ? { tone: 'warning' } : {};
}

function pathOf(item: Item): Pick<PageRow, 'path' | 'line'> {
  const { path, line } = item;
  return typeof path === 'string' && path !== '' ? { path, ...(typeof line === 'number' ? { line } : {}) } : {};
}

/** What was loaded, what was left out and what is wrong with some of it. */
export function inspectPage(topic: keyof typeof titles, report: Item): LocalPage {
  const loaded = list(report['loaded']).map((item) => (rowOf[topic] ?? ((one: Item): PageRow => ({ name: text(one['name']) })))(item));
  const disabled = list(report['disabled']).map((item): PageRow => ({ name: text(item['name']), detail: text(item['reason']), badge: 'left out', tone: 'warning', ...pathOf(item) }));
  const groups = [
    { title: titles[topic], rows: loaded },
    { title: 'Left out', rows: disabled },
    { title: 'Problems', rows: problemRows(report) },
  ];
  return { title: titles[topic], ...(loaded.length === 0 ? { intro: empty[topic] } : {}), groups: groups.filter(({ rows }) => rows.length > 0) };
}

export function problemRows(report: Item): PageRow[] {
  return list(report['problems']).map((problem): PageRow => {
    const { path = '', line } = pathOf(problem);
    const where = path === '' ? '' : `${path.split('/').slice(-2).join('/')}${line === undefined ? '' : `:${line}`}`;
    return { name: where || text(problem['code']), detail: text(problem['message']), badge: text(problem['severity']), tone: problem['severity'] === 'error' ? 'error' : 'warning', ...pathOf(problem) };
  });
}

const number = (value: number): string => value.toLocaleString('en');

export function contextPage({ usedTokens, limitTokens, compactsAtTokens, parts }: ContextReport): LocalPage {
  const share = (tokens: number): string => (limitTokens > 0 ? `${((tokens / limitTokens) * 100).toFixed(1)} %` : '');
  const rest = compactsAtTokens === null ? '' : ` It is summarised at ${number(compactsAtTokens)}.`;
  const intro = limitTokens > 0 ? `${number(usedTokens)} of ${number(limitTokens)} tokens are in use (${share(usedTokens)}).${rest}` : `${number(usedTokens)} tokens are in use.`;
  return { title: 'Context', intro, groups: [{ title: 'What fills it', rows: parts.map(({ label, tokens }) => ({ name: label, detail: `${number(tokens)} tokens`, badge: share(tokens) })) }] };
}

/** Money is a sum over what has a price; what has none is said, never counted as 0. */
export function costPage(view: View): LocalPage {
  const money = (costUsd: number | null): string => (costUsd === null ? 'no price known' : `$${costUsd.toFixed(costUsd < 0.1 ? 4 : 2)}`);
  const { usage } = view;
  const tokens = [['input', usage.inputTokens], ['output', usage.outputTokens], ['read from the cache', usage.cacheReadTokens], ['written to the cache', usage.cacheWriteTokens]] as const;
  const rows = Object.values(view.agents).map((agent): PageRow => ({ name: agent.name, detail: `${agent.model ?? ''} ${number((agent.usage.inputTokens ?? 0) + (agent.usage.outputTokens ?? 0))} tokens`.trim(), badge: money(agent.costUsd) }));
  return {
    title: 'Cost',
    intro: `This session so far: ${money(view.costUsd)}.`,
    groups: [
      { title: 'Tokens', rows: tokens.flatMap(([name, count]) => (count === undefined ? [] : [{ name, detail: number(count) }])) },
      { title: 'Agents', rows },
    ].filter((group) => group.rows.length > 0),
  };
}

export function sessionsPage(sessions: readonly SessionSummary[]): LocalPage {
  return { title: 'Sessions', ...(sessions.length === 0 ? { intro: 'There is no earlier session here.' } : {}), groups: sessions.length === 0 ? [] : [{ title: 'Newest first', rows: sessions.map(({ sessionId, title }) => ({ name: title || 'untitled', detail: `troupe -p … --resume ${sessionId}` })) }] };
}
