import { newId } from '../base/ids';

const servers = 'mcp:';
const running = 'in:';

/** What a server asks by itself belongs to no call of a model: nothing is run again when its answer comes late. */
export function mcpCallId(server: string): string {
  return `${servers}${server}:${newId('ask')}`;
}

/** What a running call meets (a host its command wants to reach) is over with the call. */
export function sideCallId(callId: string): string {
  return `${running}${callId}:${newId('ask')}`;
}

/** Its ask has no call that waits for it after a reload. */
export function isSideCallId(callId: string): boolean {
  return callId.startsWith(servers) || callId.startsWith(running);
}
