import { anthropicBaseUrl, type ModelKey, normalBaseUrl } from './fetchLike';
import { defaultClaudeModel, resolveModel } from './modelTable';

/** The engine's settings for models, already merged; values of project and local files must not be among endpoint and provider. */
export interface ModelSettings {
  /** The way the person chose when setting up. */
  readonly provider?: 'anthropic' | 'compatible' | 'vscode' | 'demo';
  readonly baseUrl?: string;
  readonly model?: string;
  readonly smallModel?: string;
  /** The only models that may be used: ids, aliases or families. */
  readonly available?: readonly string[];
  /** The editor's `http.proxy`. */
  readonly proxy?: string;
}

/** What `setup` asks to be kept in the person's settings. The key is not among it. */
export interface ModelChoiceSaved {
  readonly provider: 'anthropic' | 'compatible' | 'vscode' | 'demo';
  readonly baseUrl: string | undefined;
  readonly model: string | undefined;
}

export type Resolution =
  | { readonly kind: 'api'; readonly provider: 'anthropic' | 'compatible'; readonly baseUrl: string; readonly key: ModelKey | undefined; readonly model: string }
  | { readonly kind: 'vscode'; readonly model: string }
  | { readonly kind: 'demo' }
  | { readonly kind: 'none'; readonly problem: string | undefined };

export interface ResolutionInput {
  readonly settings: ModelSettings;
  /** The person's own environment: never what a project's settings add to it. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The stored key of exactly this server. */
  readonly storedKey: (baseUrl: string) => Promise<string | undefined>;
  readonly hasDemo: boolean;
}

/** As a model's name it means the demo wherever it stands: a setting, a flag, the environment. */
export const demoModel = 'demo';
export const demoLabel = 'Demo (scripted, no model)';

/**
 * What was set up by hand, else what the environment says, else a stored key of Anthropic's API. A demo that was chosen
 * when there was nothing else comes last.
 */
export async function resolveAccess(input: ResolutionInput): Promise<Resolution> {
  const { settings, env } = input;
  if (input.hasDemo && (settings.model === demoModel || env['ANTHROPIC_MODEL'] === demoModel)) return { kind: 'demo' };
  if (settings.provider === 'vscode' && settings.model) return { kind: 'vscode', model: settings.model };
  const envBaseUrl = normalBaseUrl(env['ANTHROPIC_BASE_URL'] || anthropicBaseUrl);
  const chosen = await chosenServer(input, envBaseUrl);
  if (chosen && chosen.kind !== 'none') return chosen;
  const key = envKey(env) ?? (await stored(input, envBaseUrl));
  if (!key && !env['ANTHROPIC_BASE_URL']) return chosen ?? (input.hasDemo && settings.provider === 'demo' ? { kind: 'demo' } : { kind: 'none', problem: undefined });
  return api(input, envBaseUrl, key, env['ANTHROPIC_MODEL'] || settings.model);
}

async function chosenServer(input: ResolutionInput, envBaseUrl: string): Promise<Resolution | undefined> {
  const { settings, env } = input;
  if (settings.provider !== 'anthropic' && settings.provider !== 'compatible') return undefined;
  const baseUrl = settings.baseUrl ? normalBaseUrl(settings.baseUrl) : settings.provider === 'anthropic' ? envBaseUrl : undefined;
  if (!baseUrl) return { kind: 'none', problem: 'A model server is chosen but its address is missing. Set up the model again.' };
  const key = (await stored(input, baseUrl)) ?? (baseUrl === envBaseUrl ? envKey(env) : undefined);
  if (!key && settings.provider === 'anthropic') return { kind: 'none', problem: `No key is stored for ${baseUrl}. Enter it again.` };
  return api(input, baseUrl, key, settings.model || env['ANTHROPIC_MODEL']);
}

function api(input: ResolutionInput, baseUrl: string, key: ModelKey | undefined, written: string | undefined): Resolution {
  const model = resolveModel(written, { fallback: defaultClaudeModel, env: input.env });
  return { kind: 'api', provider: baseUrl === anthropicBaseUrl ? 'anthropic' : 'compatible', baseUrl, key, model };
}

async function stored(input: ResolutionInput, baseUrl: string): Promise<ModelKey | undefined> {
  const value = await input.storedKey(baseUrl);
  return value ? { kind: 'apiKey', value } : undefined;
}

function envKey(env: ResolutionInput['env']): ModelKey | undefined {
  if (env['ANTHROPIC_API_KEY']) return { kind: 'apiKey', value: env['ANTHROPIC_API_KEY'] };
  return env['ANTHROPIC_AUTH_TOKEN'] ? { kind: 'authToken', value: env['ANTHROPIC_AUTH_TOKEN'] } : undefined;
}
