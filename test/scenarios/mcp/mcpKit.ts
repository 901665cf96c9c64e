import { join } from 'node:path';
import { expect } from 'vitest';
import { describeRequest, type ScriptRequest } from '../../support/script';
import { type EngineStart, startEngine, type TestSession } from '../../support/startEngine';

const own = join(process.cwd(), 'test/support/mcpServer.mjs');
const modules = join(process.cwd(), 'node_modules/@modelcontextprotocol');

/** The small server of the test support, with its flags. */
export const small = (...flags: readonly string[]) => ({ command: process.execPath, args: [own, ...flags] });
export const everything = { command: process.execPath, args: [join(modules, 'server-everything/dist/index.js')] };
export const filesystem = (dir: string) => ({ command: process.execPath, args: [join(modules, 'server-filesystem/dist/index.js'), dir] });

/** A session in a project whose `.mcp.json` names these servers, all of them approved. */
export function withServers(servers: Readonly<Record<string, unknown>>, start: EngineStart): Promise<TestSession> {
  start.repo?.write('.mcp.json', JSON.stringify({ mcpServers: servers }));
  return startEngine({
    ...start,
    files: { '.mcp.json': JSON.stringify({ mcpServers: servers }), ...start.files },
    options: { flagSettings: [{ enableAllProjectMcpServers: true, permissions: start.rules ?? {} }], ...start.options },
  });
}

export const requestsOf = (session: Pick<TestSession, 'server'>): readonly ScriptRequest[] => session.server.messageRequests().map(({ body }) => describeRequest(body as Readonly<Record<string, unknown>>));

/** Until every server is connected, or has failed. */
export async function untilConnected(session: Pick<TestSession, 'engine'>): Promise<void> {
  await expect
    .poll(async () => {
      const { loaded } = (await session.engine.inspect('mcp')) as { loaded: { status: string }[] };
      return loaded.filter(({ status }) => status === 'idle' || status === 'connecting');
    })
    .toEqual([]);
}
