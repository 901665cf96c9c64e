import type { Problem } from '../base/problem';
import { parseRule } from '../permissions/parseRule';
import type { Hook, HookOrigin } from './hook';
import { type HookEventName, hookEventNames, hookEvents, isHookEvent } from './hookEvents';
import { compileMatcher } from './hookMatcher';
import { HookGroup, HookHandler } from './hookSchema';
import { didYouMean } from '../base/nearest';

export interface ReadHooks {
  readonly hooks: readonly Hook[];
  /** `field` is where in the file, dotted; what has a problem and no warning of its own is left out. */
  readonly problems: readonly Problem[];
}

/**
 * Reads a map of events as it stands in a settings file, a plugin's hooks.json or frontmatter. Good entries count, bad
 * ones are named: `hook-bad-shape`, `hook-unknown-event`, `hook-bad-matcher`, `hook-unsupported-type`, `hook-bad-if`.
 */
export function readHooks(raw: unknown, origin: HookOrigin): ReadHooks {
  const reading = new Reading(origin);
  if (!isMap(raw)) {
    reading.say('hook-bad-shape', [], `hooks are a map of event names, each with a list; here they are ${kindOf(raw)}`);
    return reading;
  }
  for (const [name, groups] of Object.entries(raw)) reading.event(name, groups);
  return reading;
}

class Reading implements ReadHooks {
  readonly hooks: Hook[] = [];
  readonly problems: Problem[] = [];

  constructor(private readonly origin: HookOrigin) {}

  say(code: string, at: readonly (string | number)[], message: string): void {
    const { path, keys = [] } = this.origin;
    const field = [...keys, ...at].join('.');
    this.problems.push({ severity: 'warning', code, message, ...(path === undefined ? {} : { path }), ...(field === '' ? {} : { field }) });
  }

  event(written: string, groups: unknown): void {
    if (!isHookEvent(written)) {
      const [near] = didYouMean(written, hookEventNames);
      return this.say('hook-unknown-event', [written], `there is no hook event "${written}"${near === undefined ? '' : `; did you mean ${near}`}. Its hooks are left out`);
    }
    if (!Array.isArray(groups)) return this.say('hook-bad-shape', [written], `the hooks of ${written} are a list of {"matcher"?, "hooks": […]}; here they are ${kindOf(groups)}`);
    // An agent's own Stop means its end, which is that of a sub-agent.
    const event = this.origin.source === 'agent' && written === 'Stop' ? 'SubagentStop' : written;
    for (const [index, group] of groups.entries()) this.group({ event, at: [written, index] }, group);
  }

  private group(where: { readonly event: HookEventName; readonly at: readonly (string | number)[] }, raw: unknown): void {
    const group = HookGroup.safeParse(raw);
    if (!group.success) {
      const flat = isMap(raw) && 'type' in raw && !('hooks' in raw) ? '; its handler belongs into a list "hooks" of its own' : '';
      return this.say('hook-bad-shape', where.at, `is no {"matcher"?, "hooks": […]}${flat}. It is left out`);
    }
    const { matcher, hooks } = group.data;
    const compiled = compileMatcher(where.event, where.event === 'SubagentStop' && this.origin.source === 'agent' ? undefined : matcher);
    if (compiled.warning !== undefined) this.say('hook-bad-matcher', [...where.at, 'matcher'], compiled.warning);
    for (const [index, handler] of hooks.entries()) {
      const read = this.handler({ event: where.event, at: [...where.at, 'hooks', index] }, handler);
      if (read) this.hooks.push({ event: where.event, matcher, matches: compiled.matches, handler: read, origin: this.origin });
    }
  }

  private handler({ event, at }: { readonly event: HookEventName; readonly at: readonly (string | number)[] }, raw: unknown): HookHandler | undefined {
    const parsed = HookHandler.safeParse(raw);
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      this.say('hook-bad-shape', [...at, ...(issue?.path ?? []).map((key) => (typeof key === 'number' ? key : String(key)))], `${issue?.message ?? 'is no handler'}. The hook is left out`);
      return undefined;
    }
    const handler = parsed.data;
    const refused = refusal(event, handler);
    if (refused) {
      this.say(refused.code, at, refused.message);
      return undefined;
    }
    if (handler.if !== undefined && !hookEvents[event].tool) this.say('hook-if-never', [...at, 'if'], `"if" is judged for tool calls alone; on ${event} this hook never runs`);
    return handler;
  }
}

function refusal(event: HookEventName, handler: HookHandler): { readonly code: string; readonly message: string } | undefined {
  const { types } = hookEvents[event];
  const allowed = types === 'all' ? undefined : types === 'local' ? ['command', 'mcp_tool'] : ['command', 'http', 'mcp_tool'];
  if (allowed && !allowed.includes(handler.type)) return { code: 'hook-unsupported-type', message: `${event} takes handlers of type ${allowed.join(', ')}, not ${handler.type}. The hook is left out` };
  if (handler.type === 'command' && handler.args === undefined && handler.command.includes('${user_config.')) {
    return { code: 'hook-option-in-shell', message: 'an option must not become part of a shell line; use "args", where it stays one word. The hook is left out' };
  }
  if (handler.if === undefined) return undefined;
  const rule = parseRule(handler.if, 'ask');
  return rule.ok ? undefined : { code: 'hook-bad-if', message: `"if": ${rule.problem.message} The hook is left out` };
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function kindOf(value: unknown): string {
  return Array.isArray(value) ? 'a list' : value === null ? 'nothing' : typeof value === 'string' ? 'text' : `a ${typeof value}`;
}
