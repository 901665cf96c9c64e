import type { OAuthClientProvider, OAuthDiscoveryState } from '@modelcontextprotocol/sdk/client/auth.js';
import type { OAuthClientInformationMixed, OAuthClientMetadata, OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js';
import type { FetchLike } from '../model/fetchLike';
import type { McpOAuth } from './mcpServer';
import type { OAuthStore } from './oauthStore';

export interface ProviderParts {
  readonly store: OAuthStore;
  readonly redirectUrl: string;
  readonly oauth: McpOAuth | undefined;
  /** A document that stands for us where a sign-in server takes addresses as client ids. */
  readonly clientMetadataUrl?: string;
  readonly fetch: FetchLike;
}

/** A page that a person has to visit, and what the answer will carry. */
export interface PendingSignIn {
  readonly url: string;
  readonly state: string;
}

/** The SDK's view of one server's sign-in. It never opens a page by itself: it keeps the address until a person wants it. */
export class OAuthProvider implements OAuthClientProvider {
  private verifier = '';
  private asked: PendingSignIn | undefined;
  private lastState = '';

  constructor(private readonly parts: ProviderParts) {}

  get pending(): PendingSignIn | undefined {
    return this.asked;
  }

  get redirectUrl(): string {
    return this.parts.redirectUrl;
  }

  get clientMetadataUrl(): string | undefined {
    return this.parts.clientMetadataUrl;
  }

  get clientMetadata(): OAuthClientMetadata {
    const { oauth, redirectUrl } = this.parts;
    return {
      client_name: 'Troupe',
      redirect_uris: [redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: oauth?.clientSecret ? 'client_secret_post' : 'none',
      ...(oauth?.scopes ? { scope: oauth.scopes } : {}),
    };
  }

  state(): string {
    this.lastState = crypto.randomUUID();
    return this.lastState;
  }

  async clientInformation(): Promise<OAuthClientInformationMixed | undefined> {
    const { oauth, store } = this.parts;
    if (oauth?.clientId) return { client_id: oauth.clientId, ...(oauth.clientSecret ? { client_secret: oauth.clientSecret } : {}) };
    return (await store.read()).client;
  }

  async saveClientInformation(client: OAuthClientInformationMixed): Promise<void> {
    if (this.parts.oauth?.clientId) return;
    await this.parts.store.write({ ...(await this.parts.store.read()), client });
  }

  async tokens(): Promise<OAuthTokens | undefined> {
    return (await this.parts.store.read()).tokens;
  }

  async saveTokens(tokens: OAuthTokens): Promise<void> {
    this.asked = undefined;
    await this.parts.store.write({ ...(await this.parts.store.read()), tokens });
  }

  redirectToAuthorization(url: URL): void {
    this.asked = { url: url.href, state: this.lastState };
  }

  saveCodeVerifier(verifier: string): void {
    this.verifier = verifier;
  }

  codeVerifier(): string {
    return this.verifier;
  }

  async invalidateCredentials(scope: 'all' | 'client' | 'tokens' | 'verifier' | 'discovery'): Promise<void> {
    const { store } = this.parts;
    if (scope === 'verifier' || scope === 'discovery') return;
    const { tokens, client } = await store.read();
    if (scope === 'all') await store.write({});
    else if (scope === 'tokens') await store.write(client ? { client } : {});
    else await store.write(tokens ? { tokens } : {});
  }

  /** Where the entry names the sign-in server's own description, nothing is guessed. */
  async discoveryState(): Promise<OAuthDiscoveryState | undefined> {
    const url = this.parts.oauth?.authServerMetadataUrl;
    if (url === undefined) return undefined;
    const response = await this.parts.fetch(url, { headers: { accept: 'application/json' } });
    if (!response.ok) return undefined;
    const metadata = await response.json();
    const issuer: unknown = metadata?.issuer;
    return { authorizationServerUrl: typeof issuer === 'string' ? issuer : new URL(url).origin, authorizationServerMetadata: metadata };
  }
}
