import * as z from 'zod';

/** Apart from the rest of the wire, since settings, flags and agent files name modes too. */
export const PermissionMode = z.enum(['default', 'acceptEdits', 'plan', 'auto', 'dontAsk', 'bypassPermissions', 'bubble']);
export type PermissionMode = z.infer<typeof PermissionMode>;
