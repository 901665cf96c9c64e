import { err, ok, type Result } from '../base/result';
import type { FetchLike } from '../model/fetchLike';
import type { Secrets, SignIn } from '../ports';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { McpServer } from './mcpServer';
import { OAuthProvider } from './oauthProvider';
import { createOAuthStore } from './oauthStore';
import { type OpenedTransport, openTransport, type TransportPorts } from './openTransport';
import type { Sdk } from './sdkTypes';

export interface SignInPorts {
  readonly secrets: Secrets;
  /** Absent: nobody can sign in here; what is stored is used. */
  readonly signIn: SignIn | undefined;
  readonly fetch: () => Promise<FetchLike>;
  readonly transport: Omit<TransportPorts, 'provider' | 'fetch' | 'cwd'> & { readonly cwd: () => string };
}

/** Opens ways to servers, with the tokens that are stored, and takes a person through a sign-in when they want to. */
export interface SignIns {
  readonly open: (server: McpServer, sdk: Sdk, onText: (text: string) => void) => Promise<Result<Transport, string>>;
  /** After it the server has to be connected again. @returns problem: in words for the person */
  readonly signIn: (server: McpServer, signal: AbortSignal) => Promise<Result<void, string>>;
  /** Whether a page waits for the person. */
  readonly isWaiting: (server: McpServer) => boolean;
}

/** A client id that was made before and a redirect that differs from it are refused; one per server is kept. */
export function createSignIns(ports: SignInPorts): SignIns {
  const opened = new Map<string, NonNullable<OpenedTransport['signIn']>>();
  const provider = async (server: McpServer): Promise<OAuthProvider | undefined> => {
    if (server.connect.kind !== 'http' && server.connect.kind !== 'sse') return undefined;
    const store = createOAuthStore(ports.secrets, server.connect.url);
    if (!ports.signIn && !(await store.read()).tokens) return undefined;
    return new OAuthProvider({
      store,
      redirectUrl: (await ports.signIn?.redirectUrl()) ?? 'http://localhost/',
      oauth: server.connect.oauth,
      ...(ports.signIn?.clientMetadataUrl === undefined ? {} : { clientMetadataUrl: ports.signIn.clientMetadataUrl }),
      fetch: await ports.fetch(),
    });
  };
  return {
    open: async (server, sdk, onText) => {
      const transport = await openTransport(server, sdk, { ...ports.transport, cwd: ports.transport.cwd(), fetch: ports.fetch, provider, onText });
      if (!transport.ok) return transport;
      if (transport.value.signIn) opened.set(server.id, transport.value.signIn);
      else opened.delete(server.id);
      return ok(transport.value.transport);
    },
    isWaiting: (server) => opened.get(server.id)?.provider.pending !== undefined,
    signIn: async (server, signal) => {
      if (!ports.signIn) return err('A sign-in needs a browser, and there is none here. Sign in once in the editor, or give the server a token in its "headers".');
      const found = opened.get(server.id);
      const pending = found?.provider.pending;
      if (!found || !pending) return err(`${server.name} has not asked for a sign-in.`);
      await ports.signIn.openPage(pending.url);
      const query = await ports.signIn.answer(pending.state, signal).catch((thrown: unknown) => (signal.aborted ? undefined : Promise.reject(thrown)));
      if (!query) return err('The sign-in was not finished in time. Try again.');
      const code = query.get('code');
      if (code === null) return err(`The sign-in was refused: ${query.get('error_description') ?? query.get('error') ?? 'no reason was given'}.`);
      try {
        await found.transport.finishAuth(code);
        return ok(undefined);
      } catch (thrown) {
        return err(`The sign-in could not be finished: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
      }
    },
  };
}
