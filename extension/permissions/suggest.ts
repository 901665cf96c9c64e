import type { PermissionExplanation, PermissionSubject, RuleSuggestion } from '../protocol/permission';
import type { SimpleCommand, SplitCommand, Word } from './commandTypes';
import { commandName, isSafeVariable, needsExactRule } from './commandWrappers';
import { expandHome, isInside, normalPath } from './pathForms';
import type { PermissionPolicy } from './permissionTypes';
import { hostOf } from './policyIndex';
import { onlyExactCmdlets } from './powershellNames';
import { protectedReason } from './protectedPaths';
import { risksOf } from './risks';
import { quoteWord } from './shellQuoting';

export interface Advice {
  readonly suggestions: readonly RuleSuggestion[];
  readonly risks: readonly string[];
}

type Scopes = RuleSuggestion['scopes'];
const everywhere: Scopes = ['agent', 'session', 'local', 'project', 'user'];
/** For rules that begin with `/`: in the user's settings that would be another folder. */
const inProject: Scopes = ['agent', 'session', 'local', 'project'];
const mostRules = 5;

/** Rules that would have made this ask needless, the narrowest sensible ones first; none where no rule could. */
export async function advise(call: {
  readonly subject: PermissionSubject;
  readonly policy: PermissionPolicy;
  readonly explanation: PermissionExplanation;
  readonly split: SplitCommand;
}): Promise<Advice> {
  const { subject, policy, explanation } = call;
  const parsed = subject.kind === 'command' && subject.command !== undefined ? await call.split(subject.command) : undefined;
  const parts = parsed?.ok ? parsed.parts : [];
  const risks = risksOf({ subject, policy, parts, unparsable: parsed?.ok === false });
  // A rule that demands the ask beats any allow.
  if (explanation.rule !== undefined) return { suggestions: [], risks };
  if (subject.kind === 'command') return { suggestions: parsed?.ok ? commandRules(subject, policy, { parts, explanation, writes: parsed.redirects.filter((r) => r.writes).map((r) => r.target) }) : [], risks };
  return { suggestions: otherRules(subject, policy), risks };
}

function otherRules(subject: PermissionSubject, policy: PermissionPolicy): readonly RuleSuggestion[] {
  switch (subject.kind) {
    case 'edit':
      return pathRules('Edit', subject, policy);
    case 'read':
      return pathRules('Read', subject, policy);
    case 'search':
      return subject.tool === 'WebSearch' ? [{ rules: ['WebSearch'], scopes: everywhere }] : pathRules('Read', subject, policy);
    case 'fetch': {
      const host = subject.url === undefined ? '' : hostOf(subject.url);
      return host === '' ? [] : [{ rules: [`WebFetch(domain:${host})`], scopes: everywhere, also: [`any page of ${host}`], not: [`sub.${host}`, 'other sites'] }];
    }
    case 'skill':
      return skillRules(subject);
    case 'plan':
      return [];
    case 'mcp':
      return mcpRules(subject);
    default:
      return subject.tool === 'AskUserQuestion' ? [] : [{ rules: [subject.tool], scopes: everywhere, also: [`${subject.tool} with any input`] }];
  }
}

/** The tool alone, then everything its server offers. */
function mcpRules({ tool }: PermissionSubject): readonly RuleSuggestion[] {
  const server = /^mcp__.+?(?=__)/.exec(tool)?.[0];
  const whole = server === undefined ? [] : [{ rules: [server], scopes: everywhere, also: [`every tool of ${server.slice('mcp__'.length)}, now and later`] }];
  return [{ rules: [tool], scopes: everywhere, also: [`${tool} with any input`] }, ...whole];
}

function skillRules(subject: PermissionSubject): readonly RuleSuggestion[] {
  if (subject.name === undefined) return [];
  const args = subject.input['args'];
  const carries = typeof args === 'string' && args.trim() !== '';
  return [{ rules: [carries ? `Skill(${subject.name} *)` : `Skill(${subject.name})`], scopes: everywhere, also: carries ? [`/${subject.name} with any arguments`] : [], not: carries ? [] : [`/${subject.name} with arguments`] }];
}

function pathRules(family: 'Edit' | 'Read', subject: PermissionSubject, policy: PermissionPolicy): readonly RuleSuggestion[] {
  const paths = (subject.paths ?? []).map((p) => rulePath(p, policy));
  if (paths.length === 0 || (family === 'Edit' && paths.some((p) => protectedReason(p)))) return [];
  const isFolder = subject.kind === 'search';
  const rules = [...new Set(paths.map((p) => `${family}(${folderPattern(p, isFolder, policy)})`))];
  if (rules.length > mostRules) return [];
  const inside = paths.every((p) => isInside(p, normalPath(policy.projectRoot)));
  const [first = ''] = paths;
  const dir = isFolder ? first : parentOf(first);
  const also = rules[0]?.endsWith('/**)') ? [`${dir}/other-file`, `${dir}/any/folder/below`] : [];
  return [{ rules, scopes: inside ? inProject : everywhere, also, not: [`${parentOf(dir) === '/' ? '' : parentOf(dir)}/elsewhere`] }];
}

/** A file in an agent's worktree is named by its place in the project. */
export function rulePath(path: string, policy: PermissionPolicy): string {
  const whole = normalPath(expandHome(path, policy.homeDir), policy.cwd);
  const root = policy.worktree ? normalPath(policy.worktree.root) : undefined;
  return policy.worktree && root !== undefined && isInside(whole, root) ? normalPath(`${policy.worktree.mainRoot}/${whole.slice(root.length)}`) : whole;
}

