import { newId } from '../base/ids';

const prefix = 'mcp:';

/** What a server asks by itself belongs to no call of a model: nothing is run again when its answer comes late. */
export function mcpCallId(server: string): string {
  return `${prefix}${server}:${newId('ask')}`;
}

export function isMcpCallId(callId: string): boolean {
  return callId.startsWith(prefix);
}
