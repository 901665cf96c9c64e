import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { maxMessageBytes } from './lineFeed';
import type { Sdk } from './sdkTypes';

/** MCP over a WebSocket with the subprotocol `mcp`. The SDK's own needs a global WebSocket and can't send headers. */
export class WebSocketTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport['onmessage'];
  private socket: InstanceType<Sdk['WebSocket']> | undefined;

  constructor(
    private readonly sdk: Sdk,
    private readonly address: { readonly url: string; readonly headers: Readonly<Record<string, string>> },
  ) {}

  start(): Promise<void> {
    return new Promise((resolve, reject) => {
      const { WebSocket, JSONRPCMessageSchema } = this.sdk;
      const socket = new WebSocket(this.address.url, 'mcp', { headers: { ...this.address.headers }, maxPayload: maxMessageBytes, handshakeTimeout: 30_000 });
      this.socket = socket;
      socket.on('open', () => resolve());
      socket.on('error', (error) => {
        reject(error);
        this.onerror?.(error);
      });
      socket.on('unexpected-response', (_request, response) => reject(Object.assign(new Error(`the server answered with HTTP ${response.statusCode ?? 0}`), { code: response.statusCode })));
      socket.on('close', () => this.onclose?.());
      socket.on('message', (data) => {
        try {
          const parsed = JSONRPCMessageSchema.safeParse(JSON.parse(String(data)));
          if (parsed.success) this.onmessage?.(parsed.data);
          else this.onerror?.(new Error(`not a message: ${String(data).slice(0, 200)}`));
        } catch (thrown) {
          this.onerror?.(thrown instanceof Error ? thrown : new Error(String(thrown)));
        }
      });
    });
  }

  send(message: unknown): Promise<void> {
    return new Promise((resolve, reject) => {
      if (!this.socket) return reject(new Error('The server is not connected.'));
      this.socket.send(JSON.stringify(message), (error) => (error ? reject(error) : resolve()));
    });
  }

  async close(): Promise<void> {
    this.socket?.terminate();
  }
}
