import { Emitter } from '../base/disposable';
import type { LoadReport } from '../base/problem';
import type { Log } from '../ports';
import type { Plugin } from '../plugins/plugin';
import type { PluginFolder } from '../skills/skill';

type PluginReport = LoadReport<Plugin>;

/** The plugins of this window: read at first need, read anew as a whole, swapped in at once. */
export class PluginBook {
  private loading: Promise<PluginReport> | undefined;
  private current: PluginReport = { loaded: [], disabled: [], problems: [] };
  private readonly changed: Emitter<PluginReport>;

  constructor(
    private readonly load: () => Promise<PluginReport>,
    log: Log,
  ) {
    this.changed = new Emitter((thrown) => log.error(`A listener of the plugins failed: ${String(thrown)}`));
  }

  /** As last read. */
  get report(): PluginReport {
    return this.current;
  }

  /** Told each time a reading is swapped in, the first one too. */
  onDidChange(listener: (report: PluginReport) => void): { dispose(): void } {
    return this.changed.on(listener);
  }

  ready(): Promise<PluginReport> {
    this.loading ??= this.reload();
    return this.loading;
  }

  reload(): Promise<PluginReport> {
    const loading = this.load().then((report) => {
      this.current = report;
      this.changed.fire(report);
      return report;
    });
    this.loading = loading;
    return loading;
  }

  /** Their skills, commands and agents, for those loaders. */
  async folders(): Promise<readonly PluginFolder[]> {
    return (await this.ready()).loaded.map((plugin) => plugin.folder);
  }
}
