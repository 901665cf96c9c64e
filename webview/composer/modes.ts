import type { PermissionMode } from '../../extension/protocol/permission';

export const modeWords: Readonly<Record<PermissionMode, { readonly label: string; readonly detail: string }>> = {
  plan: { label: 'Plan', detail: 'Reads and proposes. Changes nothing' },
  default: { label: 'Ask first', detail: 'Asks before edits, commands and network' },
  acceptEdits: { label: 'Accept edits', detail: 'Edits in this project; asks for the rest' },
  auto: { label: 'Auto', detail: 'Decides by itself what is safe' },
  dontAsk: { label: 'Don’t ask', detail: 'Denies what no rule allows' },
  bypassPermissions: { label: 'No questions', detail: 'Runs everything no rule denies' },
  bubble: { label: 'Ask first', detail: 'Asks before edits, commands and network' },
};

/** What is offered; a session in another mode shows that one too. */
export const offeredModes: readonly PermissionMode[] = ['plan', 'default', 'acceptEdits'];
