import type { McpLog, McpLogEntry } from './mcpStatus';
import type { ElicitAsk, McpCaller, ServerAsks } from './serverAsks';
import type { Sdk, SdkClient } from './sdkTypes';

export interface NewClientPorts extends ServerAsks {
  readonly version: string;
  readonly log: McpLog;
  /** On whose behalf the server works when it asks. */
  readonly caller: () => McpCaller | undefined;
}

/** Our end of a connection: what we can do for a server, and who answers when it asks. */
export function newMcpClient(sdk: Sdk, ports: NewClientPorts): SdkClient {
  const client: SdkClient = new sdk.Client(
    { name: 'troupe', version: ports.version },
    {
      capabilities: { roots: { listChanged: true }, sampling: {}, elicitation: { form: { applyDefaults: true }, url: {} } },
      // Results are read by us and shown as they are; compiling 2,000 schemas would cost seconds.
      jsonSchemaValidator: { getValidator: neverUsed },
    },
  );
  client.onerror = (error) => ports.log.add('warning', error.message);
  client.setRequestHandler(sdk.ListRootsRequestSchema, () => ({ roots: [...ports.roots()] }));
  client.setRequestHandler(sdk.ElicitRequestSchema, async ({ params }, { signal }) => {
    const ask: ElicitAsk = params.mode === 'url' ? { message: params.message, url: params.url } : { message: params.message, schema: { ...params.requestedSchema } };
    const answer = await ports.elicit(ask, ports.caller(), signal);
    return answer.action === 'accept' ? { action: 'accept', ...(answer.content ? { content: { ...answer.content } } : {}) } : { action: answer.action };
  });
  client.setRequestHandler(sdk.CreateMessageRequestSchema, async ({ params }, { signal }) => {
    const messages = params.messages.map(({ role, content }) => ({ role, text: [content].flat().map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join('\n') }));
    const answer = await ports.sample({ messages, ...(params.systemPrompt === undefined ? {} : { systemPrompt: params.systemPrompt }), maxTokens: params.maxTokens }, ports.caller(), signal);
    if (!answer.ok) throw new sdk.McpError(-1, answer.problem);
    return { role: 'assistant', model: answer.value.model, content: { type: 'text', text: answer.value.text }, stopReason: 'endTurn' };
  });
  // While it connects, too: many servers say there why they don't work.
  client.setNotificationHandler(sdk.LoggingMessageNotificationSchema, ({ params }) => ports.log.add(levelOf(params.level), typeof params.data === 'string' ? params.data : JSON.stringify(params.data).slice(0, 4_000)));
  return client;
}

function neverUsed(): never {
  throw new Error('results of servers are not checked against schemas');
}

function levelOf(level: string): McpLogEntry['level'] {
  if (level === 'debug' || level === 'info' || level === 'warning') return level;
  return level === 'notice' ? 'info' : 'error';
}
