import { cacheControlProblems, messagesProblems, systemProblems } from './anthropicServerMessages';
import type { ServerModel } from './anthropicServerModels';
import { blocksOf, type Json, type ThinkingLedger, thinkingOf } from './anthropicServerThinking';

export interface Refusal {
  readonly status: number;
  readonly type: string;
  readonly message: string;
}

export interface RuleContext {
  readonly version: string;
  readonly betas: readonly string[];
  readonly models: readonly ServerModel[];
  readonly ledger: ThinkingLedger;
  readonly counting: boolean;
}

const extra = 'Extra inputs are not permitted';
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);

export const apiVersions: readonly string[] = ['2023-01-01', '2023-06-01', '2026-10-21'];
/** The values the SDK's `AnthropicBeta` type lists that concern the Messages API. */
const knownBetas = new Set(
  `computer-use-2024-10-22 computer-use-2025-01-24 output-128k-2025-02-19 mcp-client-2025-04-04 mcp-client-2025-11-20 dev-full-thinking-2025-05-14
  interleaved-thinking-2025-05-14 code-execution-2025-05-22 context-1m-2025-08-07 context-management-2025-06-27 model-context-window-exceeded-2025-08-26
  fast-mode-2026-02-01 output-300k-2026-03-24 advisor-tool-2026-03-01 thinking-token-count-2026-05-13 server-side-fallback-2026-06-01
  server-side-fallback-2026-07-01 fallback-credit-2026-06-01 fallback-credit-2026-07-01 mid-conversation-tool-changes-2026-07-01 compact-2026-01-12
  computer-use-2025-11-24 structured-outputs-2025-11-13 task-budgets-2026-03-13 thinking-display-updates-2026-08-18
  mid-conversation-output-config-2026-07-01 thinking-binding-controls-2026-08-01 mid-conversation-system-clear-at-2026-08-21 compact-2026-09-04
  inline-tools-2026-09-15 mcp-client-2026-09-15 message-threads-2026-08-12 message-batches-2024-09-24 prompt-caching-2024-07-31 pdfs-2024-09-25
  token-counting-2024-11-01 token-efficient-tools-2025-02-19 files-api-2025-04-14 extended-cache-ttl-2025-04-11 skills-2025-10-02
  cache-diagnosis-2026-04-07 oauth-2025-04-20`.split(/\s+/),
);

const messageFields = 'model messages max_tokens system tools tool_choice stream stop_sequences metadata thinking output_config service_tier container inference_geo cache_control diagnostics speed'.split(' ');
const countFields = 'model messages system tools tool_choice thinking output_config cache_control speed'.split(' ');
const samplingFields = ['temperature', 'top_p', 'top_k'];
const betaFields: Readonly<Record<string, RegExp>> = { context_management: /^(context-management|compact)-/, mcp_servers: /^mcp-client-/, betas: /^$/ };

export function headerProblem(version: string | undefined, betas: readonly string[]): string | undefined {
  if (version === undefined || version === '') return 'anthropic-version: header is required';
  if (!apiVersions.includes(version)) return `anthropic-version: "${version}" is not a valid version. Valid versions are ${apiVersions.join(', ')}`;
  const unknown = betas.filter((beta) => !knownBetas.has(beta));
  return unknown.length === 0 ? undefined : `Unexpected value(s) ${unknown.map((beta) => `\`${beta}\``).join(', ')} for the \`anthropic-beta\` header`;
}

function* fieldProblems(body: Json, context: RuleContext): Generator<string> {
  const known = context.counting ? countFields : messageFields;
  for (const key of Object.keys(body)) {
    if (known.includes(key)) continue;
    if (samplingFields.includes(key) && context.version !== '2026-10-21' && !context.counting) continue;
    if (betaFields[key] && context.betas.some((beta) => betaFields[key]?.test(beta))) continue;
    yield `${key}: ${extra}`;
  }
}

