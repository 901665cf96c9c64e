import { asRecord, type Settings } from './settingsSchema';

export type SettingsSource = 'managed' | 'flag' | 'local' | 'project' | 'user' | 'plugin';

export interface SettingsLayer {
  readonly source: SettingsSource;
  /** Absent for what came on the command line or from the editor. */
  readonly path?: string;
  readonly settings: Settings;
}

export interface ValueOrigin {
  readonly source: SettingsSource;
  readonly path?: string;
  readonly value: unknown;
}

/** One effective value. `key` is dotted; a list that several files add to names them all, highest first. */
export interface EffectiveValue {
  readonly key: string;
  readonly value: unknown;
  readonly from: readonly ValueOrigin[];
  /** What lower files wanted instead. */
  readonly hides: readonly ValueOrigin[];
}

export interface EffectiveSettings {
  readonly settings: Settings;
  readonly values: readonly EffectiveValue[];
}

/** Whole from the highest file that has it. */
const whole = /^(fallbackModel|availableModels|extraKnownMarketplaces\.[^.]+|pluginConfigs\.[^.]+|statusLine|subagentStatusLine)$/;
/** The value that wins from any file, since it is the stricter one. */
const stricter = new Map<string, unknown>([
  ['disableClaudeAiConnectors', true],
  ['isolatePeerMachines', true],
  ['remoteControlAtStartup', false],
  ['permissions.disableBypassPermissionsMode', 'disable'],
  ['permissions.disableAutoMode', 'disable'],
]);

/** Lists of what may be used at all: an organisation's own is the whole list, nobody below it adds to it. */
const managedReplaces = /^(allowedMcpServers|strictKnownMarketplaces|allowedMarketplaces|availableModels|sandbox\.network\.allowedDomains|sandbox\.filesystem\.allowWrite)$/;

/** Merges layers given highest first: scalars from the highest, objects key by key, lists joined lowest first without doubles. */
export function mergeSettings(layers: readonly SettingsLayer[]): EffectiveSettings {
  const origins = layers.map((layer) => ({ layer, value: layer.settings }));
  const values: EffectiveValue[] = [];
  const merged = mergeAt('', origins.map(({ layer, value }) => ({ layer, value: asRecord(value) })), values);
  return { settings: asRecord(merged), values: values.sort((a, b) => (a.key < b.key ? -1 : 1)) };
}

interface Held {
  readonly layer: SettingsLayer;
  readonly value: unknown;
}

function mergeAt(key: string, held: readonly Held[], values: EffectiveValue[]): unknown {
  const [top] = held;
  if (!top) return undefined;
  if (isPlainObject(top.value) && !whole.test(key)) return mergeObjects(key, held, values);
  if (Array.isArray(top.value) && !whole.test(key)) return mergeLists(key, held, values);
  const strict = stricter.has(key) ? held.find((h) => h.value === stricter.get(key)) : undefined;
  const winner = strict ?? top;
  values.push({ key, value: winner.value, from: [originOf(winner)], hides: held.filter((h) => h !== winner).map(originOf) });
  return winner.value;
}

function mergeObjects(key: string, held: readonly Held[], values: EffectiveValue[]): Readonly<Record<string, unknown>> {
  const others = held.filter((h) => !isPlainObject(h.value));
  if (others.length > 0) values.push({ key, value: '(an object)', from: held.filter((h) => isPlainObject(h.value)).map(originOf), hides: others.map(originOf) });
  const keys = new Set(held.flatMap((h) => Object.keys(asRecord(h.value))));
  const out: [string, unknown][] = [];
  for (const name of keys) {
    if (name === '__proto__') continue;
    const below = held.filter((h) => Object.hasOwn(asRecord(h.value), name)).map((h) => ({ layer: h.layer, value: asRecord(h.value)[name] }));
    out.push([name, mergeAt(key === '' ? name : `${key}.${name}`, below, values)]);
  }
  if (keys.size === 0 && key !== '') values.push({ key, value: {}, from: held.map(originOf), hides: [] });
  return Object.fromEntries(out);
}

function mergeLists(key: string, held: readonly Held[], values: EffectiveValue[]): readonly unknown[] {
  const closed = managedReplaces.test(key) && held[0]?.layer.source === 'managed';
  const counts = held.filter((h) => Array.isArray(h.value) && (!closed || h.layer.source === 'managed'));
  const seen = new Map<string, unknown>();
  for (const { value } of [...counts].reverse()) {
    for (const item of Array.isArray(value) ? value : []) {
      const id = JSON.stringify(item);
      if (!seen.has(id)) seen.set(id, item);
    }
  }
  const merged = [...seen.values()];
  values.push({ key, value: merged, from: counts.map(originOf), hides: held.filter((h) => !counts.includes(h)).map(originOf) });
  return merged;
}

function isPlainObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function originOf({ layer, value }: Held): ValueOrigin {
  return { source: layer.source, ...(layer.path === undefined ? {} : { path: layer.path }), value };
}
