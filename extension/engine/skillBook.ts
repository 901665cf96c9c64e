import { errorText } from '../base/errorText';
import { Emitter } from '../base/disposable';
import type { Log } from '../ports';
import type { SkillListing } from '../protocol/methods';
import { findSkill } from '../skills/findSkill';
import { listSkillsForModel, type SkillListingText, type SkillUsage } from '../skills/listing';
import type { Skill } from '../skills/skill';
import { listingOf } from '../skills/skillItem';
import type { SkillReport } from '../skills/skillLoader';

export interface SkillBookPorts {
  readonly load: () => Promise<SkillReport>;
  readonly usage: { readonly read: () => Promise<SkillUsage>; readonly note: (qualified: string) => Promise<void> };
  readonly nowMs: () => number;
  readonly log: Log;
}

/** The skills of this window: loaded at first need, loaded anew when files change, swapped in at once. */
export class SkillBook {
  private loading: Promise<SkillReport> | undefined;
  private current: SkillReport = { loaded: [], disabled: [], problems: [], pluginFolders: [] };
  private usage: SkillUsage = new Map();
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
    const loading = this.load();
    this.loading = loading;
    this.current = await loading;
    this.changed.fire(this.current);
    return this.current;
  }

  private async load(): Promise<SkillReport> {
    const [report, usage] = await Promise.all([this.ports.load(), this.ports.usage.read()]);
    this.usage = usage;
    return report;
  }

  /** By qualified name, name or alias; what the person can't invoke is found too. */
  find(name: string): Skill | undefined {
    const finding = findSkill(this.current.loaded, name);
    return finding.kind === 'found' ? finding.skill : undefined;
  }

  nearest(name: string): readonly string[] {
    const finding = findSkill(this.current.loaded, name);
    return finding.kind === 'unknown' ? finding.nearest : [];
  }

  used(skill: Skill): void {
    this.usage = new Map([...this.usage, [skill.qualified, { count: (this.usage.get(skill.qualified)?.count ?? 0) + 1, lastUsedAtMs: this.ports.nowMs() }]]);
    this.ports.usage.note(skill.qualified).catch((thrown) => this.ports.log.warn(`The use of ${skill.qualified} could not be counted: ${errorText(thrown)}`));
  }

  listingForModel(contextTokens: number | undefined): SkillListingText {
    return listSkillsForModel(this.current.loaded, { contextTokens, usage: this.usage });
  }

  /** For the `/` menu and the palette: most recently used first, then by name. */
  listing(): readonly SkillListing[] {
    const { usage } = this;
    const last = (skill: Skill): number => usage.get(skill.qualified)?.lastUsedAtMs ?? 0;
    return this.current.loaded
      .filter((skill) => skill.isUserInvocable)
      .sort((a, b) => last(b) - last(a) || (a.qualified < b.qualified ? -1 : 1))
      .map(listingOf);
  }
}
