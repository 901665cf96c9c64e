import type { HookOrigin } from '../hooks/hook';
import type { SettingsLayer } from './cascade';

/** A map of hook events as it stands in one file, not read yet: most sessions have none. */
export interface RawHooks {
  readonly raw: unknown;
  readonly origin: HookOrigin;
}

/** What the settings say about hooks at one moment. */
export interface HookSettings {
  readonly maps: readonly RawHooks[];
  /** Files whose hooks a switch or policy has taken out. */
  readonly disabled: readonly { readonly name: string; readonly path: string; readonly reason: string }[];
  /** Why hooks of plugins, skills and agents don't run; undefined when they do. Plugins that policy forces on always run, but for a managed off switch. */
  readonly othersOff: string | undefined;
  /** As `othersOff`, for hooks of skills and agents that no plugin brought. */
  readonly ownOff: string | undefined;
  /** A managed switch: nothing runs at all. */
  readonly allOff: boolean;
  /** Addresses an http hook may be sent to, `*` for any text; undefined: any. */
  readonly allowedUrls: readonly string[] | undefined;
  /** Variables an http hook's headers may hold; undefined: those it lists itself. */
  readonly allowedEnvVars: readonly string[] | undefined;
}

/** @param layers highest first, cut down to what each kind of file may say */
export function hookSettings(layers: readonly SettingsLayer[]): HookSettings {
  const switched = layers.find((layer) => layer.settings.disableAllHooks !== undefined);
  const isOff = switched?.settings.disableAllHooks === true;
  const allOff = isOff && switched.source === 'managed';
  const managed = layers.filter((layer) => layer.source === 'managed');
  const managedOnly = managed.some((layer) => layer.settings.allowManagedHooksOnly === true);
  const pluginsOnly = managed.some((layer) => namesHooks(layer.settings['strictPluginOnlyCustomization']));
  const othersOff = isOff ? 'disableAllHooks is on' : managedOnly ? 'allowManagedHooksOnly: only hooks of the managed settings run' : undefined;
  const ownOff = othersOff ?? (pluginsOnly ? 'strictPluginOnlyCustomization: hooks come from plugins and managed settings alone' : undefined);
  const maps: RawHooks[] = [];
  const disabled: HookSettings['disabled'][number][] = [];
  for (const layer of layers) {
    const raw = layer.settings.hooks;
    if (raw === undefined || Object.keys(raw).length === 0) continue;
    const reason = layer.source === 'managed' ? (allOff ? 'disableAllHooks is on in the managed settings' : undefined) : ownOff;
    if (reason !== undefined) disabled.push({ name: `hooks of the ${layer.source} settings`, path: layer.path ?? '', reason });
    else maps.push({ raw, origin: { source: layer.source, keys: ['hooks'], ...(layer.path === undefined ? {} : { path: layer.path }) } });
  }
  return { maps, disabled, othersOff, ownOff, allOff, allowedUrls: joined(layers, (s) => s.allowedHttpHookUrls), allowedEnvVars: joined(layers, (s) => s.httpHookAllowedEnvVars) };
}

function namesHooks(value: unknown): boolean {
  return value === true || (Array.isArray(value) && value.includes('hooks'));
}

/** Lists of all files together; undefined when none has one, which is not the same as an empty one. */
function joined(layers: readonly SettingsLayer[], list: (settings: SettingsLayer['settings']) => readonly string[] | undefined): readonly string[] | undefined {
  const lists = layers.map((layer) => list(layer.settings)).filter((one) => one !== undefined);
  return lists.length === 0 ? undefined : [...new Set(lists.flat())];
}