function* samplingProblems(body: Json, model: ServerModel): Generator<string> {
  for (const key of samplingFields) {
    const value = body[key];
    if (value === undefined) continue;
    if (!model.sampling) yield `\`${key}\` is not supported for this model`;
    if (typeof value !== 'number' || value < 0 || (key !== 'top_k' && value > 1)) yield `${key}: Input should be a number ${key === 'top_k' ? 'of 0 or more' : 'from 0 to 1'}`;
  }
  if (body['temperature'] !== undefined && body['top_p'] !== undefined) yield '`temperature` and `top_p` cannot both be specified for this model. Please use only one.';
  if (thinkingOf(body, model).on && body['temperature'] !== undefined && body['temperature'] !== 1) yield '`temperature` may only be set to 1 when thinking is enabled.';
}

function* limitProblems(body: Json, model: ServerModel): Generator<string> {
  const max = body['max_tokens'];
  if (max === undefined) return yield 'max_tokens: Field required';
  if (typeof max !== 'number' || !Number.isInteger(max)) return yield 'max_tokens: Input should be a valid integer';
  // 0 is documented for warming the cache; nothing here does that, so a 0 is taken for the mistake it is.
  if (max < 1) yield 'max_tokens: Input should be greater than or equal to 1';
  if (max > model.maxOutputTokens) yield `max_tokens: ${max} > ${model.maxOutputTokens}, which is the maximum allowed number of output tokens for ${model.id}`;
}

function* thinkingProblems(body: Json, model: ServerModel, context: RuleContext): Generator<string> {
  const thinking = body['thinking'];
  if (thinking === undefined) return;
  if (!isObject(thinking)) return yield 'thinking: Input should be a valid dictionary or object to extract fields from';
  const type = String(thinking['type']);
  const types = ['enabled', 'disabled', 'adaptive', 'between_tools'] as const;
  const named = types.find((name) => name === type);
  if (!named) return yield `thinking: Input tag '${type}' found using 'type' does not match any of the expected tags: ${types.map((name) => `'${name}'`).join(', ')}`;
  if (named === 'adaptive' && !model.thinking.includes('adaptive')) yield 'adaptive thinking is not supported on this model';
  if (!model.thinking.includes(named)) yield `"thinking.type.${type}" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.`;
  const allowed = ['type', ...(type === 'enabled' ? ['budget_tokens', 'display'] : []), ...(type === 'adaptive' ? ['display'] : [])];
  if (context.betas.includes('thinking-binding-controls-2026-08-01')) allowed.push('block_binding');
  for (const key of Object.keys(thinking)) if (!allowed.includes(key)) yield `thinking.${type}.${key}: ${extra}`;
  const display = thinking['display'];
  if (display !== undefined && display !== null && display !== 'summarized' && display !== 'omitted') yield `thinking.${type}.display: Input should be 'summarized' or 'omitted'`;
  if (type !== 'enabled') return;
  const budget = thinking['budget_tokens'];
  if (typeof budget !== 'number' || !Number.isInteger(budget)) return yield 'thinking.enabled.budget_tokens: Field required';
  if (budget < 1024) yield 'thinking.enabled.budget_tokens: Input should be greater than or equal to 1024';
  if (!context.counting && budget >= Number(body['max_tokens']) && !context.betas.includes('interleaved-thinking-2025-05-14')) yield '`max_tokens` must be greater than `thinking.budget_tokens`.';
}

