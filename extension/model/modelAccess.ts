import { type Disposable, Emitter } from '../base/disposable';
import { errorText } from '../base/errorText';
import { err, ok, type Result } from '../base/result';
import type { Clock, HostModels, Log, ModelAccess, ModelClient, ModelEvent, ModelRequest, Secrets } from '../ports';
import type { ModelChoice, ModelSetup } from '../protocol/methods';
import type { ModelStatus, SetupWay } from '../protocol/view';
import { anthropicBaseUrl, type FetchLike, type ModelKey, normalBaseUrl } from './fetchLike';
import { isAvailable, onlyAvailable } from './availableModels';
import { fetchModels, type ListProblem, type ModelServer } from './modelList';
import { demoLabel, demoModel, type ModelChoiceSaved, type ModelSettings, type Resolution, resolveAccess } from './modelResolution';
import { apiCapabilities, modelFacts, modelLabel, resolveModel } from './modelTable';
import { createProxyFetch } from './proxyFetch';
import { createRateGate, type RateGate } from './rateGate';

export interface ModelAccessPorts {
  /** The person's own environment. What project and local settings add to `env` must not be in it. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly secrets: Secrets;
  readonly settings: () => ModelSettings;
  readonly saveChoice: (choice: ModelChoiceSaved) => Promise<void>;
  readonly hostModels?: HostModels;
  readonly clock: Clock;
  readonly log: Log;
  readonly demo?: ModelClient;
  readonly random?: () => number;
}

/** `refresh` reads the settings again after they changed. */
export type RefreshableModelAccess = ModelAccess & Disposable & { readonly refresh: () => Promise<void> };

/** A server that answers its list this slowly will not be pleasant to talk to. */
const checkTimeoutMs = 30_000;

/** A key's name in the key store holds the server it was entered for, so no other server can get it. */
export function keyName(baseUrl: string): string {
  return `troupe.modelKey:${normalBaseUrl(baseUrl)}`;
}

export async function createModelAccess(ports: ModelAccessPorts): Promise<RefreshableModelAccess> {
  const emitter = new Emitter<void>((thrown) => ports.log.error(`a listener of model changes failed: ${errorText(thrown)}`));
  const activate = activator(ports);
  /** What was just set up counts at once, even before the settings file has been read again. */
  let justSaved: ModelChoiceSaved | undefined;
  let active = await activate(ports.settings());
  const settings = (): ModelSettings => withChoice(ports.settings(), justSaved);
  const refresh = async (): Promise<void> => {
    active = await activate(settings());
    emitter.fire();
  };
  const guards = new WeakMap<ModelClient, ModelClient>();
  const guarded = (client: ModelClient): ModelClient => {
    const guard = guards.get(client) ?? onlyAvailable(client, () => settings().available, ports.env);
    guards.set(client, guard);
    return guard;
  };
  const hostWatch = ports.hostModels?.onDidChange(() => {
    if (settings().provider === 'vscode') refresh().catch((thrown: unknown) => ports.log.error(`the editor's models could not be read: ${errorText(thrown)}`));
  });
  return {
    status: () => statusOf(active.resolution, waysOf(ports)),
    client: () => active.client && (active.resolution.kind === 'demo' || settings().available === undefined ? active.client : guarded(active.client)),
    defaultModel: () => modelOf(active.resolution),
    smallModel: () => smallModelOf(active.resolution, settings(), ports.env),
    list: async (signal) => {
      const listed = await listModels(ports, active.resolution, signal);
      return listed.ok ? ok(listed.value.filter(({ id }) => isAvailable(id, settings().available, ports.env))) : listed;
    },
    probe: async (target, signal) => worded(await fetchModels(await serverOf(ports, target.baseUrl, apiKey(target.key)), signal)),
    setup: async (wanted) => {
      const saved = await prepareSetup(ports, wanted, active.resolution);
      if (!saved.ok) return saved;
      await ports.saveChoice(saved.value);
      justSaved = saved.value;
      await refresh();
      return ok(undefined);
    },
    refresh: async () => {
      justSaved = undefined;
      await refresh();
    },
    onDidChange: (listener) => emitter.on(listener),
    dispose: () => hostWatch?.dispose(),
  };
}

interface Active {
  readonly resolution: Resolution;
  readonly client: ModelClient | undefined;
}

/** Keeps one rate gate per server for as long as the access lives. */
function activator(ports: ModelAccessPorts): (settings: ModelSettings) => Promise<Active> {
  const gates = new Map<string, RateGate>();
  const gateOf = (baseUrl: string): RateGate => {
    const gate = gates.get(baseUrl) ?? createRateGate({ clock: ports.clock, random: ports.random ?? Math.random });
    gates.set(baseUrl, gate);
    return gate;
  };
  const storedKey = (baseUrl: string): Promise<string | undefined> => ports.secrets.get(keyName(baseUrl));
  return async (settings) => {
    const resolution = await resolveAccess({ settings, env: ports.env, storedKey, hasDemo: ports.demo !== undefined });
    if (resolution.kind === 'demo') return { resolution, client: ports.demo };
    if (resolution.kind === 'none') return { resolution, client: undefined };
    if (resolution.kind === 'api') return { resolution, client: apiClient(ports, resolution, gateOf(resolution.baseUrl)) };
    const client = await ports.hostModels?.client(resolution.model);
    if (client) return { resolution, client };
    return { resolution: { kind: 'none', problem: `The editor does not offer the model "${resolution.model}" any more. Pick another one.` }, client: undefined };
  };
}

/** Loads the SDK at the first request, so that start-up does not wait for it. */
function apiClient(ports: ModelAccessPorts, target: Extract<Resolution, { kind: 'api' }>, gate: RateGate): ModelClient {
  const { clock, env, log, random } = ports;
  const resolve = (model: string): string => resolveModel(model, { fallback: target.model, env });
  const load = once(async () => {
    const [{ createAnthropicClient }, fetch] = await Promise.all([import('./anthropicClient'), networkFetch(ports)]);
    return createAnthropicClient({ baseUrl: target.baseUrl, fetch, clock, env, gate, log, ...(target.key ? { key: target.key } : {}), ...(random ? { random } : {}) });
  });
  return { capabilities: (model) => apiCapabilities(resolve(model)), stream: (request, signal) => lazily(load, { ...request, model: resolve(request.model) }, signal) };
}

function networkFetch(ports: ModelAccessPorts): Promise<FetchLike> {
  const proxy = ports.settings().proxy;
  return createProxyFetch({ env: ports.env, log: ports.log, ...(proxy ? { proxy } : {}) });
}

async function serverOf(ports: ModelAccessPorts, baseUrl: string, key: ModelKey | undefined): Promise<ModelServer> {
  return { baseUrl: normalBaseUrl(baseUrl), key, fetch: await networkFetch(ports) };
}

/** What can be chosen now: the models of the server in use, and those the editor offers beside it. */
async function listModels(ports: ModelAccessPorts, resolution: Resolution, signal: AbortSignal): Promise<Result<readonly ModelChoice[], string>> {
  const offered = (await ports.hostModels?.list()) ?? [];
  if (resolution.kind === 'vscode') return ok(offered);
  if (resolution.kind === 'demo') return ok([{ id: demoModel, label: demoLabel, provider: 'demo' }, ...offered]);
  if (resolution.kind === 'none') return offered.length > 0 ? ok(offered) : err(resolution.problem ?? 'No model is set up.');
  const models = await fetchModels(await serverOf(ports, resolution.baseUrl, resolution.key), signal);
  const noList = !models.ok && models.problem.code === 'noList';
  const own = noList ? ok([{ id: resolution.model, label: modelLabel(resolution.model), provider: resolution.provider }]) : worded(models);
  return own.ok ? ok([...own.value, ...offered]) : own;
}

function worded<T>(result: Result<T, ListProblem>): Result<T, string> {
  return result.ok ? result : err(result.problem.message);
}

async function prepareSetup(ports: ModelAccessPorts, wanted: ModelSetup, now: Resolution): Promise<Result<ModelChoiceSaved, string>> {
  switch (wanted.way) {
    case 'demo':
      // Chosen for want of anything else it gives way to whatever is set up later; chosen beside a real model it stays.
      return ports.demo ? ok({ provider: 'demo', baseUrl: undefined, model: now.kind === 'none' ? undefined : demoModel }) : err('There is no demo here.');
    case 'vscodeModel': {
      const client = await ports.hostModels?.client(wanted.model);
      return client ? ok({ provider: 'vscode', baseUrl: undefined, model: wanted.model }) : err(`The editor does not offer the model "${wanted.model}".`);
    }
    case 'apiKey':
      return prepareServer(ports, { provider: 'anthropic', baseUrl: ports.env['ANTHROPIC_BASE_URL'] || anthropicBaseUrl, model: undefined, key: wanted.key });
    case 'baseUrl':
      return prepareServer(ports, { provider: 'compatible', baseUrl: wanted.baseUrl, model: wanted.model, key: wanted.key });
  }
}

/** Tries the server, then keeps the key under its address. */
async function prepareServer(ports: ModelAccessPorts, wanted: ModelChoiceSaved & { readonly baseUrl: string; readonly key: string | undefined }): Promise<Result<ModelChoiceSaved, string>> {
  const { provider, model } = wanted;
  const baseUrl = normalBaseUrl(wanted.baseUrl);
  if (!/^https?:$/.test(URL.canParse(baseUrl) ? new URL(baseUrl).protocol : '')) return err(`"${wanted.baseUrl}" is no web address. It starts with http:// or https://.`);
  const { checkServer } = await import('./setupCheck');
  const key = apiKey(wanted.key);
  const fine = await checkServer(await serverOf(ports, baseUrl, key), model, AbortSignal.timeout(checkTimeoutMs));
  if (!fine.ok) return fine;
  if (key) await ports.secrets.set(keyName(baseUrl), key.value);
  else await ports.secrets.delete(keyName(baseUrl));
  return ok({ provider, baseUrl, model });
}

function withChoice(settings: ModelSettings, choice: ModelChoiceSaved | undefined): ModelSettings {
  if (!choice) return settings;
  return { ...settings, provider: choice.provider, baseUrl: choice.baseUrl, ...(choice.model === undefined ? {} : { model: choice.model }) };
}

function smallModelOf(resolution: Resolution, settings: ModelSettings, env: ModelAccessPorts['env']): string | undefined {
  const fallback = modelOf(resolution);
  if (fallback === undefined || resolution.kind === 'demo') return fallback;
  return resolveModel(settings.smallModel || (resolution.kind === 'api' ? env['ANTHROPIC_SMALL_FAST_MODEL'] : undefined), { fallback, env });
}

async function* lazily(load: () => Promise<ModelClient>, request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent, void> {
  const client = await load();
  yield* client.stream(request, signal);
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

function apiKey(value: string | undefined): ModelKey | undefined {
  const key = value?.trim();
  return key ? { kind: 'apiKey', value: key } : undefined;
}

function waysOf(ports: Pick<ModelAccessPorts, 'hostModels' | 'demo'>): readonly SetupWay[] {
  return ['apiKey', 'baseUrl', ...(ports.hostModels ? (['vscodeModel'] as const) : []), ...(ports.demo ? (['demo'] as const) : [])];
}

function modelOf(resolution: Resolution): string | undefined {
  if (resolution.kind === 'none') return undefined;
  return resolution.kind === 'demo' ? demoModel : resolution.model;
}

function statusOf(resolution: Resolution, ways: readonly SetupWay[]): ModelStatus {
  if (resolution.kind === 'none') return { state: 'none', ways, problem: resolution.problem };
  const model = modelOf(resolution) ?? demoModel;
  const provider = resolution.kind === 'api' ? resolution.provider : resolution.kind;
  const label = resolution.kind === 'demo' ? demoLabel : modelLabel(model);
  return { state: 'ready', provider, model, label, contextTokens: modelFacts(model).contextTokens, baseUrl: resolution.kind === 'api' ? resolution.baseUrl : undefined };
}

/** What to tell who runs without an editor and without a model. */
export function notSetUpText(problem: string | undefined): string {
  return [
    problem ?? 'No model is set up.',
    'Set ANTHROPIC_API_KEY for Anthropic\'s API, or ANTHROPIC_BASE_URL (with ANTHROPIC_MODEL, and a key if it asks for one) for a server that speaks its Messages API.',
    'In the editor, open the Troupe view and set up a model. "--model demo" shows a scripted walk-through without one.',
  ].join('\n');
}
