/** Session ids are UUID v4, agents `agent-<8 hex>`; the rest are short and unique in their session. */
export function newSessionId(): string {
  return globalThis.crypto.randomUUID();
}

export function newAgentId(): string {
  return `agent-${hex(4)}`;
}

/** `prefix` names the kind (`turn`, `msg`, `ask`), so that a log reads well. */
export function newId(prefix: string): string {
  return `${prefix}-${hex(6)}`;
}

/** The id of every session's own agent, the one the person talks to. */
export const mainAgentId = 'main';

function hex(bytes: number): string {
  return Array.from(globalThis.crypto.getRandomValues(new Uint8Array(bytes)), (b) => b.toString(16).padStart(2, '0')).join('');
}
