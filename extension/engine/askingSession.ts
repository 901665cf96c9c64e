import type { PermissionBroker } from '../permissions/permissionTypes';
import type { QuestionReply, QuestionRequest } from '../protocol/interaction';
import type { AskDesk } from './askDesk';

/** What of a session answers for a server's question. */
export interface AskingSession {
  readonly question: (request: Omit<QuestionRequest, 'requestId'>, signal: AbortSignal) => Promise<QuestionReply | { readonly behavior: 'cancelled' }>;
  readonly decide: PermissionBroker['decide'];
  readonly agentPath: (agentId: string) => readonly string[];
  readonly model: () => string;
}

/** Parts are asked for at the time: they are made after this is. */
export function askingSession(parts: { readonly desk: () => AskDesk; readonly broker: () => PermissionBroker; readonly agentPath: AskingSession['agentPath']; readonly model: () => string }): AskingSession {
  return { question: (request, signal) => parts.desk().question(request, signal), decide: (call) => parts.broker().decide(call), agentPath: parts.agentPath, model: parts.model };
}
