import type { EphemeralEvent, UiEvent } from './events';

export function isEphemeral(event: UiEvent): event is EphemeralEvent {
  return !('seq' in event);
}
