import type { OAuthClientInformationMixed, OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js';
import * as z from 'zod';
import type { Secrets } from '../ports';

/** What one server's sign-in left: kept in the guarded store of the operating system, never in a file of ours. */
export interface OAuthRecord {
  readonly tokens?: OAuthTokens;
  readonly client?: OAuthClientInformationMixed;
}

export interface OAuthStore {
  readonly read: () => Promise<OAuthRecord>;
  readonly write: (record: OAuthRecord) => Promise<void>;
}

const Kept = z.looseObject({
  tokens: z.looseObject({ access_token: z.string(), token_type: z.string() }).optional(),
  client: z.looseObject({ client_id: z.string() }).optional(),
});

/** Bound to the address: another server never gets these tokens. */
export function createOAuthStore(secrets: Secrets, url: string): OAuthStore {
  const name = `troupe.mcp:${url}`;
  return {
    read: async () => {
      const text = await secrets.get(name);
      return text === undefined ? {} : parsed(text);
    },
    write: (record) => (record.tokens || record.client ? secrets.set(name, JSON.stringify(record)) : secrets.delete(name)),
  };
}

/** What can't be read any more is as good as nothing: the person signs in again. */
function parsed(text: string): OAuthRecord {
  try {
    const kept = Kept.safeParse(JSON.parse(text));
    return kept.success ? kept.data : {};
  } catch {
    return {}; // torn or of another version
  }
}
