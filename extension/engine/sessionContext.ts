import type { Incoming } from '../agents/turnLoop';
import { mainPrompt, plainPrompt } from '../agents/builtin/mainPrompt';
import type { DurableEvent } from '../protocol/events';
import type { View } from '../protocol/view';
import { openingContext, planModeEnded, planModeReminder } from '../session/contextMessage';
import { earlierConversation, eventsInContext } from '../session/compaction';
import { styleReminder } from '../session/outputStyle';
import type { MemoryFile } from '../session/memoryFilesLoader';
import type { SessionKit } from './sessionKit';

const turnsBetweenReminders = 8;

/** What sets the opening of a sub-agent apart from the session's. */
export interface ContextFrame {
  readonly cwd: string;
  readonly addedDirs: readonly string[];
  readonly hasSkills: boolean;
  readonly hasAgents: boolean;
  /** Texts of skills its definition brings along. */
  readonly preloaded: () => Promise<readonly string[]>;
  /** A file of a worktree as the file of the main checkout, whose memory files count. */
  readonly inMain: (path: string) => string;
  /** What holds in its place or mode. */
  readonly notes: () => readonly string[];
}

/**
 * What a session tells its model beside the person's words: the opening message once, later only what is new, as
 * messages of their own. What was sent is never changed, so the prompt cache holds.
 */
export class SessionContext {
  private readonly remembered = new Set<string>();
  private nested: Promise<readonly Incoming[]>[] = [];
  private listed: string | undefined;

  constructor(
    private readonly kit: SessionKit,
    private readonly session: { readonly agentId: string; readonly planFile: string; readonly view: () => View; readonly events: () => readonly DurableEvent[]; readonly frame?: ContextFrame; /** Told of memory files that enter, and of the touched file that brought them. */ readonly loaded?: (files: readonly MemoryFile[], trigger?: string) => void },
  ) {}

  system(): readonly string[] {
    const { systemPrompt, appendSystemPrompt } = this.kit.options;
    const style = this.session.view().session.outputStyle;
    const main = systemPrompt ?? (style && !style.keepsCoding ? plainPrompt : mainPrompt);
    return [[main, appendSystemPrompt, style?.prompt].filter((part) => part !== undefined && part !== '').join('\n\n')];
  }

  /** What a turn begins with, before the person's message. */
  async messages(): Promise<readonly Incoming[]> {
    const opening = this.inContext().some((event) => event.type === 'message/received' && event.origin === 'context');
    if (this.session.frame) return opening ? [] : [await this.framed(this.session.frame)];
    const context = opening ? await this.newSkills() : [await this.opening()];
    return [...context, ...this.modeChange(), ...this.styleReminder()];
  }

  /** Texts the model has read as skills, so that the same one is not sent twice. */
  isSaid(text: string): boolean {
    return this.inContext().some((event) => event.type === 'message/received' && event.content.some((block) => block.type === 'text' && block.text === text));
  }

  private inContext(): readonly DurableEvent[] {
    return eventsInContext(this.session.events(), this.session.agentId);
  }

  /** What stands for the conversation before a compaction. */
  private earlier(): readonly { readonly type: 'text'; readonly text: string }[] {
    const text = earlierConversation(this.session.events(), this.session.agentId);
    return text === undefined ? [] : [{ type: 'text', text }];
  }

  /** Files the agent read or changed: memory files beside them become known. */
  touched(paths: readonly string[]): void {
    const { frame } = this.session;
    this.nested.push(this.skillsFor(frame ? paths.map(frame.inMain) : paths));
    this.nested.push(this.nestedMemory(frame ? paths.map(frame.inMain) : paths));
  }

  async takeReminders(): Promise<readonly Incoming[]> {
    const waiting = this.nested;
    this.nested = [];
    return (await Promise.all(waiting)).flat();
  }

  private async opening(): Promise<Incoming> {
    this.remembered.clear();
    const [memory, git] = await Promise.all([this.kit.memory(), this.kit.git(), this.kit.skills.ready(), this.kit.agents.fresh()]);
    for (const file of memory) this.remembered.add(file.realPath);
    this.session.loaded?.(memory);
    const [shared, own] = openingContext({
      memory,
      listings: [this.skillListing(), this.agentListing()],
      date: new Date(this.kit.clock.nowMs()).toISOString().slice(0, 10),
      cwd: this.kit.options.cwd,
      addedDirs: this.kit.options.addDirs,
      platform: process.platform,
      git,
    });
    return { origin: 'context', content: [{ type: 'text', text: shared }, { type: 'text', text: own }, ...this.earlier()] };
  }

