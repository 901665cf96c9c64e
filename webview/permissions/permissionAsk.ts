import type { PendingAsk } from '../../extension/protocol/view';

export type PermissionAsk = Extract<PendingAsk, { kind: 'permission' }>;
