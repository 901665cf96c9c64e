import type { PageHost } from './pageHost';

interface VsCodeApi {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
}

declare global {
  var acquireVsCodeApi: (() => VsCodeApi) | undefined;
}

/** @returns undefined outside VS Code. May be called once per page, as VS Code hands its API out once. */
export function vscodeHost(): PageHost | undefined {
  const api = globalThis.acquireVsCodeApi?.();
  if (!api) return undefined;
  return {
    transport: {
      send: (envelope) => api.postMessage(envelope),
      onMessage: (listener) => {
        const receive = (event: MessageEvent): void => listener(event.data);
        window.addEventListener('message', receive);
        return { dispose: () => window.removeEventListener('message', receive) };
      },
    },
    loadState: () => api.getState(),
    saveState: (state) => api.setState(state),
  };
}
