import type { FetchLike } from '../model/fetchLike';
import { maxMessageBytes } from './lineFeed';

/**
 * A `fetch` whose replies can't fill the memory: a line (one message of an event stream), or a whole reply that is no
 * stream, breaks off at the limit.
 */
export function limitedFetch(inner: FetchLike, maxBytes = maxMessageBytes): FetchLike {
  return async (url, init) => {
    const response = await inner(url, init);
    if (!response.body) return response;
    const isStream = /event-stream/.test(response.headers.get('content-type') ?? '');
    let bytes = 0;
    const limit = new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        const last = isStream ? chunk.lastIndexOf(10) : -1;
        bytes = last === -1 ? bytes + chunk.length : chunk.length - last;
        if (bytes > maxBytes) controller.error(new Error(`the answer is larger than ${Math.round(maxBytes / 1_048_576)} MB; ask for less`));
        else controller.enqueue(chunk);
      },
    });
    return new Response(response.body.pipeThrough(limit), { status: response.status, statusText: response.statusText, headers: response.headers });
  };
}
