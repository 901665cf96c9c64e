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

const keptEnded = 200;

/** All background tasks of an engine. `onEnded` is told of each one once, whichever way it ended. */
export class BackgroundTasks {
  private readonly tasks = new Map<string, BackgroundTask>();

  constructor(private readonly onEnded: (task: BackgroundTask) => void) {}

  add(task: BackgroundTask): void {
    this.tasks.set(key(task.sessionId, task.id), task);
    void task.ended.then(() => {
      this.forgetOldest();
      this.onEnded(task);
    });
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
    await Promise.all(theirs.map((task) => task.ended));
  }

  private forgetOldest(): void {
    const ended = [...this.tasks].filter(([, task]) => task.status() !== 'running');
    for (const [id] of ended.slice(0, Math.max(0, ended.length - keptEnded))) this.tasks.delete(id);
  }
}

function key(sessionId: string, id: string): string {
  return `${sessionId}/${id}`;
}