function folderPattern(path: string, isFolder: boolean, policy: PermissionPolicy): string {
  const project = normalPath(policy.projectRoot);
  const home = normalPath(policy.homeDir);
  const dir = isFolder ? path : parentOf(path);
  // A folder this wide is too much to give away with one click: only the file.
  const wide = dir === project || dir === home || isInside(home, dir) || dir.split('/').length < 3;
  const target = wide && !isFolder ? escapeGlob(path) : `${escapeGlob(dir)}/**`;
  if (isInside(path, project)) return target.slice(escapeGlob(project).length) || '/**';
  return isInside(path, home) ? `~${target.slice(escapeGlob(home).length)}` : `/${target}`;
}

export function escapeGlob(path: string): string {
  return path.replace(/[*?[\\]/g, '\\$&');
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/')) || '/';
}

/** Programs whose first words say what they do; the number of words that make up a verb. */
const verbs: Readonly<Record<string, number>> = { git: 2, npm: 2, pnpm: 2, yarn: 2, bun: 2, cargo: 2, go: 2, docker: 2, kubectl: 2, gh: 3, pip: 2, pip3: 2, poetry: 2, uv: 2, dotnet: 2, gradle: 2, mvn: 2, terraform: 2, brew: 2, apt: 2, systemctl: 2, helm: 2, aws: 3, make: 2 };
const scriptVerbs = /^(npm|pnpm|yarn|bun) (run|exec)$|^(uv|poetry|cargo|dotnet) run$|^docker compose$/;
/** Whatever follows can be anything at all: only this very call. */
const onlyExact = /^(rm|rmdir|mv|dd|chmod|chown|sudo|doas|env|eval|exec|source|\.|bash|sh|zsh|fish|dash|python[\d.]*|node|deno|ruby|perl|php|osascript|curl|wget|ssh|scp|rsync|nc|xargs|npx|bunx|pnpx|kill|killall|pkill|tee|sed|awk|find|watch|setsid|ionice|flock|docker|\[|test|export)$/;

interface CommandCall {
  readonly parts: readonly SimpleCommand[];
  readonly explanation: PermissionExplanation;
  readonly writes: readonly Word[];
}

function commandRules(subject: PermissionSubject, policy: PermissionPolicy, call: CommandCall): readonly RuleSuggestion[] {
  const verdicts = call.explanation.parts;
  const asked = call.parts.filter((part) => !verdicts || verdicts.some((v) => v.command === part.text && v.decision === 'ask'));
  const family = subject.tool === 'PowerShell' ? 'PowerShell' : 'Bash';
  const wide: string[] = [];
  const exact: string[] = [];
  for (const part of asked) {
    const own = exactRule(part);
    if (own === undefined) return [];
    exact.push(`${family}(${own})`);
    wide.push(`${family}(${prefixRule(part) ?? own})`);
  }
  const redirects = call.writes.filter((w) => verdicts?.some((v) => v.command === `> ${w.source}` && v.decision === 'ask'));
  for (const target of redirects) {
    if (target.dynamic || target.glob || target.tilde) return [];
    const path = rulePath(target.text, { ...policy, cwd: subject.cwd });
    if (protectedReason(path)) return [];
    const rule = isInside(path, normalPath(policy.projectRoot)) ? `Edit(${escapeGlob(path.slice(normalPath(policy.projectRoot).length))})` : `Edit(/${escapeGlob(path)})`;
    wide.push(rule);
    exact.push(rule);
  }
  const scopes = redirects.length > 0 ? inProject : everywhere;
  const made = [[...new Set(wide)], [...new Set(exact)]].filter((rules) => rules.length > 0 && rules.length <= mostRules);
  const distinct = made.filter((rules, i) => i === 0 || rules.join() !== made[0]?.join());
  return distinct.map((rules) => ({ rules, scopes, ...examples(rules) }));
}

/** undefined when no rule can speak for it. */
function exactRule(part: SimpleCommand): string | undefined {
  const [name] = part.words;
  if (part.kind !== 'command' || !name || name.dynamic || name.glob || part.words.some((w) => w.text.includes('\n') || w.text.includes('*'))) return undefined;
  const prefix = part.assignments.filter((a) => part.assignments.some((b) => !isSafeVariable(b.name)) && a.name !== '').map((a) => `${a.name}=${a.value}`);
  return [...prefix, ...part.words.map((w) => (w.dynamic ? w.text : quoteWord(w.text)))].join(' ');
}

function prefixRule(part: SimpleCommand): string | undefined {
  const { words } = part;
  const name = words[0]?.text ?? '';
  if (part.assignments.some((a) => !isSafeVariable(a.name)) || onlyExact.test(commandName(words)) || onlyExactCmdlets.has(commandName(words).toLowerCase()) || needsExactRule(words)) return undefined;
  const count = verbs[name];
  if (count === undefined) return `${quoteWord(name)} *`;
  const take = scriptVerbs.test(`${name} ${words[1]?.text ?? ''}`) ? 3 : count;
  const head = words.slice(0, take);
  if (head.length < take || head.some((w) => w.dynamic || w.glob || w.text.startsWith('-'))) return undefined;
  return `${head.map((w) => quoteWord(w.text)).join(' ')} *`;
}

function examples(rules: readonly string[]): Pick<RuleSuggestion, 'also' | 'not'> {
  const inner = rules.filter((r) => /^(Bash|PowerShell)\(/.test(r)).map((r) => r.slice(r.indexOf('(') + 1, -1));
  const open = inner.filter((r) => r.endsWith(' *')).map((r) => r.slice(0, -2));
  const also = open.flatMap((base) => [base, `${base} with any further words`]).slice(0, 4);
  const not = open.length > 0 ? open.map((base) => (base.includes(' ') ? `${base.split(' ')[0]} with another command` : `${base} && something else`)) : inner.map((line) => `${line} with any other word`);
  return { also, not: not.slice(0, 3) };
}
