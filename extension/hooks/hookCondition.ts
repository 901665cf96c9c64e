import { compilePathPattern } from '../permissions/pathPattern';
import type { SplitCommand } from '../permissions/commandTypes';
import { parseRule } from '../permissions/parseRule';
import type { Evaluate, PathFacts, PermissionPolicy } from '../permissions/permissionTypes';
import { ruleNamesFor } from '../permissions/toolNames';
import type { PermissionSubject } from '../protocol/permission';

export interface ConditionPorts {
  readonly evaluate: Evaluate;
  readonly splitCommand: SplitCommand;
  readonly facts: PathFacts;
  readonly projectRoot: string;
  readonly homeDir: string;
}

/**
 * Whether a call is one that an `if` speaks of. Commands are looked into as a deny rule does; what can't be taken
 * apart counts as meant, since a guard that is not asked guards nothing (spec 05.3).
 */
export async function isMeant(rule: string, subject: PermissionSubject, ports: ConditionPorts): Promise<boolean> {
  const parsed = parseRule(rule, 'ask');
  if (!parsed.ok) return true;
  const { rule: wanted } = parsed.value;
  if (wanted.kind === 'path') {
    const access = subject.kind === 'edit' ? 'edit' : 'read';
    return wanted.access === access && ruleNamesFor(subject.tool).some((name) => /^(Read|Edit|Cd)$/.test(name)) && pathIsMeant(wanted.pattern, subject, ports);
  }
  if (wanted.kind === 'command' && subject.kind === 'command' && ruleNamesFor(subject.tool).includes(wanted.tool)) {
    const command = subject.command ?? '';
    if (isSpecific(wanted.specifier) && /\$\(|`|\$\{?[A-Za-z_]/.test(command)) return true;
    if (wanted.tool === 'Bash' && !(await ports.splitCommand(command)).ok) return true;
  }
  const policy: PermissionPolicy = {
    rules: [{ text: rule, behavior: 'deny', source: 'session', anchorDir: ports.projectRoot }],
    mode: 'bypassPermissions',
    cwd: subject.cwd,
    projectRoot: ports.projectRoot,
    homeDir: ports.homeDir,
    workingDirs: [subject.cwd],
  };
  return (await ports.evaluate(subject, policy, ports.facts)).decision === 'deny';
}

/** Says more than the command's bare name. */
function isSpecific(pattern: string): boolean {
  return pattern.replace(/:\*$/, ' *').trim().split(/\s+/).filter((word) => word !== '*').length > 1;
}

/** As an allow rule reads it: `src/**` is the folder at the top, not one anywhere. */
async function pathIsMeant(pattern: string, subject: PermissionSubject, ports: ConditionPorts): Promise<boolean> {
  const paths = subject.paths && subject.paths.length > 0 ? subject.paths : [subject.cwd];
  const both = await Promise.all(paths.map(async (path) => [path, await ports.facts.realPath(path)]));
  const anchors = { ruleDir: ports.projectRoot, cwd: subject.cwd, homeDir: ports.homeDir };
  const real = { ruleDir: await ports.facts.realPath(ports.projectRoot), cwd: await ports.facts.realPath(subject.cwd), homeDir: await ports.facts.realPath(ports.homeDir) };
  const matchers = [compilePathPattern(pattern, 'allow', anchors), compilePathPattern(pattern, 'allow', real)];
  return both.flat().some((path) => matchers.some((matcher) => (path === matcher.base || path.startsWith(matcher.base === '/' ? '/' : `${matcher.base}/`)) && matcher.matches(path)));
}
