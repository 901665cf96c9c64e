import { fileURLToPath } from 'node:url';
import { createEvaluator } from '../../../extension/permissions/evaluate';
import type { PathFacts, PermissionPolicy, PolicyRule, RuleBehavior, RuleSource } from '../../../extension/permissions/permissionTypes';
import type { PermissionExplanation, PermissionMode, PermissionSubject } from '../../../extension/protocol/permission';

/** One row of test/fixtures/permissions.jsonl: in project /p of user /home/u. */
export interface Row {
  readonly source: string;
  readonly rules: readonly string[];
  readonly tool: string;
  readonly call: string | Record<string, unknown>;
  readonly expect: 'allow' | 'ask' | 'deny';
  /** The rule that decides, when it is a rule. */
  readonly rule?: string;
  /** Also played through a whole engine, with a real call. */
  readonly live?: boolean;
  readonly mode?: PermissionMode;
  readonly cwd?: string;
  readonly planFile?: string;
  readonly exemptDirs?: readonly string[];
  readonly worktree?: { readonly root: string; readonly mainRoot: string };
  readonly links?: Readonly<Record<string, string>>;
}

export const evaluator = createEvaluator({ assetsDir: fileURLToPath(new URL('../../../dist', import.meta.url)) });

/** `[source] [worktree] behavior Rule` */
export function rule(text: string): PolicyRule {
  const match = /^(?:(managed|flag|local|project|user) )?(worktree )?(allow|ask|deny) ([\s\S]*)$/.exec(text);
  if (!match) throw new Error(`no rule: ${text}`);
  const source = (match[1] ?? 'project') as RuleSource;
  return { text: match[4] ?? '', behavior: match[3] as RuleBehavior, source, path: `/${source}.json`, anchorDir: source === 'user' ? '/home/u/.claude' : '/p', ...(match[2] ? { worktreeOnly: true } : {}) };
}

export function policy(rules: readonly string[], more: Partial<PermissionPolicy> = {}): PermissionPolicy {
  return { rules: rules.map(rule), mode: 'default', cwd: '/p', projectRoot: '/p', homeDir: '/home/u', workingDirs: ['/p'], ...more };
}

export function linkFacts(links: Readonly<Record<string, string>> = {}): PathFacts {
  return {
    realPath: async (path) => {
      const plain = path.replaceAll('\\', '/').replace(/\/\.(?=\/|$)/g, '');
      const link = Object.keys(links).find((l) => plain === l || plain.startsWith(`${l}/`));
      return link ? `${links[link]}${plain.slice(link.length)}` : plain;
    },
  };
}

const kinds: Readonly<Record<string, PermissionSubject['kind']>> = { Bash: 'command', Monitor: 'command', PowerShell: 'command', Edit: 'edit', Write: 'edit', NotebookEdit: 'edit', Read: 'read', Grep: 'search', Glob: 'search', WebFetch: 'fetch', WebSearch: 'search', Skill: 'skill', Agent: 'agent', ExitPlanMode: 'plan' };

export function subject(tool: string, call: string | Record<string, unknown>, cwd = '/p'): PermissionSubject {
  const kind = kinds[tool] ?? (tool.startsWith('mcp__') ? 'mcp' : 'other');
  const input = typeof call === 'string' ? {} : call;
  const base: PermissionSubject = { tool, kind, title: tool, input: { ...input }, cwd, readOnly: kind === 'read' };
  if (kind === 'command') return { ...base, command: typeof call === 'string' ? call : String(call['command']) };
  if (typeof call === 'string') return kind === 'fetch' ? { ...base, url: call } : { ...base, paths: [call] };
  return typeof call['name'] === 'string' ? { ...base, name: call['name'] } : base;
}

export async function explained(row: Row): Promise<PermissionExplanation> {
  const { cwd = '/p' } = row;
  const own = policy(row.rules, { mode: row.mode ?? 'default', cwd, planFile: row.planFile, exemptDirs: row.exemptDirs, worktree: row.worktree, workingDirs: [row.worktree?.root ?? '/p'] });
  return evaluator.evaluate(subject(row.tool, row.call, cwd), own, linkFacts(row.links));
}
