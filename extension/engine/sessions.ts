import { mainAgentId, newSessionId } from '../base/ids';
import { assertNever } from '../base/assertNever';
import { Emitter } from '../base/disposable';
import { CallError } from '../protocol/callError';
import type { DurableEvent, Notice, UiEvent } from '../protocol/events';
import type { PermissionMode } from '../protocol/permission';
import { emptyView, reduceView } from '../protocol/reduceView';
import type { SessionSummary, View } from '../protocol/view';
import { isLeaseLive } from '../session/leaseStore';
import type { SessionRecord } from '../session/sessionStore';
import { readTranscript } from '../session/transcriptStore';
import { LiveSession } from './liveSession';
import type { SessionKit } from './sessionKit';

/** A session younger than this is what a newly opened view shows; an older one is in the list. */
const recentMs = 12 * 60 * 60_000;

/** How long a session that waits for its person is waited for while another window holds it. */
const handOverMs = 5_000;

/** The live sessions of one engine, and the ones on disk beside them. */
export class Sessions {
  private readonly live = new Map<string, LiveSession>();
  private readonly opening = new Map<string, Promise<LiveSession | undefined>>();
  /** While it is looked for: views that open together show the same session. */
  private finding: Promise<LiveSession> | undefined;
  private readonly events: Emitter<{ readonly sessionId: string; readonly event: UiEvent }>;

  /** Notices of the window that no session could take yet. */
  private untold: Omit<Notice, 'noticeId'>[] = [];

  constructor(private readonly kit: SessionKit) {
    this.events = new Emitter((thrown) => kit.log.error(`A listener of the sessions failed: ${String(thrown)}`));
  }

  onEvent(listener: (sessionId: string, event: UiEvent) => void): { dispose(): void } {
    return this.events.on(({ sessionId, event }) => listener(sessionId, event));
  }

  async start(mode: PermissionMode, sessionId: string = newSessionId()): Promise<LiveSession> {
    if (this.kit.sessions.has(sessionId)) throw new CallError('invalid', `There is already a session ${sessionId}; use --resume to go on with it.`);
    const session = await this.open(sessionId, { events: [], mode });
    if (!session) throw new CallError('readOnly', 'The new session could not be opened for writing.');
    return session;
  }

  /** @throws CallError when there is no such session, or another window writes to it */
  async resume(sessionId: string): Promise<LiveSession> {
    const session = await this.resumeIfFree(sessionId);
    if (!session) throw new CallError('readOnly', 'Another window works on this session. Close it there, or start a new one.');
    return session;
  }

  get(sessionId: string): LiveSession {
    const session = this.live.get(sessionId);
    if (!session) throw new CallError('notFound', `Session ${sessionId} is not open.`);
    return session;
  }

  peek(sessionId: string): LiveSession | undefined {
    return this.live.get(sessionId);
  }

  all(): readonly LiveSession[] {
    return [...this.live.values()];
  }

  /** The live session in which something happened last. */
  newest(): LiveSession | undefined {
    return this.all().toSorted((a, b) => b.log.view.session.lastEventAtMs - a.log.view.session.lastEventAtMs)[0];
  }

  /** What a view that has just opened shows: the session that waits for its person or was used last, else a new one. */
  async current(mode: PermissionMode, preferred?: string): Promise<LiveSession> {
    this.finding ??= this.find(mode, preferred).finally(() => {
      this.finding = undefined;
    });
    return this.finding;
  }

  private async find(mode: PermissionMode, preferred: string | undefined): Promise<LiveSession> {
    const records = this.kit.sessions.list();
    const newestLive = this.newest();
    // After a reload nothing is live yet: what waits for its person comes before what was looked at last.
    const waiting = newestLive ? undefined : records.find((r) => r.pendingAsks > 0 || r.turnOpen)?.sessionId;
    const recent = newestLive?.sessionId ?? records.find((r) => this.kit.clock.nowMs() - r.lastEventAtMs < recentMs && r.title !== '')?.sessionId;
    for (const sessionId of [waiting, preferred, recent]) {
      if (sessionId === undefined || !this.kit.sessions.has(sessionId)) continue;
      const session = sessionId === waiting ? await this.resumeWhenFree(sessionId) : await this.resumeIfFree(sessionId);
      if (session) return session;
    }
    return this.start(mode);
  }

  /** The window that had it may still be closing: a reload starts the new one before the old one has ended. */
  private async resumeWhenFree(sessionId: string): Promise<LiveSession | undefined> {
    const { clock } = this.kit;
    for (const untilMs = clock.nowMs() + handOverMs; ; await clock.sleep(100)) {
      const session = await this.resumeIfFree(sessionId);
      if (session || clock.nowMs() >= untilMs) return session;
    }
  }

  /** A session as it stands, live or on disk. */
  async view(sessionId: string): Promise<View> {
    const live = this.live.get(sessionId);
    if (live) return live.log.view;
    if (!this.kit.sessions.has(sessionId)) throw notFound(sessionId);
    const { events } = await readTranscript(this.kit.sessions.folder(sessionId));
    return events.reduce<View>(reduceView, emptyView(sessionId));
  }

