import { Emitter } from '../base/disposable';
import { didYouMean } from '../base/nearest';
import type { Log } from '../ports';
import type { SkillListing } from '../protocol/methods';
import { listSkillsForModel, type SkillListingText, type SkillUsage } from '../skills/listing';
import type { Skill } from '../skills/skill';
import type { SkillReport } from '../skills/skillLoader';

export interface SkillBookPorts {
  readonly load: () => Promise<SkillReport>;
  readonly usage: { readonly read: () => SkillUsage; readonly note: (qualified: string) => void };
  readonly log: Log;
}

/** The skills of this window: loaded at first need, loaded anew when files change, swapped in at once. */
export class SkillBook {
  private loading: Promise<SkillReport> | undefined;
  private current: SkillReport = { loaded: [], disabled: [], problems: [], pluginFolders: [] };
  private readonly changed: Emitter<SkillReport>;

  constructor(private readonly ports: SkillBookPorts) {
    this.changed = new Emitter((thrown) => ports.log.error(`A listener of the skills failed: ${String(thrown)}`));
  }

  get report(): SkillReport {
    return this.current;
  }

  onDidChange(listener: (report: SkillReport) => void): { dispose(): void } {
    return this.changed.on(listener);
  }

  ready(): Promise<SkillReport> {
    this.loading ??= this.reload();
    return this.loading;
  }

  async reload(): Promise<SkillReport> {
    const loading = this.ports.load();
    this.loading = loading;
    this.current = await loading;
    this.changed.fire(this.current);
    return this.current;
  }

  /** By qualified name, name or alias; what the person can't invoke is found too. */
  find(name: string): Skill | undefined {
    const { loaded } = this.current;
    return loaded.find((s) => s.qualified === name) ?? loaded.find((s) => s.name === name) ?? loaded.find((s) => s.aliases.includes(name));
  }

  nearest(name: string): readonly string[] {
    return didYouMean(name, this.current.loaded.filter((s) => s.isUserInvocable).map((s) => s.qualified));
  }

  used(skill: Skill): void {
    this.ports.usage.note(skill.qualified);
  }

  listingForModel(contextTokens: number | undefined): SkillListingText {
    return listSkillsForModel(this.current.loaded, { contextTokens, usage: this.ports.usage.read() });
  }

  /** For the `/` menu and the palette: most recently used first, then by name. */
  listing(): readonly SkillListing[] {
    const usage = this.ports.usage.read();
    const last = (skill: Skill): number => usage.get(skill.qualified)?.lastUsedAtMs ?? 0;
    return this.current.loaded
      .filter((skill) => skill.isUserInvocable)
      .sort((a, b) => last(b) - last(a) || (a.qualified < b.qualified ? -1 : 1))
      .map((skill) => ({
        name: skill.name,
        qualified: skill.qualified,
        ...(skill.label === undefined ? {} : { label: skill.label }),
        kind: skill.kind,
        source: skill.source,
        description: skill.description,
        ...(skill.argumentHint === undefined ? {} : { argumentHint: skill.argumentHint }),
        path: skill.path,
      }));
  }
}
