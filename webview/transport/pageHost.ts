import type { Transport } from '../../extension/protocol/envelope';

/** What the page stands on: the pipe to the engine, and a small store that survives a reload of the page. */
export interface PageHost {
  readonly transport: Transport;
  /** Whatever was saved last; not trusted, the reader parses it. */
  readonly loadState: () => unknown;
  readonly saveState: (state: unknown) => void;
}
