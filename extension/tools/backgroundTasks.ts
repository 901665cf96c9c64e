export type TaskStatus = 'running' | 'completed' | 'failed' | 'killed';

/** Something that goes on while the agent does other things: a shell command, an agent. */
export interface BackgroundTask {
  readonly id: string;
  readonly kind: 'shell' | 'agent';
  readonly sessionId: string;
  /** The agent that started it. */
  readonly agentId: string;
  readonly callId: string;
  /** The command, or the agent's name. */
  readonly title: string;
  /** Everything it wrote. */
  readonly outputFile: string;
  readonly status: () => TaskStatus;
  /** "exit code 1", "stopped". */
  readonly summary: () => string;
  readonly stop: () => void;
  /** Never rejects. */
  readonly ended: Promise<void>;
}

export interface Leftover {
  readonly sessionId: string;
  readonly agentId: string;
  readonly end: () => void;
}

const keptEnded = 200;

/** All background tasks of an engine. `onEnded` is told of each one once, whichever way it ended. */
export class BackgroundTasks {
  private readonly tasks = new Map<string, BackgroundTask>();
  private leftovers: readonly Leftover[] = [];

  constructor(private readonly onEnded: (task: BackgroundTask) => void) {}

  add(task: BackgroundTask): void {
    this.tasks.set(key(task.sessionId, task.id), task);
    void task.ended.then(() => {
      this.forgetOldest();
      this.onEnded(task);
    });
  }

  /** What a command that is over has left running (`server &`): no task, but it ends with its agent all the same. */
  addLeftover(leftover: Leftover): void {
    this.leftovers = [...this.leftovers.slice(-keptEnded), leftover];
  }

  find(sessionId: string, id: string): BackgroundTask | undefined {
    return this.tasks.get(key(sessionId, id)) ?? this.list(sessionId).find((task) => task.kind === 'agent' && task.title === id);
  }

  list(sessionId: string): readonly BackgroundTask[] {
    return [...this.tasks.values()].filter((task) => task.sessionId === sessionId);
  }

  running(sessionId: string): readonly BackgroundTask[] {
    return this.list(sessionId).filter((task) => task.status() === 'running');
  }

  /** For a foreground sub-agent that is done: its commands end with it. */
  async stopOf(owner: { readonly sessionId: string; readonly agentId?: string; readonly kind?: BackgroundTask['kind'] }): Promise<void> {
    const theirs = this.running(owner.sessionId).filter((task) => (owner.agentId === undefined || task.agentId === owner.agentId) && (owner.kind === undefined || task.kind === owner.kind));
    for (const task of theirs) task.stop();
    if (owner.kind !== 'agent') this.endLeftovers(owner);
    await Promise.all(theirs.map((task) => task.ended));
  }

  private endLeftovers(owner: { readonly sessionId: string; readonly agentId?: string }): void {
    const theirs = this.leftovers.filter((left) => left.sessionId === owner.sessionId && (owner.agentId === undefined || left.agentId === owner.agentId));
    this.leftovers = this.leftovers.filter((left) => !theirs.includes(left));
    for (const left of theirs) left.end();
  }

  private forgetOldest(): void {
    const ended = [...this.tasks].filter(([, task]) => task.status() !== 'running');
    for (const [id] of ended.slice(0, Math.max(0, ended.length - keptEnded))) this.tasks.delete(id);
  }
}

function key(sessionId: string, id: string): string {
  return `${sessionId}/${id}`;
}
