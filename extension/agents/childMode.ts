import type { PermissionMode } from '../protocol/permission';

/** Strictest first. */
const order: readonly PermissionMode[] = ['plan', 'dontAsk', 'default', 'auto', 'acceptEdits', 'bypassPermissions'];

/** The parent's mode, or a stricter one that a definition or a call asks for: delegating never asks a person less. */
export function childMode(parent: PermissionMode, ...wanted: readonly (PermissionMode | undefined)[]): PermissionMode {
  const rank = (mode: PermissionMode): number => {
    const at = order.indexOf(mode);
    return at === -1 ? order.length : at;
  };
  return wanted.reduce<PermissionMode>((mode, other) => (other !== undefined && rank(other) < rank(mode) ? other : mode), parent);
}
