import * as vscode from 'vscode';
import { errorCode, errorText } from '../base/errorText';
import type { HostModels, ModelCapabilities, ModelClient, ModelEvent, ModelRequest } from '../ports';
import type { ModelChoice } from '../protocol/methods';
import { namedTools } from '../protocol/namedTools';
import { LanguageModelReply, languageModelProblem, type ReplyPart } from './languageModelReply';
import { type ChatContent, type ChatPart, type ChatTurn, chatTurns } from './languageModelTurns';

/** The API gives no limit for replies; this only sizes the room left for one. */
const assumedOutputTokens = 16_000;
const justification = 'Troupe answers your messages with this model and lets it work on your files as you allow.';

/** The models other extensions offer through VS Code. Asking for consent is VS Code's, at the first message the person sends. */
export const languageModels: HostModels = {
  list: async () => (await vscode.lm.selectChatModels()).map(modelChoice),
  client: async (model) => {
    const chat = await findModel(model);
    return chat && languageModelClient(chat);
  },
  onDidChange: (listener) => vscode.lm.onDidChangeChatModels(listener),
};

function modelChoice(chat: vscode.LanguageModelChat): ModelChoice {
  return { id: modelId(chat), label: chat.name || chat.id, provider: 'vscode', contextTokens: Math.max(0, Math.floor(chat.maxInputTokens)) };
}

/** Ids are only unique within a vendor. */
function modelId(chat: vscode.LanguageModelChat): string {
  return `${chat.vendor}/${chat.id}`;
}

async function findModel(id: string): Promise<vscode.LanguageModelChat | undefined> {
  return (await vscode.lm.selectChatModels()).find((chat) => modelId(chat) === id);
}

function languageModelClient(chat: vscode.LanguageModelChat): ModelClient {
  return { capabilities: () => capabilities(chat), stream: (request, signal) => stream(chat, request, signal) };
}

function capabilities(chat: vscode.LanguageModelChat): ModelCapabilities {
  return {
    contextTokens: chat.maxInputTokens,
    maxOutputTokens: assumedOutputTokens,
    images: takesImages(chat),
    documents: false,
    systemRole: false,
    cacheControl: false,
    reportsUsage: false,
    thinking: 'none',
  };
}

async function* stream(chat: vscode.LanguageModelChat, request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent> {
  const model = modelId(chat);
  const reply = new LanguageModelReply();
  const cancel = new vscode.CancellationTokenSource();
  const aborted = new Promise<'aborted'>((resolve) => {
    const abort = (): void => {
      cancel.cancel();
      resolve('aborted');
    };
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
  try {
    yield { type: 'start', model };
    // Providers may ignore the token, so every wait races the abort.
    const response = await Promise.race([chat.sendRequest(messagesOf(chat, request), options(request), cancel.token), aborted]);
    const parts = response === 'aborted' ? undefined : response.stream[Symbol.asyncIterator]();
    while (parts) {
      const next = await Promise.race([parts.next(), aborted]);
      if (next === 'aborted' || next.done) break;
      const part = replyPart(next.value);
      const event = part && reply.take(part);
      if (event) yield event;
    }
    yield reply.end(model, signal.aborted);
  } catch (thrown) {
    yield signal.aborted ? reply.end(model, true) : reply.failed(languageModelProblem(failureOf(thrown), chat.name || model));
  } finally {
    cancel.dispose();
  }
}

function options(request: ModelRequest): vscode.LanguageModelChatRequestOptions {
  const named = namedTools(request.messages);
  return { justification, tools: request.tools.filter((tool) => !tool.deferred || named.has(tool.name)).map((tool) => ({ name: tool.name, description: tool.description, inputSchema: tool.inputSchema })) };
}

function failureOf(thrown: unknown): { readonly code: string | undefined; readonly message: string } {
  const cause = thrown instanceof Error && thrown.cause !== undefined ? errorText(thrown.cause) : '';
  const message = errorText(thrown);
  return { code: errorCode(thrown), message: cause === '' || message.includes(cause) ? message : `${message} (${cause})` };
}

function messagesOf(chat: vscode.LanguageModelChat, request: ModelRequest): vscode.LanguageModelChatMessage[] {
  return chatTurns(request, takesImages(chat)).map(chatMessage);
}

function chatMessage(turn: ChatTurn): vscode.LanguageModelChatMessage {
  const role = turn.role === 'user' ? vscode.LanguageModelChatMessageRole.User : vscode.LanguageModelChatMessageRole.Assistant;
  return new vscode.LanguageModelChatMessage(role, turn.parts.map(inputPart).filter(isInputPart));
}

function inputPart(part: ChatPart): unknown {
  if (part.kind === 'call') return new vscode.LanguageModelToolCallPart(part.callId, part.name, part.input);
  if (part.kind === 'result') return new vscode.LanguageModelToolResultPart(part.callId, part.content.map(contentPart));
  return contentPart(part);
}

function contentPart(part: ChatContent): unknown {
  if (part.kind === 'text') return new vscode.LanguageModelTextPart(part.text);
  return hasDataPart(vscode) ? vscode.LanguageModelDataPart.image(Buffer.from(part.data, 'base64'), part.mediaType) : new vscode.LanguageModelTextPart('[A picture is left out.]');
}

function replyPart(part: unknown): ReplyPart | undefined {
  if (part instanceof vscode.LanguageModelTextPart) return { kind: 'text', text: part.value };
  if (part instanceof vscode.LanguageModelToolCallPart) return { kind: 'call', callId: part.callId, name: part.name, input: { ...part.input } };
  return undefined; // thinking and other parts of newer versions
}

interface DataParts {
  readonly LanguageModelDataPart: { image(data: Uint8Array, mediaType: string): unknown };
}

/** Pictures came to this API after the version Troupe is built for; used where the running VS Code has them. */
function hasDataPart(api: object): api is DataParts {
  return 'LanguageModelDataPart' in api && typeof api.LanguageModelDataPart === 'function' && 'image' in api.LanguageModelDataPart;
}

function takesImages(chat: object): boolean {
  if (!hasDataPart(vscode) || !('capabilities' in chat) || typeof chat.capabilities !== 'object' || chat.capabilities === null) return false;
  const { capabilities } = chat;
  return ('supportsImageToText' in capabilities && capabilities.supportsImageToText === true) || ('imageInput' in capabilities && capabilities.imageInput === true);
}

/** The declared union lacks the data parts that newer versions take in the same place. */
function isInputPart(part: unknown): part is vscode.LanguageModelInputPart {
  return typeof part === 'object' && part !== null;
}
