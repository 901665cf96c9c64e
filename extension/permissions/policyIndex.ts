import type { PermissionSubject } from '../protocol/permission';
import { type CommandPattern, compileCommandPattern, compilePowerShellPattern } from './commandPattern';
import { type ParsedRule, parseRule, plainHost } from './parseRule';
import { comparable, compilePathPattern, type PathMatcher } from './pathPattern';
import type { PolicyRule, RuleBehavior } from './permissionTypes';
import { ruleNamesFor } from './toolNames';
import { wildcardMatches } from './wildcard';

interface Compiled {
  readonly rule: PolicyRule;
  readonly parsed: ParsedRule;
}
interface CommandRule {
  readonly rule: PolicyRule;
  readonly family: 'Bash' | 'PowerShell';
  readonly pattern: CommandPattern;
}
interface PathRule {
  readonly rule: PolicyRule;
  readonly matcher: PathMatcher;
}
/** Path rules of one list by the folder they start at: a path only meets those of the folders it lies in. */
type ByFolder = Map<string, PathRule[]>;

export interface IndexPlace {
  readonly cwd: string;
  readonly homeDir: string;
  readonly inWorktree: boolean;
  /** The real path of each anchor folder, where it differs. */
  readonly realOf: ReadonlyMap<string, string>;
}

const rememberedPaths = 4096;

/** The rules of one policy, sorted by what they compare, so that a call only meets those that could speak about it. */
export class PolicyIndex {
  private readonly tools: Readonly<Record<RuleBehavior, Compiled[]>> = { allow: [], ask: [], deny: [] };
  private readonly commands: Readonly<Record<RuleBehavior, CommandRule[]>> = { allow: [], ask: [], deny: [] };
  private readonly paths = new Map<string, ByFolder>();
  private readonly others: Readonly<Record<RuleBehavior, Compiled[]>> = { allow: [], ask: [], deny: [] };
  private readonly pathHits = new Map<string, PolicyRule | null>();

  constructor(
    rules: readonly PolicyRule[],
    private readonly place: IndexPlace,
  ) {
    for (const rule of rules) {
      if (rule.worktreeOnly && !place.inWorktree) continue;
      const parsed = parseRule(rule.text, rule.behavior);
      if (parsed.ok) this.add({ rule, parsed: parsed.value.rule });
    }
  }

  /** A rule that names the tool as a whole. */
  tool(behavior: RuleBehavior, tool: string): PolicyRule | undefined {
    const names = ruleNamesFor(tool);
    return this.tools[behavior].find(({ parsed }) => parsed.kind === 'tool' && names.some((name) => wildcardMatches(parsed.tool, name)))?.rule;
  }

  command(behavior: RuleBehavior, tool: string, matches: (pattern: CommandPattern) => boolean): PolicyRule | undefined {
    const family = tool === 'PowerShell' ? 'PowerShell' : 'Bash';
    return this.commands[behavior].find((c) => c.family === family && matches(c.pattern))?.rule;
  }

  /** @param path normal form */
  path(behavior: RuleBehavior, access: 'read' | 'edit' | 'cd', path: string): PolicyRule | undefined {
    const key = `${behavior} ${access} ${path}`;
    const known = this.pathHits.get(key);
    if (known !== undefined) return known ?? undefined;
    const hit = ruleAt(this.paths.get(`${behavior} ${access}`), comparable(path, behavior));
    if (this.pathHits.size >= rememberedPaths) this.pathHits.clear();
    this.pathHits.set(key, hit ?? null);
    return hit;
  }

  /** A rule that could match one of the files a wildcard path names. */
  glob(behavior: RuleBehavior, access: 'read' | 'edit', glob: string): PolicyRule | undefined {
    return this.findPath(behavior, access, (m) => m.overlaps(glob));
  }

  below(behavior: RuleBehavior, access: 'read' | 'edit', dir: string): PolicyRule | undefined {
    return this.findPath(behavior, access, (m) => m.isBelow(dir));
  }

  private findPath(behavior: RuleBehavior, access: 'read' | 'edit', matches: (matcher: PathMatcher) => boolean): PolicyRule | undefined {
    for (const list of this.paths.get(`${behavior} ${access}`)?.values() ?? []) {
      const hit = list.find(({ matcher }) => matches(matcher));
      if (hit) return hit.rule;
    }
    return undefined;
  }

  hasPaths(behavior: RuleBehavior, access: 'read' | 'edit'): boolean {
    return this.paths.has(`${behavior} ${access}`);
  }

