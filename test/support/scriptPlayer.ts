import { isRoute, type Match, type Matcher, type Route, type ScriptEntry, type ScriptFunction, type ScriptReply, type ScriptRequest, type ScriptStep, itemsOf } from './script';

export interface ScriptPlayer {
  /** The reply for this request, or in words why there is none. */
  readonly next: (request: ScriptRequest) => ScriptReply | string;
  /** How many one-time replies nobody has asked for yet. */
  readonly unused: () => number;
}

function matches(matcher: Matcher, request: ScriptRequest): boolean {
  if (typeof matcher === 'function') return matcher(request);
  const tests: Readonly<Record<keyof Match, boolean>> = {
    first: matcher.first === undefined || request.firstText.includes(matcher.first),
    last: matcher.last === undefined || request.lastText.includes(matcher.last),
    system: matcher.system === undefined || request.systemText.includes(matcher.system),
    model: matcher.model === undefined || request.model === matcher.model,
    tool: matcher.tool === undefined || request.toolNames.includes(matcher.tool),
    noTools: !matcher.noTools || request.toolNames.length === 0,
  };
  return Object.values(tests).every(Boolean);
}

interface Queue {
  readonly next: (request: ScriptRequest) => ScriptReply | undefined;
  readonly unused: () => number;
  readonly used: () => number;
}

function queueOf(steps: readonly ScriptStep[]): Queue {
  let at = 0;
  return {
    next: () => {
      const step = steps[at];
      if (step === undefined) return undefined;
      const repeat = 'items' in step && step.repeat === true;
      if (!repeat) at++;
      return { items: itemsOf(step) };
    },
    unused: () => steps.slice(at).filter((step) => !('items' in step && step.repeat)).length,
    used: () => at,
  };
}

function callsOf(run: ScriptFunction): Queue {
  let n = 0;
  return {
    next: (request) => {
      const step = run(request, n++);
      return step && { items: itemsOf(step) };
    },
    unused: () => 0,
    used: () => n,
  };
}

function routeQueue(route: Route): Queue {
  const replies = route.replies;
  if (typeof replies === 'function') return callsOf(replies);
  if (!route.each) return queueOf(replies);
  const perConversation = new Map<string, Queue>();
  return {
    next: (request) => {
      const queue = perConversation.get(request.firstText) ?? queueOf(replies);
      perConversation.set(request.firstText, queue);
      return queue.next(request);
    },
    unused: () => [...perConversation.values()].reduce((sum, queue) => sum + queue.unused(), 0),
    used: () => [...perConversation.values()].reduce((sum, queue) => sum + queue.used(), 0),
  };
}

const nameOf = (matcher: Matcher): string => (typeof matcher === 'function' ? 'a function' : JSON.stringify(matcher));
const short = (text: string): string => JSON.stringify(text.length > 160 ? `…${text.slice(-160)}` : text);

export function createScriptPlayer(entries: readonly ScriptEntry[]): ScriptPlayer {
  const routes = entries.filter(isRoute).map((route) => ({ route, queue: routeQueue(route) }));
  const steps = queueOf(entries.filter((entry): entry is ScriptStep => typeof entry !== 'function' && !isRoute(entry)));
  const functions = entries.filter((entry): entry is ScriptFunction => typeof entry === 'function').map(callsOf);
  return {
    next: (request) => {
      const hit = routes.find(({ route }) => matches(route.when, request));
      const queues = hit ? [hit.queue] : [steps, ...functions];
      for (const queue of queues) {
        const found = queue.next(request);
        if (found) return found;
      }
      const where = hit ? `the route when(${nameOf(hit.route.when)})` : 'the main script';
      const used = queues.reduce((sum, queue) => sum + queue.used(), 0);
      return `The test's script ran out: ${where} gave ${used} ${used === 1 ? 'reply' : 'replies'} and has none for this request to ${request.model}, whose first user text ends ${short(request.firstText)} and whose last text ends ${short(request.lastText)}. Add a reply, or a when(…) route for it.`;
    },
    unused: () => [steps, ...routes.map(({ queue }) => queue)].reduce((sum, queue) => sum + queue.unused(), 0),
  };
}