  summaries(): readonly SessionSummary[] {
    const records = new Map(this.kit.sessions.list().map((record) => [record.sessionId, record]));
    for (const session of this.live.values()) records.set(session.sessionId, session.record());
    return [...records.values()]
      .filter((record) => record.title !== '' || this.live.has(record.sessionId))
      .sort((a, b) => b.lastEventAtMs - a.lastEventAtMs)
      .map((record) => this.summary(record));
  }

  async discard(sessionId: string): Promise<void> {
    const session = this.live.get(sessionId);
    if (session?.isWorking) throw new CallError('busy', 'This session is working. Stop it before you delete it.');
    if (!session && this.kit.sessions.has(sessionId) && isLeaseLive(this.kit.sessions.folder(sessionId), this.kit.leaseOwner)) throw new CallError('readOnly', 'Another window works on this session. Close it there before you delete it.');
    await session?.close();
    this.live.delete(sessionId);
    if (!this.kit.sessions.has(sessionId)) throw notFound(sessionId);
    await this.kit.sessions.discard(sessionId);
    void this.kit.snapshots?.drop(sessionId);
  }

  /** Says something that concerns no one session: in the one used last, else in the next to open. */
  tell(notice: Omit<Notice, 'noticeId'>): void {
    const newest = this.newest();
    if (newest) newest.raise(notice);
    else this.untold.push(notice);
  }

  async close(): Promise<void> {
    await Promise.all(this.all().map((session) => session.close()));
    this.live.clear();
  }

  private async resumeIfFree(sessionId: string): Promise<LiveSession | undefined> {
    const live = this.live.get(sessionId);
    if (live) return live;
    if (!this.kit.sessions.has(sessionId)) throw notFound(sessionId);
    const running = this.opening.get(sessionId);
    if (running) return running;
    const opening = readTranscript(this.kit.sessions.folder(sessionId)).then(({ events }) => {
      if (events.length === 0) throw new CallError('notFound', `Session ${sessionId} holds nothing that can be read.`);
      return this.open(sessionId, { events, mode: 'default' });
    });
    this.opening.set(sessionId, opening);
    try {
      return await opening;
    } finally {
      this.opening.delete(sessionId);
    }
  }

  private async open(sessionId: string, start: { readonly events: readonly DurableEvent[]; readonly mode: PermissionMode }): Promise<LiveSession | undefined> {
    const session = await LiveSession.open(this.kit, sessionId, start);
    if (!session) return undefined;
    this.live.set(sessionId, session);
    session.log.on((event) => {
      // First the record: whoever was shown an ask must find it in the list after a crash.
      if (changesRecord(event)) session.saveRecord();
      this.events.fire({ sessionId, event });
    });
    for (const notice of this.untold.splice(0)) session.raise(notice);
    return session;
  }

  private summary(record: SessionRecord): SessionSummary {
    const live = this.live.get(record.sessionId);
    const busy = live ? live.isWorking : record.turnOpen;
    return {
      sessionId: record.sessionId,
      title: record.title === '' ? 'New session' : record.title,
      group: record.pendingAsks > 0 ? 'needsYou' : busy && live ? 'working' : 'done',
      startedAtMs: record.startedAtMs,
      lastEventAtMs: record.lastEventAtMs,
      pendingAsks: record.pendingAsks,
      costUsd: record.costUsd,
      readOnly: !live && isLeaseLive(this.kit.sessions.folder(record.sessionId), this.kit.leaseOwner),
    };
  }
}

function notFound(sessionId: string): CallError {
  return new CallError('notFound', `There is no session ${sessionId} in this folder.`);
}

/** What the list of sessions shows, and what must be known after a crash. */
function changesRecord(event: UiEvent): boolean {
  switch (event.type) {
    case 'session/renamed':
    case 'turn/started':
    case 'permission/requested':
    case 'permission/resolved':
    case 'question/asked':
    case 'question/answered':
    case 'plan/proposed':
    case 'plan/resolved':
      return true;
    case 'message/received':
      return event.origin === 'person' && event.agentId === mainAgentId;
    case 'session/started':
    case 'session/modeChanged':
    case 'session/modelChanged':
    case 'session/cwdChanged':
    case 'session/directoryAdded':
    case 'agent/spawned':
    case 'agent/statusChanged':
    case 'agent/finished':
    case 'context/compacted':
    case 'turn/queued':
    case 'turn/dequeued':
    case 'turn/completed':
    case 'turn/snapshotTaken':
    case 'turn/undone':
    case 'turn/redone':
    case 'message/started':
    case 'message/completed':
    case 'tool/started':
    case 'tool/spawned':
    case 'tool/completed':
    case 'permission/revoked':
    case 'permission/classified':
    case 'notice/raised':
    case 'notice/dismissed':
    case 'message/delta':
    case 'tool/updated':
    case 'hook/ran':
    case 'hook/waiting':
    case 'agent/progress':
    case 'model/waiting':
      return false;
    default:
      return assertNever(event);
  }
}
