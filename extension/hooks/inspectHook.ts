import { type Hook, hookLabel } from './hook';
import { defaultTimeoutSeconds } from './hookLimits';
import { firedEvents, hookEvents } from './hookEvents';

/** One row of `troupe inspect hooks` (spec 20). */
export function inspectHook(hook: Hook): Readonly<Record<string, unknown>> {
  const { event, matcher, handler, origin } = hook;
  const runs = hookEvents[event].fired && handler.type !== 'mcp_tool';
  return {
    event,
    matcher: matcher ?? null,
    type: handler.type,
    source: origin.source,
    ...(origin.plugin ? { plugin: origin.plugin.name } : {}),
    path: origin.path ?? null,
    timeoutSeconds: handler.timeout ?? defaultTimeoutSeconds(event, handler.type),
    label: hookLabel(handler),
    ...(handler.if === undefined ? {} : { if: handler.if }),
    ...(runs ? {} : { waits: hookEvents[event].fired ? 'mcp_tool hooks run once MCP servers do' : `this version does not fire ${event} yet` }),
  };
}

/** One row of `troupe inspect hooks --events`. */
export function inspectEvents(): readonly Readonly<Record<string, unknown>>[] {
  return firedEvents.map((event) => ({ event, matcher: 'matcherField' in hookEvents[event] ? hookEvents[event].matcherField : null, types: hookEvents[event].types, blocks: hookEvents[event].exitTwo === 'block' }));
}
