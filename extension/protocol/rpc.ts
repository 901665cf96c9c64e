import { CallError, callErrorCodes } from './callError';
import { Envelope, type Transport } from './envelope';
import type { MethodName, MethodResult, Params } from './methods';

/** The calling side. Rejects with `CallError`; calls in flight when `dispose` is called are rejected too. */
export class RpcClient {
  private readonly waiting = new Map<string, { resolve: (value: unknown) => void; reject: (error: CallError) => void }>();
  private readonly listening: { dispose(): void };
  private lastId = 0;

  constructor(
    private readonly transport: Transport,
    onOther: (envelope: Exclude<Envelope, { kind: 'request' } | { kind: 'reply' }>) => void,
  ) {
    this.listening = transport.onMessage((message) => {
      const parsed = Envelope.safeParse(message);
      if (!parsed.success || parsed.data.kind === 'request') return;
      if (parsed.data.kind !== 'reply') return onOther(parsed.data);
      const { id, result, error } = parsed.data;
      const call = this.waiting.get(id);
      this.waiting.delete(id);
      if (error) call?.reject(new CallError(callErrorCodes.find((code) => code === error.code) ?? 'internal', error.message));
      else call?.resolve(result);
    });
  }

  call<M extends MethodName>(method: M, params: Params<M>): Promise<MethodResult<M>> {
    const id = String(++this.lastId);
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve: (value) => resolve(value as MethodResult<M>), reject }); // our own host's reply to this row
      this.transport.send({ kind: 'request', id, method, params });
    });
  }

  dispose(): void {
    this.listening.dispose();
    for (const call of this.waiting.values()) call.reject(new CallError('unavailable', 'The connection was closed.'));
    this.waiting.clear();
  }
}
