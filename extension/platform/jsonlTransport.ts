import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';

/** Envelopes as JSON lines over two streams. A line that is no JSON is handed on as it is, for the receiver to refuse. */
export function createJsonlTransport(input: Readable, output: Writable): {
  readonly send: (envelope: object) => void;
  readonly onMessage: (listener: (message: unknown) => void) => { dispose(): void };
  /** Resolves when the other side has closed its end. */
  readonly closed: Promise<void>;
} {
  const listeners = new Set<(message: unknown) => void>();
  const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
  lines.on('line', (line) => {
    if (line.trim() === '') return;
    const message = parse(line);
    for (const listener of listeners) listener(message);
  });
  return {
    send: (envelope) => {
      if (output.writable) output.write(`${JSON.stringify(envelope)}\n`);
    },
    onMessage: (listener) => {
      listeners.add(listener);
      return { dispose: () => listeners.delete(listener) };
    },
    closed: new Promise((resolve) => lines.once('close', resolve)),
  };
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return line;
    throw thrown;
  }
}
