import { type McpPromptInfo, type McpResourceInfo, type McpToolInfo, readPrompt, readResource, readTool } from './mcpLists';
import type { McpLog } from './mcpStatus';
import type { Sdk, SdkClient } from './sdkTypes';

/** What a server offers now. */
export interface McpLists {
  readonly tools: readonly McpToolInfo[];
  readonly prompts: readonly McpPromptInfo[];
  readonly resources: readonly McpResourceInfo[];
}
export type ListName = keyof McpLists;

export const noLists: McpLists = { tools: [], prompts: [], resources: [] };

export interface Reading {
  readonly sdk: Sdk;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly log: McpLog;
}

const maxItems = 10_000;

/** All lists a server says it has. @throws when one can't be read */
export async function readAllLists(client: SdkClient, reading: Reading): Promise<McpLists> {
  const can = client.getServerCapabilities() ?? {};
  const names = (['tools', 'prompts', 'resources'] as const).filter((list) => can[list] !== undefined);
  const read = await Promise.all(names.map((list) => readList(list, client, reading)));
  return Object.assign({}, noLists, ...read);
}

/** One list, all its pages; entries that can't be used are left out and said in the log. @throws when it can't be read */
export async function readList(list: ListName, client: SdkClient, reading: Reading): Promise<Partial<McpLists>> {
  const raw = await pages(list, client, reading);
  const fits = <T>(items: readonly (T | undefined)[]): readonly T[] => {
    const good = items.filter((item) => item !== undefined);
    if (good.length < items.length) reading.log.add('warning', `${items.length - good.length} of its ${list} can't be used: their description does not fit.`);
    return good;
  };
  if (list === 'tools') return { tools: fits(raw.map(readTool)) };
  return list === 'prompts' ? { prompts: fits(raw.map(readPrompt)) } : { resources: fits(raw.map(readResource)) };
}

async function pages(list: ListName, client: SdkClient, { sdk, timeoutMs, signal, log }: Reading): Promise<readonly unknown[]> {
  const items: unknown[] = [];
  for (let cursor: unknown; ; ) {
    const page: Readonly<Record<string, unknown>> = await client.request({ method: `${list}/list`, ...(cursor === undefined ? {} : { params: { cursor } }) }, sdk.ResultSchema, { timeout: timeoutMs, signal });
    const more = page[list];
    if (Array.isArray(more)) items.push(...more);
    const next = page['nextCursor'];
    if (typeof next !== 'string' || next === cursor || !Array.isArray(more) || more.length === 0) return items;
    if (items.length >= maxItems) {
      log.add('warning', `It lists more than ${maxItems} ${list}; the rest is left out.`);
      return items;
    }
    cursor = next;
  }
}