function* schemaProblems(schema: unknown, at: string): Generator<string> {
  if (!isObject(schema)) return yield `${at}: ${schema === undefined ? 'Field required' : 'Input should be a valid dictionary'}`;
  if (schema['type'] === undefined) yield `${at}.type: Field required`;
  if (schema['type'] !== 'object') yield `${at}.type: Input should be 'object'`;
  if (['oneOf', 'allOf', 'anyOf'].some((key) => key in schema)) yield `${at}: input_schema does not support oneOf, allOf, or anyOf at the top level`;
  const properties = schema['properties'];
  const draft = `${at}: JSON schema is invalid. It must match JSON Schema draft 2020-12`;
  if (properties !== undefined && properties !== null && !isObject(properties)) yield draft;
  for (const key of Object.keys(isObject(properties) ? properties : {})) if (!/^[a-zA-Z0-9_.-]{1,64}$/.test(key)) yield `${at}.properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'`;
  const required = schema['required'];
  if (required !== undefined && required !== null && !(Array.isArray(required) && required.every((name) => typeof name === 'string'))) yield draft;
}

const toolFields = 'name description input_schema cache_control type strict eager_input_streaming input_examples defer_loading allowed_callers'.split(' ');
const serverTool = /^(bash|text_editor|computer|browser|memory|code_execution|web_search|web_fetch|tool_search_tool)_/;

function* toolProblems(body: Json): Generator<string> {
  const tools = body['tools'];
  if (tools === undefined) return;
  if (!Array.isArray(tools)) return yield 'tools: Input should be a valid list';
  const names = new Set<unknown>();
  for (const [i, tool] of tools.entries()) {
    if (!isObject(tool)) return yield `tools.${i}: Input should be a valid dictionary or object to extract fields from`;
    const custom = tool['type'] === undefined || tool['type'] === null || tool['type'] === 'custom';
    if (!custom && !serverTool.test(String(tool['type']))) yield `tools.${i}: Input tag '${String(tool['type'])}' found using 'type' does not match any of the expected tags`;
    const at = `tools.${i}.custom`;
    if (custom) {
      if (typeof tool['name'] !== 'string') yield `${at}.name: Field required`;
      else if (!/^[a-zA-Z0-9_-]{1,128}$/.test(tool['name'])) yield `${at}.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`;
      if ('description' in tool && typeof tool['description'] !== 'string') yield `${at}.description: Input should be a valid string`;
      for (const key of Object.keys(tool)) if (!toolFields.includes(key)) yield `${at}.${key}: ${extra}`;
      yield* schemaProblems(tool['input_schema'], `${at}.input_schema`);
    }
    yield* cacheControlProblems(tool['cache_control'], `${at}.cache_control`);
    if (tool['defer_loading'] === true && tool['cache_control']) yield `${at}.cache_control: Tools with defer_loading cannot use prompt caching`;
    if (names.has(tool['name'])) yield 'tools: Tool names must be unique.';
    names.add(tool['name']);
  }
  if (tools.length > 0 && tools.every((tool) => tool.defer_loading === true)) yield 'tools: At least one tool must have defer_loading=false.';
}

function* choiceProblems(body: Json, model: ServerModel): Generator<string> {
  const choice = body['tool_choice'];
  if (choice === undefined) return;
  const tools: readonly Json[] = Array.isArray(body['tools']) ? body['tools'] : [];
  if (!isObject(choice) || !['auto', 'any', 'tool', 'none'].includes(String(choice['type']))) return yield `tool_choice: Input tag does not match any of the expected tags: 'auto', 'any', 'tool', 'none'`;
  if (tools.length === 0) yield 'tool_choice: may only be specified while providing tools';
  if (choice['type'] === 'tool' && !tools.some((tool) => tool['name'] === choice['name'])) yield `tool_choice: Tool '${String(choice['name'])}' not found in provided tools`;
  if ((choice['type'] === 'any' || choice['type'] === 'tool') && body['thinking'] && thinkingOf(body, model).on) yield 'Thinking may not be enabled when tool_choice forces tool use.';
}

