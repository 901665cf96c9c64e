import type { Problem } from '../base/problem';
import type { Hook } from '../hooks/hook';
import type { HookSettings, RawHooks } from '../settings/hookLayers';

export interface HookReport {
  readonly hooks: readonly Hook[];
  readonly disabled: HookSettings['disabled'];
  readonly problems: readonly Problem[];
}

/** The hooks of this window that belong to no single session: settings and plugins. Read when the first event asks. */
export class HookBook {
  private plugins: readonly RawHooks[] = [];
  private read: { readonly settings: HookSettings; readonly plugins: readonly RawHooks[]; readonly report: Promise<HookReport> } | undefined;

  constructor(
    private readonly settings: () => HookSettings,
    /** Resolves once the plugins have been read. */
    readonly ready: () => Promise<unknown> = async () => undefined,
  ) {}

  /** Whether any file has hooks; costs no reading. */
  get hasAny(): boolean {
    return this.settings().maps.length > 0 || this.plugins.length > 0;
  }

  get rules(): HookSettings {
    return this.settings();
  }

  /** Maps of events of the plugins that are on, as read from their manifests and files; swapped in as a whole. */
  setPlugins(plugins: readonly RawHooks[]): void {
    this.plugins = plugins;
  }

  /** Read anew when settings or plugins have changed. */
  async report(): Promise<HookReport> {
    await this.ready();
    const settings = this.settings();
    if (this.read?.settings !== settings || this.read.plugins !== this.plugins) this.read = { settings, plugins: this.plugins, report: readAll(settings, this.plugins) };
    return this.read.report;
  }
}

async function readAll(settings: HookSettings, plugins: readonly RawHooks[]): Promise<HookReport> {
  const [{ readHooks }, { withLines }] = await Promise.all([import('../hooks/readHooks'), import('../hooks/hookFileLoader')]);
  const disabled = [...settings.disabled];
  const running = plugins.filter(({ origin }) => {
    const reason = settings.allOff ? 'disableAllHooks is on in the managed settings' : origin.plugin?.isForced ? undefined : settings.othersOff;
    if (reason !== undefined) disabled.push({ name: `hooks of the plugin ${origin.plugin?.name ?? ''}`, path: origin.path ?? '', reason });
    return reason === undefined;
  });
  const read = [...settings.maps, ...running].map(({ raw, origin }) => readHooks(raw, origin));
  return { hooks: read.flatMap((one) => one.hooks), disabled, problems: await withLines(read.flatMap((one) => one.problems)) };
}
