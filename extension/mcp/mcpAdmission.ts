import * as z from 'zod';
import { lazily } from '../base/lazily';
import { wildcardMatches } from '../permissions/wildcard';
import type { McpServer } from './mcpServer';

/** What settings say about servers. The lists are as the person's and the organisation's files hold them. */
export interface McpRules {
  readonly enableAllProject: boolean;
  readonly enabledProject: readonly string[];
  /** A refusal in any file counts. */
  readonly disabledProject: readonly string[];
  /** undefined: all; empty: none. */
  readonly allowed: readonly unknown[] | undefined;
  readonly denied: readonly unknown[];
  /** An organisation takes servers from plugins and its own files alone (`strictPluginOnlyCustomization`). */
  readonly pluginsOnly: boolean;
}

/** `pending`: a person has to say yes first. */
export type Admission = { readonly kind: 'allowed' } | { readonly kind: 'pending' } | { readonly kind: 'refused'; readonly reason: string };

export interface AdmissionPlace {
  readonly trusted: boolean;
  /** There is a person who can say yes. */
  readonly interactive: boolean;
  readonly turnedOff: ReadonlySet<string>;
}

const matcher = lazily(() =>
  z.union([
    z.strictObject({ serverName: z.string() }),
    z.strictObject({ serverCommand: z.array(z.string()) }),
    z.strictObject({ serverUrl: z.string() }),
  ]),
);

/** Whether a server may be started: the organisation's lists first, then trust, then what the person has said. */
export function admit(server: McpServer, rules: McpRules, place: AdmissionPlace): Admission {
  if (rules.denied.some((entry) => matches(entry, server))) return refused('deniedMcpServers in the settings names it');
  if (rules.allowed && !rules.allowed.some((entry) => matches(entry, server))) return refused('allowedMcpServers in the settings does not name it');
  if (rules.pluginsOnly && server.scope !== 'plugin' && server.scope !== 'managed') return refused('strictPluginOnlyCustomization: servers come from plugins and managed settings alone');
  if (place.turnedOff.has(server.name)) return refused('it is turned off for this folder');
  if (server.scope !== 'project') return { kind: 'allowed' };
  if (!place.trusted) return refused('the folder is not trusted');
  if (rules.disabledProject.includes(server.name)) return refused('it was refused (disabledMcpjsonServers)');
  if (rules.enableAllProject || rules.enabledProject.includes(server.name)) return { kind: 'allowed' };
  return place.interactive ? { kind: 'pending' } : { kind: 'allowed' };
}

function refused(reason: string): Admission {
  return { kind: 'refused', reason };
}

/** An entry that names none or more than one of the three matches nothing. */
function matches(entry: unknown, { name, connect }: McpServer): boolean {
  const parsed = matcher().safeParse(entry);
  if (!parsed.success) return false;
  const { data } = parsed;
  if ('serverName' in data) return data.serverName === name;
  if ('serverUrl' in data) return connect.kind !== 'stdio' && wildcardMatches(data.serverUrl, connect.url);
  return connect.kind === 'stdio' && JSON.stringify(data.serverCommand) === JSON.stringify([connect.command, ...connect.args]);
}

/**
 * The one entry of each name that counts: the best that may start, else the best that waits for an answer, else the
 * best that was refused, so that what a repository brings never hides a server of the person's own.
 */
export function choose(servers: readonly McpServer[], judge: (server: McpServer) => Admission): readonly { readonly server: McpServer; readonly admission: Admission }[] {
  const byId = new Map<string, { readonly server: McpServer; readonly admission: Admission }[]>();
  for (const server of servers) byId.set(server.id, [...(byId.get(server.id) ?? []), { server, admission: judge(server) }]);
  return [...byId.values()].flatMap((candidates) => {
    const best = (['allowed', 'pending', 'refused'] as const).flatMap((kind) => candidates.find((one) => one.admission.kind === kind) ?? [])[0];
    return best ? [best] : [];
  });
}