  /** Parameter, domain and name rules. */
  other(behavior: RuleBehavior, subject: PermissionSubject): PolicyRule | undefined {
    return this.others[behavior].find(({ parsed }) => otherMatches(parsed, behavior, subject))?.rule;
  }

  private add(compiled: Compiled): void {
    const { rule, parsed } = compiled;
    if (parsed.kind === 'tool') this.tools[rule.behavior].push(compiled);
    else if (parsed.kind === 'command') this.commands[rule.behavior].push({ rule, family: parsed.tool, pattern: (parsed.tool === 'PowerShell' ? compilePowerShellPattern : compileCommandPattern)(parsed.specifier) });
    else if (parsed.kind === 'path') this.addPath(rule, parsed);
    else this.others[rule.behavior].push(compiled);
  }

  private addPath(rule: PolicyRule, parsed: Extract<ParsedRule, { kind: 'path' }>): void {
    const { cwd, homeDir, realOf } = this.place;
    const written = { ruleDir: rule.anchorDir, cwd, homeDir };
    const real = { ruleDir: realOf.get(rule.anchorDir) ?? rule.anchorDir, cwd: realOf.get(cwd) ?? cwd, homeDir: realOf.get(homeDir) ?? homeDir };
    const differs = real.ruleDir !== written.ruleDir || real.cwd !== written.cwd || real.homeDir !== written.homeDir;
    const matchers = (differs ? [written, real] : [written]).map((anchors) => compilePathPattern(parsed.pattern, rule.behavior, { ...anchors, whole: parsed.access === 'cd' }));
    // What may be edited may be read.
    const accesses = parsed.access === 'edit' && rule.behavior === 'allow' ? (['edit', 'read'] as const) : [parsed.access];
    for (const access of accesses) {
      const key = `${rule.behavior} ${access}`;
      const folders: ByFolder = this.paths.get(key) ?? new Map<string, PathRule[]>();
      this.paths.set(key, folders);
      for (const matcher of matchers) folders.set(matcher.base, [...(folders.get(matcher.base) ?? []), { rule, matcher }]);
    }
  }
}

function ruleAt(folders: ByFolder | undefined, path: string): PolicyRule | undefined {
  if (!folders) return undefined;
  for (let dir = path; ; dir = dir.slice(0, dir.lastIndexOf('/'))) {
    const hit = folders.get(dir === '' ? '/' : dir)?.find(({ matcher }) => matcher.matches(path));
    if (hit || dir === '' || dir === '/') return hit?.rule;
  }
}

function otherMatches(parsed: ParsedRule, behavior: RuleBehavior, subject: PermissionSubject): boolean {
  switch (parsed.kind) {
    case 'param':
      return ruleNamesFor(subject.tool).includes(parsed.tool) && paramMatches(parsed, subject.input[parsed.param]);
    case 'domain':
      return subject.tool === 'WebFetch' && subject.url !== undefined && hostMatches(parsed.pattern, hostOf(subject.url));
    case 'name':
      return parsed.tool === subject.tool && nameMatches(parsed, behavior, subject);
    default:
      return false;
  }
}

function paramMatches(parsed: Extract<ParsedRule, { kind: 'param' }>, value: unknown): boolean {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return false;
  return wildcardMatches(parsed.value, String(value));
}

function nameMatches(parsed: Extract<ParsedRule, { kind: 'name' }>, behavior: RuleBehavior, subject: PermissionSubject): boolean {
  if (subject.name !== parsed.name) return false;
  const args = subject.input['args'];
  const carriesArgs = typeof args === 'string' && args.trim() !== '';
  return subject.tool !== 'Skill' || parsed.withArgs || behavior !== 'allow' || !carriesArgs;
}

export function hostOf(url: string): string {
  return URL.canParse(url) ? plainHost(new URL(url).hostname) : '';
}

/** `*.x` is any depth below x, never x itself; any other `*` stays within one label. */
export function hostMatches(pattern: string, host: string): boolean {
  if (host === '') return false;
  if (pattern.startsWith('*.')) {
    const labels = pattern.slice(2).split('.').length;
    const own = host.split('.');
    return own.length > labels && hostMatches(pattern.slice(2), own.slice(-labels).join('.'));
  }
  const wanted = pattern.split('.');
  const given = host.split('.');
  return wanted.length === given.length && wanted.every((label, i) => wildcardMatches(label, given[i] ?? ''));
}