  private async framed(frame: ContextFrame): Promise<Incoming> {
    this.remembered.clear();
    const [memory, git, preloaded] = await Promise.all([this.kit.memory(), this.kit.git(frame.cwd), frame.preloaded(), this.kit.skills.ready()]);
    for (const file of memory) this.remembered.add(file.realPath);
    this.session.loaded?.(memory);
    const [shared, own] = openingContext({
      memory,
      listings: [frame.hasSkills ? this.skillListing() : '', frame.hasAgents ? this.agentListing() : '', ...preloaded],
      date: new Date(this.kit.clock.nowMs()).toISOString().slice(0, 10),
      cwd: frame.cwd,
      addedDirs: frame.addedDirs,
      platform: process.platform,
      git,
    });
    return { origin: 'context', content: [{ type: 'text', text: shared }, { type: 'text', text: [own, ...frame.notes()].join('\n') }, ...this.earlier()] };
  }

  private agentListing(): string {
    const listing = this.kit.agents.listing();
    return listing === '' ? '' : `Agents you can start with the Agent tool:\n${listing}`;
  }

  private skillListing(): string {
    this.listed = this.listingText();
    return this.listed === '' ? '' : `Skills you can run with the Skill tool:\n${this.listed}`;
  }

  private listingText(): string {
    const status = this.kit.models.status();
    return this.kit.skills.listingForModel(status.state === 'ready' ? status.contextTokens : undefined).text;
  }

  /** Skills that these files bring in are told at the next step. */
  private async skillsFor(paths: readonly string[]): Promise<readonly Incoming[]> {
    return (await this.kit.skills.touched(paths)) && this.listed !== undefined ? this.newSkills() : [];
  }

  private async newSkills(): Promise<readonly Incoming[]> {
    await this.kit.skills.ready();
    const before = this.listed;
    const now = this.listingText();
    this.listed = now;
    if (before === undefined || before === now) return [];
    const known = new Set(before.split('\n'));
    const added = now.split('\n').filter((line) => line !== '' && !known.has(line));
    if (added.length === 0) return [];
    return [{ origin: 'reminder', content: [{ type: 'text', text: `<reminder>\nThese skills are new or changed:\n${added.join('\n')}\n</reminder>` }] }];
  }

  private styleReminder(): readonly Incoming[] {
    const style = this.session.view().session.outputStyle;
    if (!style) return [];
    const text = styleReminder(style.name);
    const events = this.inContext();
    const told = events.findLastIndex((event) => event.type === 'message/received' && event.content.some((block) => block.type === 'text' && block.text === text));
    const turns = events.slice(told + 1).filter((event) => event.type === 'turn/started').length;
    return turns >= turnsBetweenReminders ? [{ origin: 'reminder', content: [{ type: 'text', text }] }] : [];
  }

  /** Plan mode is told when it begins and when it ends, not on every turn. */
  private modeChange(): readonly Incoming[] {
    const told = this.inContext().findLast((event) => event.type === 'message/received' && event.origin === 'reminder' && event.content.some((b) => b.type === 'text' && /^<reminder>\nPlan mode is/.test(b.text)));
    const wasOn = told?.type === 'message/received' && told.content.some((b) => b.type === 'text' && b.text.startsWith('<reminder>\nPlan mode is on'));
    const isOn = this.session.view().session.mode === 'plan';
    if (isOn === wasOn) return [];
    return [{ origin: 'reminder', content: [{ type: 'text', text: isOn ? planModeReminder(this.session.planFile) : planModeEnded() }] }];
  }

  private async nestedMemory(paths: readonly string[]): Promise<readonly Incoming[]> {
    const parts = (await this.kit.nestedMemory(paths, this.remembered)).filter((file) => !this.remembered.has(file.realPath));
    for (const file of parts) this.remembered.add(file.realPath);
    this.session.loaded?.(parts, paths[0] ?? '');
    return parts.map((part) => ({ origin: 'reminder', content: [{ type: 'text', text: `<memory-file path="${part.path}" why="${part.why}">\n${part.text.trim()}\n</memory-file>` }] }));
  }
}
