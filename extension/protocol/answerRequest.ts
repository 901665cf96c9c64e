import * as z from 'zod';
import { errorText } from '../base/errorText';
import { CallError } from './callError';
import { Envelope, type Transport } from './envelope';
import { type Caller, type Handlers, type MethodName, type MethodResult, methods, type Params } from './methods';

export interface Answerer {
  readonly transport: Transport;
  readonly handlers: Handlers;
  readonly caller: Caller;
}

/** Sends the reply to one message; what is no request gets none, or its error. Never throws. */
export function answerRequest(message: unknown, { transport, handlers, caller }: Answerer): void {
  const parsed = Envelope.safeParse(message);
  if (!parsed.success) return refuse(transport, message);
  if (parsed.data.kind !== 'request') return;
  const { id, method, params } = parsed.data;
  void answer(handlers, method, { params, caller }).then((reply) => transport.send({ kind: 'reply', id, ...reply }));
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