function* outputProblems(body: Json, model: ServerModel): Generator<string> {
  const config = body['output_config'];
  if (config === undefined) return;
  if (!isObject(config)) return yield 'output_config: Input should be a valid dictionary or object to extract fields from';
  for (const key of Object.keys(config)) if (key !== 'effort' && key !== 'format') yield `output_config.${key}: ${extra}`;
  const effort = config['effort'];
  if (effort === undefined || effort === null) return;
  if (!['low', 'medium', 'high', 'xhigh', 'max'].includes(String(effort))) yield `output_config.effort: Input should be 'low', 'medium', 'high', 'xhigh' or 'max'`;
  if (model.efforts.length === 0) yield 'This model does not support the effort parameter.';
  else if (!model.efforts.includes(String(effort))) yield `output_config.effort: '${String(effort)}' is not supported for this model. Supported levels: ${model.efforts.join(', ')}`;
}

function* otherProblems(body: Json): Generator<string> {
  const metadata = body['metadata'];
  if (metadata !== undefined) for (const key of isObject(metadata) ? Object.keys(metadata) : ['']) if (key !== 'user_id') yield `metadata.${key}: ${extra}`;
  const stops = body['stop_sequences'];
  if (stops !== undefined && !(Array.isArray(stops) && stops.every((stop) => typeof stop === 'string' && stop.trim() !== ''))) yield 'stop_sequences: each stop sequence must contain non-whitespace';
  if (body['stream'] !== undefined && typeof body['stream'] !== 'boolean') yield 'stream: Input should be a valid boolean';
  yield* cacheControlProblems(body['cache_control'], 'cache_control');
}

/** Every cache breakpoint in prompt order (tools, system, messages, then the automatic one). */
function breakpoints(body: Json): readonly Json[] {
  const tools: readonly Json[] = Array.isArray(body['tools']) ? body['tools'] : [];
  const messages: readonly Json[] = Array.isArray(body['messages']) ? body['messages'] : [];
  const blocks = [...tools, ...blocksOf(body['system']), ...messages.flatMap((message) => blocksOf(message?.['content']))];
  const inner = blocks.flatMap((block) => (block?.['type'] === 'tool_result' ? [...blocksOf(block['content']), block] : [block]));
  return [...inner, body].map((block) => block?.['cache_control']).filter(isObject);
}

function* cacheProblems(body: Json): Generator<string> {
  const found = breakpoints(body);
  if (found.length > 4) yield `A maximum of 4 blocks with cache_control may be provided. Found ${found.length}.`;
  const firstShort = found.findIndex((control) => control['ttl'] !== '1h');
  if (firstShort !== -1 && found.slice(firstShort).some((control) => control['ttl'] === '1h')) yield "a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block";
}

/** The first thing the API would refuse in this body, or undefined. */
export function refuse(body: unknown, context: RuleContext): Refusal | undefined {
  const invalid = (message: string): Refusal => ({ status: 400, type: 'invalid_request_error', message });
  if (!isObject(body)) return invalid('Input should be a valid dictionary or object to extract fields from');
  if (body['model'] === undefined) return invalid('model: Field required');
  if (typeof body['model'] !== 'string') return invalid('model: Input should be a valid string');
  const model = context.models.find(({ id }) => id === body['model']);
  if (!model) return { status: 404, type: 'not_found_error', message: `model: ${body['model']}` };
  const toolNames = (Array.isArray(body['tools']) ? body['tools'] : []).map((tool: Json) => String(tool?.['name']));
  const problems = function* (): Generator<string> {
    yield* fieldProblems(body, context);
    if (!context.counting) yield* limitProblems(body, model);
    yield* samplingProblems(body, model);
    yield* thinkingProblems(body, model, context);
    yield* toolProblems(body);
    yield* choiceProblems(body, model);
    yield* outputProblems(body, model);
    yield* otherProblems(body);
    yield* systemProblems(body['system'], context.version);
    yield* messagesProblems(body['messages'], { model, version: context.version, toolNames, isPausedTurn: context.ledger.isPausedTurn });
    yield* cacheProblems(body);
    yield* context.ledger.problems(body, model);
  };
  const first = problems().next();
  return first.done ? undefined : invalid(first.value);
}
