import type { HookEventName } from './hookEvents';
import type { HookHandler } from './hookSchema';

export type HookSource = 'managed' | 'flag' | 'local' | 'project' | 'user' | 'plugin' | 'skill' | 'agent';

/** Where hooks were written, and whom they are for. */
export interface HookOrigin {
  readonly source: HookSource;
  readonly path?: string;
  /** Where the map of events stands in that file, for the line of a problem. */
  readonly keys?: readonly string[];
  /** Of the plugin, skill or agent. */
  readonly name?: string;
  readonly plugin?: { readonly name: string; readonly root: string; readonly dataDir?: string; readonly options?: Readonly<Record<string, string>>; readonly isForced?: boolean };
  /** Hooks of an agent's own file run for that agent alone. */
  readonly agentId?: string;
}

/** One handler of one event, ready to be asked whether it is meant. */
export interface Hook {
  readonly event: HookEventName;
  readonly matcher: string | undefined;
  readonly matches: (value: string) => boolean;
  readonly handler: HookHandler;
  readonly origin: HookOrigin;
}

/** What stands in the tool line and in lists: the command, the address, the start of the prompt. */
export function hookLabel(handler: HookHandler): string {
  switch (handler.type) {
    case 'command':
      return cut([handler.command, ...(handler.args ?? [])].join(' '));
    case 'http':
      return cut(handler.url);
    case 'mcp_tool':
      return `${handler.server}: ${handler.tool}`;
    case 'prompt':
    case 'agent':
      return cut(`${handler.type}: ${handler.prompt}`);
  }
}

function cut(text: string): string {
  const line = text.split('\n')[0] ?? '';
  return line.length > 120 || line !== text ? `${line.slice(0, 119)}…` : line;
}
