import type { PermissionExplanation, PermissionSubject } from '../protocol/permission';
import { createBashParser } from './bashParserLoader';
import { createPowerShellParser } from './powershellParserLoader';
import { type CallPlace, CallPlaces, pathForms } from './callPlace';
import type { SplitCommand } from './commandTypes';
import { judgeCommand } from './judgeCommand';
import { byRule, type Decided, decide, explain, type Judgement, strictest } from './judgement';
import { judgePath } from './judgePath';
import { judgePowerShell } from './judgePowerShell';
import type { Evaluate, PathFacts, PermissionPolicy } from './permissionTypes';
import { hostOf } from './policyIndex';
import { isPrivateHost } from './privateHosts';
import { type Advice, advise } from './suggest';
import { quietTools } from './toolNames';

export interface PermissionEvaluator {
  readonly evaluate: Evaluate;
  /** For a call that is asked about: rules "Always…" may save, and risks in words. */
  readonly advise: (subject: PermissionSubject, policy: PermissionPolicy, explanation: PermissionExplanation) => Promise<Advice>;
  readonly splitCommand: SplitCommand;
  readonly splitPowerShell: SplitCommand;
}

/** @param options.assetsDir folder of the bundle, where the wasm grammars lie */
export function createEvaluator(options: { readonly assetsDir: string }): PermissionEvaluator {
  const splitCommand = createBashParser(options.assetsDir);
  const splitPowerShell = createPowerShellParser(options.assetsDir);
  const splitters: Splitters = { bash: splitCommand, powershell: splitPowerShell };
  const places = new CallPlaces();
  const evaluate = async (subject: PermissionSubject, policy: PermissionPolicy, facts: PathFacts): Promise<PermissionExplanation> => {
    const place = await places.of(policy, facts);
    const found = wholeCall(place, subject);
    // A line is allowed part by part; what can't be parsed is allowed by no rule.
    const call = subject.kind === 'command' ? { ...found, allow: undefined } : found;
    const judged = (await judgeParts(place, subject, splitters)).map((part) => inSandbox(part, subject, policy));
    const parts = judged.map(({ command, found: own }) => ({ command, decided: decide(withCall(own, call), policy.mode) }));
    const whole = strictest(parts.map((p) => p.decided)) ?? neverReached();
    return explain(whole, judged.length > 1 ? parts : undefined);
  };
  return {
    evaluate,
    splitCommand,
    splitPowerShell,
    advise: (subject, policy, explanation) => advise({ subject, policy, explanation, split: subject.tool === 'PowerShell' ? splitPowerShell : splitCommand }),
  };
}

function neverReached(): Decided {
  throw new Error('a call without a part was judged');
}

/** Rules on the call as a whole: its tool, its parameters, its host or name. */
function wholeCall(place: CallPlace, subject: PermissionSubject): Pick<Judgement, 'deny' | 'ask' | 'mustAsk' | 'allow'> {
  const { index } = place;
  const on = (behavior: 'deny' | 'ask' | 'allow') => byRule(index.tool(behavior, subject.tool) ?? index.other(behavior, subject));
  return { deny: on('deny'), ask: on('ask'), mustAsk: subject.alwaysAsk, allow: on('allow') };
}

function withCall(found: Judgement, call: Pick<Judgement, 'deny' | 'ask' | 'mustAsk' | 'allow'>): Judgement {
  return { ...found, deny: call.deny ?? found.deny, ask: call.ask ?? found.ask, mustAsk: found.mustAsk ?? call.mustAsk, allow: found.allow ?? call.allow };
}

/** What it may touch is limited where it runs; what rules and protected paths demand is asked all the same. */
function inSandbox(part: Part, subject: PermissionSubject, policy: PermissionPolicy): Part {
  if (subject.kind !== 'command' || subject.sandboxed !== true || policy.freeInSandbox !== true || part.found.free !== undefined) return part;
  return { ...part, found: { ...part.found, free: 'it runs in the sandbox' } };
}

