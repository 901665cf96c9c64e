import { brokenFiles } from '../agents/agentRoster';
import type { Notice } from '../protocol/events';
import type { EventLog } from '../session/eventLog';
import type { AgentBook } from './agentBook';

/** Agent files that can't be used are named once for the same files; the rest of the agents works. */
export function nameBrokenAgents(kit: { readonly agents: AgentBook; readonly options: { readonly interactive: boolean } }, session: { readonly log: EventLog; readonly raise: (notice: Omit<Notice, 'noticeId'>) => void }): void {
  const detail = brokenFiles(kit.agents.report.problems);
  if (detail === '' || !kit.options.interactive) return;
  const isNamed = session.log.events.some((event) => event.type === 'notice/raised' && event.notice.code === 'agentFiles' && event.notice.detail === detail);
  if (!isNamed) session.raise({ level: 'warning', code: 'agentFiles', title: 'Some agent files could not be used.', detail });
}
