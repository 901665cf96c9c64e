import { dirname } from 'node:path';
import { errorText } from '../base/errorText';
import { Emitter } from '../base/disposable';
import type { Log } from '../ports';
import type { SkillListing } from '../protocol/methods';
import { skillsForPath } from '../skills/activation';
import { findSkill } from '../skills/findSkill';
import { listSkillsForModel, overrideOf, type SkillListingText, type SkillUsage } from '../skills/listing';
import type { Skill } from '../skills/skill';
import { listingOf } from '../skills/skillItem';
import type { SkillReport } from '../skills/skillLoader';
import type { SkillSettings } from './settingsAccess';

export interface SkillBookPorts {
  readonly load: () => Promise<SkillReport>;
  /** Skills of folders below the start folder that lie on the way to a file. */
  readonly loadNested: (touched: string, known: readonly Skill[]) => Promise<readonly Skill[]>;
  /** Where globs of `paths` are taken from. */
  readonly cwd: string;
  readonly settings: () => SkillSettings;
  readonly usage: { readonly read: () => Promise<SkillUsage>; readonly note: (qualified: string) => Promise<void> };
  readonly nowMs: () => number;
  readonly log: Log;
}

/** The skills of this window: loaded at first need, loaded anew when files change, swapped in at once. */
export class SkillBook {
  private loading: Promise<SkillReport> | undefined;
  private current: SkillReport = { loaded: [], disabled: [], problems: [], pluginFolders: [] };
  private usage: SkillUsage = new Map();
  /** Skills with `paths` that a touched file has brought in, by qualified name. */
  private readonly activated = new Set<string>();
  /** Found in folders below the start folder; they stay for the window. */
  private nested: readonly Skill[] = [];
  private readonly lookedIn = new Set<string>();
  private readonly changed: Emitter<SkillReport>;

  constructor(private readonly ports: SkillBookPorts) {
    this.changed = new Emitter((thrown) => ports.log.error(`A listener of the skills failed: ${String(thrown)}`));
  }

  get report(): SkillReport {
    return this.current;
  }

  get isShellOff(): boolean {
    return this.ports.settings().isShellOff;
  }

  /** All that may run now: what the settings turn off is gone, what touched files brought in is there. */
  get usable(): readonly Skill[] {
    const { overrides } = this.ports.settings();
    const all = this.nested.length === 0 ? this.current.loaded : [...this.current.loaded, ...this.nested];
    return Object.keys(overrides).length === 0 ? all : all.filter((skill) => overrideOf(skill, overrides) !== 'off');
  }

  /** An agent read or changed these files: skills for them count from now on. @returns whether there are any new ones */
  async touched(paths: readonly string[]): Promise<boolean> {
    await this.ready();
    const before = this.activated.size + this.nested.length;
    for (const path of paths) {
      if (!this.lookedIn.has(dirname(path))) {
        this.lookedIn.add(dirname(path));
        const found = await this.ports.loadNested(path, [...this.current.loaded, ...this.nested]);
        const known = new Set(this.nested.map((skill) => skill.path));
        this.nested = [...this.nested, ...found.filter((skill) => !known.has(skill.path))];
      }
      for (const skill of await skillsForPath([...this.current.loaded, ...this.nested], path, this.ports.cwd)) this.activated.add(skill.qualified);
    }
    return this.activated.size + this.nested.length > before;
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
    this.nested = [];
    this.lookedIn.clear();
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
    const finding = findSkill(this.usable, name);
    return finding.kind === 'found' ? finding.skill : undefined;
  }

  nearest(name: string): readonly string[] {
    const finding = findSkill(this.usable, name);
    return finding.kind === 'unknown' ? finding.nearest : [];
  }

  used(skill: Skill): void {
    this.usage = new Map([...this.usage, [skill.qualified, { count: (this.usage.get(skill.qualified)?.count ?? 0) + 1, lastUsedAtMs: this.ports.nowMs() }]]);
    this.ports.usage.note(skill.qualified).catch((thrown) => this.ports.log.warn(`The use of ${skill.qualified} could not be counted: ${errorText(thrown)}`));
  }

  listingForModel(contextTokens: number | undefined): SkillListingText {
    return listSkillsForModel(this.usable, { ...this.ports.settings(), contextTokens, usage: this.usage, activated: this.activated });
  }

  /** For the `/` menu and the palette: most recently used first, then by name. */
  listing(): readonly SkillListing[] {
    const { usage } = this;
    const last = (skill: Skill): number => usage.get(skill.qualified)?.lastUsedAtMs ?? 0;
    return this.usable
      .filter((skill) => skill.isUserInvocable)
      .sort((a, b) => last(b) - last(a) || (a.qualified < b.qualified ? -1 : 1))
      .map(listingOf);
  }
}