interface Splitters {
  readonly bash: SplitCommand;
  readonly powershell: SplitCommand;
}

interface Part {
  readonly command: string;
  readonly found: Judgement;
}

async function judgeParts(place: CallPlace, subject: PermissionSubject, split: Splitters): Promise<readonly Part[]> {
  if (subject.kind === 'command' && subject.command !== undefined) {
    if (subject.tool === 'PowerShell') return judgePowerShell(place, { command: subject.command, cwd: subject.cwd }, split.powershell);
    return judgeCommand(place, { tool: subject.tool, command: subject.command, cwd: subject.cwd }, split.bash);
  }
  const access = accessOf(subject);
  if (!access) return [{ command: subject.title, found: await judgeOther(place, subject) }];
  const paths = subject.paths && subject.paths.length > 0 ? subject.paths : [subject.cwd];
  return Promise.all(paths.map(async (path) => ({ command: path, found: await judgePath(place, { access, tool: subject.tool, path: absolute(path, subject.cwd) }) })));
}

function absolute(path: string, cwd: string): string {
  return /^([/\\~]|[A-Za-z]:)/.test(path) ? path : `${cwd}/${path}`;
}

function accessOf(subject: PermissionSubject): 'read' | 'edit' | undefined {
  if (subject.kind === 'edit') return 'edit';
  if (subject.kind === 'read' || /^(Read|Grep|Glob|LSP)$/.test(subject.tool)) return 'read';
  return undefined;
}

async function judgeOther(place: CallPlace, subject: PermissionSubject): Promise<Judgement> {
  switch (subject.kind) {
    case 'fetch': {
      const host = subject.url === undefined ? '' : hostOf(subject.url);
      return { mustAsk: isPrivateHost(host) ? `${host} is on this machine or in its own network` : undefined, readOnly: true, otherwise: `no rule allows fetching from ${host || 'this address'}` };
    }
    case 'skill':
      return { free: subject.readOnly ? 'the skill only adds its text' : undefined, readOnly: true, otherwise: 'no rule allows this skill' };
    case 'agent':
      return { free: 'what the agent does is checked call by call', readOnly: true, otherwise: '' };
    case 'plan':
      if (subject.tool === 'EnterPlanMode') return judgeNamed(place, subject); // it only ties the agent's own hands
      return { mustAsk: 'a plan is approved by a person', readOnly: true, otherwise: '' };
    default:
      return judgeNamed(place, subject);
  }
}

async function judgeNamed(place: CallPlace, subject: PermissionSubject): Promise<Judgement> {
  if (subject.tool === 'AskUserQuestion') return { mustAsk: 'only a person can answer', readOnly: true, otherwise: '' };
  if (subject.tool === 'Cd') return judgeCd(place, subject);
  const awayFromWorktrees = subject.tool === 'EnterWorktree' && typeof subject.input['path'] === 'string' && !subject.input['path'].includes('.claude/worktrees/');
  if (awayFromWorktrees) return { readOnly: true, otherwise: 'the folder is not one of .claude/worktrees' };
  const quiet = quietTools.has(subject.tool);
  const free = subject.kind !== 'mcp' && subject.tool !== 'WebSearch' && (quiet || subject.readOnly);
  return { free: free ? 'it changes nothing outside the session' : undefined, readOnly: quiet || subject.readOnly, otherwise: `no rule allows ${subject.tool}` };
}

async function judgeCd(place: CallPlace, subject: PermissionSubject): Promise<Judgement> {
  const forms = await pathForms(place, absolute(subject.paths?.[0] ?? '', subject.cwd));
  const rule = (behavior: 'deny' | 'ask' | 'allow') => byRule(forms.forRules.map((f) => place.index.path(behavior, 'cd', f)).find((r) => r !== undefined));
  return { deny: rule('deny'), ask: rule('ask'), allow: rule('allow'), readOnly: true, otherwise: 'no rule allows this folder' };
}
