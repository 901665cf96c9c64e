import { listAgents } from '../agents/agentRoster';
import type { AgentDefinition } from '../agents/agentDefinition';
import type { LoadReport } from '../base/problem';

type AgentReport = LoadReport<AgentDefinition>;

/** The agent definitions of this window. Read anew at each use, since files change while agents work; readers at the same time share one reading. */
export class AgentBook {
  private loading: Promise<AgentReport> | undefined;
  private current: AgentReport = { loaded: [], disabled: [], problems: [] };

  constructor(private readonly load: () => Promise<AgentReport>) {}

  /** As last read. */
  get report(): AgentReport {
    return this.current;
  }

  fresh(): Promise<AgentReport> {
    this.loading ??= this.load()
      .then((report) => {
        this.current = report;
        return report;
      })
      .finally(() => {
        this.loading = undefined;
      });
    return this.loading;
  }

  /** For the model: what there is to start, one a line. */
  listing(): string {
    return listAgents(this.current.loaded);
  }
}
