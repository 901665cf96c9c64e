import type { Incoming } from '../agents/turnLoop';
import { type HookOutcome, noHooks } from '../hooks/hookOutcome';
import type { HookEventName } from '../hooks/hookEvents';
import type { RawHooks } from '../settings/hookLayers';
import type { HookBook } from './hookBook';
import type { HookMoment, Hooks } from './hookMoment';
import type { SessionHookPorts, SessionHooks } from './sessionHooks';

export class HookDoor implements Hooks {
  private readonly added: RawHooks[] = [];
  private opening: Promise<SessionHooks> | undefined;
  private starting: Promise<readonly Incoming[]> | undefined;
  private isClosed = false;

  constructor(
    private readonly book: HookBook,
    private readonly portsOf: (own: () => readonly RawHooks[]) => SessionHookPorts,
  ) {}

  get isOpen(): boolean {
    return !this.isClosed && (this.added.length > 0 || this.book.hasAny);
  }

  /** Hooks of a skill's or an agent's own file, from now on. */
  add(hooks: RawHooks): void {
    const { source, path, agentId } = hooks.origin;
    const isKnown = this.added.some(({ origin }) => origin.source === source && origin.path === path && origin.agentId === agentId);
    if (!isKnown) this.added.push(hooks);
  }

  async fire(event: HookEventName, input: Readonly<Record<string, unknown>>, moment: HookMoment): Promise<HookOutcome> {
    return this.isOpen ? (await this.session()).fire(event, input, moment) : noHooks;
  }

  /** The session has begun, or goes on: its first turn waits for what these hooks have to say. */
  start(source: 'startup' | 'resume' | 'clear' | 'compact' | 'fork'): void {
    this.starting = this.book.ready().then(async () => (this.isOpen ? (await this.session()).start(source) : []));
  }

  /** What hooks of the start have for the conversation; empty once it was taken. */
  async takeStart(): Promise<readonly Incoming[]> {
    const said = await this.starting;
    this.starting = undefined;
    return said ?? [];
  }

  async has(event: HookEventName): Promise<boolean> {
    return this.isOpen && (await this.session()).has(event);
  }

  async transcriptOf(agentId: string): Promise<string | undefined> {
    return this.isOpen ? (await this.session()).transcriptOf(agentId) : undefined;
  }

  /** Files of `export` lines that hooks have written, oldest first. */
  envFiles(): readonly string[] {
    return this.opened?.envFiles() ?? [];
  }

  /** Nothing fires after this but what `end` itself fires. */
  async close(reason: string): Promise<void> {
    const session = this.isOpen ? await this.session() : undefined;
    this.isClosed = true;
    await session?.end(reason);
  }

  private opened: SessionHooks | undefined;

  private session(): Promise<SessionHooks> {
    this.opening ??= this.open();
    return this.opening;
  }

  private async open(): Promise<SessionHooks> {
    const { SessionHooks } = await import('./sessionHooks');
    this.opened = new SessionHooks(this.portsOf(() => this.added));
    return this.opened;
  }
}
