export const callErrorCodes = ['invalid', 'notFound', 'readOnly', 'busy', 'notReady', 'unavailable', 'internal'] as const;
export type CallErrorCode = (typeof callErrorCodes)[number];

/** Thrown by a handler for what the caller should hear; anything else is a bug and reaches it as `internal`. */
export class CallError extends Error {
  constructor(
    readonly code: CallErrorCode,
    message: string,
  ) {
    super(message);
  }
}
