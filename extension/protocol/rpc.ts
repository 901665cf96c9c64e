import * as z from 'zod';
import { errorText } from '../base/errorText';
import { CallError, CallErrorCode, Envelope, type Transport } from './envelope';
import { type Caller, type Handlers, type MethodName, type MethodResult, methods, type Params } from './methods';

/** Answers requests that arrive on `transport`. Bad messages get an error reply, never an exception. */
export function serve(transport: Transport, handlers: Handlers, caller: Caller): { dispose(): void } {
  return transport.onMessage((message) => {
    const parsed = Envelope.safeParse(message);
    if (!parsed.success) return refuse(transport, message);
    if (parsed.data.kind !== 'request') return;
    const { id, method, params } = parsed.data;
    void answer(handlers, method, { params, caller }).then((reply) => transport.send({ kind: 'reply', id, ...reply }));
  });
}

const Misshapen = z.looseObject({ kind: z.literal('request'), id: z.string() });

/** A request that can be told by its id gets its error; the rest could not be answered to anybody. */
function refuse(transport: Transport, message: unknown): void {
  const request = Misshapen.safeParse(message);
  if (request.success) transport.send({ kind: 'reply', id: request.data.id, error: { code: 'invalid', message: 'A request is {kind, id, method, params} and nothing else.' } });
}

async function answer(handlers: Handlers, method: string, call: { params: unknown; caller: Caller }): Promise<{ result?: unknown; error?: { code: string; message: string } }> {
  if (!isMethod(method)) return { error: { code: 'invalid', message: `There is no call "${method}".` } };
  try {
    return { result: await dispatch(handlers, method, call) };
  } catch (thrown) {
    return { error: { code: thrown instanceof CallError ? thrown.code : 'internal', message: errorText(thrown) } };
  }
}

function dispatch<M extends MethodName>(handlers: Handlers, method: M, call: { params: unknown; caller: Caller }): Promise<MethodResult<M>> {
  const parsed = methods[method].params.safeParse(call.params);
  if (!parsed.success) {
    const first = parsed.error.issues[0];
    throw new CallError('invalid', `${method}: ${first ? `${first.path.join('.')}: ${first.message}` : 'wrong parameters'}`);
  }
  return handlers[method](parsed.data as Params<M>, call.caller); // parsed by this very row
}

function isMethod(name: string): name is MethodName {
  return Object.hasOwn(methods, name);
}

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
      if (error) call?.reject(new CallError(CallErrorCode.safeParse(error.code).data ?? 'internal', error.message));
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
