import * as z from 'zod';
import type { UiEvent } from './events';
import type { WorkspaceView } from './view';

/** What crosses between engine and front end, over any transport. Plain JSON. */
export const RequestEnvelope = z.strictObject({ kind: z.literal('request'), id: z.string(), method: z.string(), params: z.unknown() });
export const ReplyEnvelope = z.strictObject({
  kind: z.literal('reply'),
  id: z.string(),
  result: z.unknown().optional(),
  error: z.strictObject({ code: z.string(), message: z.string() }).optional(),
});
/** `fromSeq` is the last durable event the receiver should have before these. */
export const EventsEnvelope = z.strictObject({
  kind: z.literal('events'),
  sessionId: z.string(),
  fromSeq: z.int().min(0),
  events: z.array(z.custom<UiEvent>((value) => typeof value === 'object' && value !== null && 'type' in value)),
});
/** The small per-window state, whole. */
export const WorkspaceEnvelope = z.strictObject({
  kind: z.literal('workspace'),
  workspace: z.custom<WorkspaceView>((value) => typeof value === 'object' && value !== null && 'sessions' in value),
});
/** The host asks the front end to do something only it can: put text into the composer, show a session, a tab. */
export const UiCommandEnvelope = z.strictObject({
  kind: z.literal('ui'),
  command: z.discriminatedUnion('name', [
    z.strictObject({ name: z.literal('showSession'), sessionId: z.string() }),
    z.strictObject({ name: z.literal('compose'), text: z.string(), submit: z.boolean(), attach: z.enum(['file', 'selection', 'problems']).optional() }),
    z.strictObject({ name: z.literal('focusAsk') }),
    z.strictObject({ name: z.literal('newSession') }),
    z.strictObject({ name: z.literal('showSessions') }),
  ]),
});
export const Envelope = z.discriminatedUnion('kind', [RequestEnvelope, ReplyEnvelope, EventsEnvelope, WorkspaceEnvelope, UiCommandEnvelope]);
export type Envelope = z.infer<typeof Envelope>;
export type UiCommand = z.infer<typeof UiCommandEnvelope>['command'];

/** A two-way pipe of envelopes. `send` after the other side has gone is a no-op. */
export interface Transport {
  readonly send: (envelope: Envelope) => void;
  readonly onMessage: (listener: (message: unknown) => void) => { dispose(): void };
}
