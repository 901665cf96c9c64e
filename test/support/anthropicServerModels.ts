/** What the server lets a model do; public facts from the models overview, migration guides and the thinking pages. */
export interface ServerModel {
  readonly id: string;
  readonly displayName: string;
  readonly maxInputTokens: number;
  readonly maxOutputTokens: number;
  /** Values of `thinking.type` that are accepted. */
  readonly thinking: readonly ('adaptive' | 'enabled' | 'disabled' | 'between_tools')[];
  /** Whether it thinks when the request has no `thinking`. */
  readonly thinksByDefault: boolean;
  /** Whether thinking text is left out (signature only) unless `display: "summarized"` is sent. */
  readonly omitsThinking: boolean;
  readonly efforts: readonly string[];
  /** Under API version 2023-06-01; 2026-10-21 refuses sampling parameters for every model. */
  readonly sampling: boolean;
  /** A final assistant message that the reply goes on from. */
  readonly prefill: boolean;
  /** `role: "system"` messages right after a user message. */
  readonly midSystem: boolean;
  /** Preserved thinking: a thinking block is only valid after the exact system, tools and messages that produced it. */
  readonly bindsThinking: boolean;
}

const allEfforts = ['low', 'medium', 'high', 'xhigh', 'max'] as const;

const plain: ServerModel = {
  id: '',
  displayName: '',
  maxInputTokens: 200_000,
  maxOutputTokens: 64_000,
  thinking: ['adaptive', 'enabled', 'disabled'],
  thinksByDefault: false,
  omitsThinking: false,
  efforts: allEfforts,
  sampling: true,
  prefill: true,
  midSystem: false,
  bindsThinking: false,
};

const fifth: ServerModel = {
  ...plain,
  maxInputTokens: 1_000_000,
  maxOutputTokens: 128_000,
  thinking: ['adaptive', 'disabled'],
  thinksByDefault: true,
  omitsThinking: true,
  sampling: false,
  prefill: false,
  midSystem: true,
};
const fourSeven: ServerModel = { ...fifth, thinksByDefault: false, midSystem: false };
const fourSix: ServerModel = { ...plain, maxOutputTokens: 128_000, prefill: false, efforts: ['low', 'medium', 'high', 'max'] };
const fourFive: ServerModel = { ...plain, thinking: ['enabled', 'disabled'], efforts: [] };
const bound: ServerModel = { ...fifth, bindsThinking: true };

const known: readonly ServerModel[] = [
  { ...bound, id: 'claude-opus-5-5', displayName: 'Claude Opus 5.5', thinking: ['adaptive'] },
  { ...bound, id: 'claude-sonnet-5-5', displayName: 'Claude Sonnet 5.5', thinking: ['adaptive', 'between_tools'] },
  { ...bound, id: 'claude-haiku-5-5', displayName: 'Claude Haiku 5.5' },
  { ...bound, id: 'claude-fable-5-2', displayName: 'Claude Fable 5.2', thinking: ['adaptive'] },
  { ...bound, id: 'claude-fable-5-1', displayName: 'Claude Fable 5.1', thinking: ['adaptive'] },
  { ...fifth, id: 'claude-fable-5', displayName: 'Claude Fable 5', thinking: ['adaptive'] },
  { ...fifth, id: 'claude-opus-5', displayName: 'Claude Opus 5' },
  { ...fifth, id: 'claude-sonnet-5', displayName: 'Claude Sonnet 5' },
  { ...fourSeven, id: 'claude-opus-4-8', displayName: 'Claude Opus 4.8', midSystem: true },
  { ...fourSeven, id: 'claude-opus-4-7', displayName: 'Claude Opus 4.7' },
  { ...fourSix, id: 'claude-opus-4-6', displayName: 'Claude Opus 4.6' },
  { ...fourSix, id: 'claude-sonnet-4-6', displayName: 'Claude Sonnet 4.6', maxOutputTokens: 64_000 },
  { ...fourFive, id: 'claude-opus-4-5', displayName: 'Claude Opus 4.5', efforts: ['low', 'medium', 'high'] },
  { ...fourFive, id: 'claude-sonnet-4-5', displayName: 'Claude Sonnet 4.5' },
  { ...fourFive, id: 'claude-haiku-4-5', displayName: 'Claude Haiku 4.5' },
];

export type ServerModelSpec = string | (Partial<ServerModel> & { readonly id: string });

/** The public models, newest first. */
export const publicModels: readonly string[] = known.map((model) => model.id);

/** A name the table does not hold gets plain, lenient limits; a spec may change any of them. */
export function serverModel(spec: ServerModelSpec): ServerModel {
  const { id, ...changes } = typeof spec === 'string' ? { id: spec } : spec;
  const base = known.find((model) => model.id === id) ?? { ...plain, id, displayName: id };
  return { ...base, ...changes };
}

const support = (supported: boolean): { supported: boolean } => ({ supported });

/** The `ModelInfo` object of `GET /v1/models`. */
export function modelInfo(model: ServerModel): Readonly<Record<string, unknown>> {
  const effort = Object.fromEntries(allEfforts.map((level) => [level, support(model.efforts.includes(level))]));
  const types = ['adaptive', 'enabled', 'disabled', 'between_tools'] as const;
  return {
    type: 'model',
    id: model.id,
    display_name: model.displayName,
    created_at: '2026-01-01T00:00:00Z',
    lifecycle: 'active',
    deprecated_at: null,
    retires_at: null,
    line: /(haiku|sonnet|opus|fable|mythos)/.exec(model.id)?.[1] ?? null,
    max_input_tokens: model.maxInputTokens,
    max_tokens: model.maxOutputTokens,
    capabilities: {
      batch: support(true),
      citations: support(true),
      code_execution: support(false),
      context_management: { supported: false, clear_thinking_20251015: null, clear_tool_uses_20250919: null, compact_20260112: null },
      effort: { supported: model.efforts.length > 0, ...effort },
      image_input: support(true),
      pdf_input: support(true),
      server_tools: { supported: false, code_execution: support(false), web_search: support(false) },
      structured_outputs: support(true),
      thinking: { supported: true, types: Object.fromEntries(types.map((type) => [type, support(model.thinking.includes(type))])) },
    },
  };
}
