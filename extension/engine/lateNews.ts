import { instructionsOpening, instructionsReminder, lateToolsReminder } from '../agents/lateToolsReminder';
import type { Incoming } from '../agents/turnLoop';
import type { ToolShelf } from '../tools/toolShelf';
import type { EventLog } from '../session/eventLog';
import type { SessionKit } from './sessionKit';

/** At a turn's begin: takes in the tools that have come, and what the agent has to be told of them. */
export async function lateNews({ kit, log }: { readonly kit: SessionKit; readonly log: EventLog }, agentId: string, shelf: ToolShelf): Promise<readonly Incoming[]> {
  await kit.mcp.beforeFirst();
  kit.mcp.askForApproval(log.view.session.sessionId);
  const hidden = shelf.beginTurn();
  const house = kit.mcp.current;
  if (!house) return [];
  const groups = new Set(shelf.tools.flatMap((tool) => tool.late?.group ?? []));
  const isTold = (opening: string): boolean => log.events.some((event) => event.type === 'message/received' && event.agentId === agentId && event.origin === 'reminder' && event.content.some((block) => block.type === 'text' && block.text.includes(opening)));
  const untold = house.instructions().filter(({ server }) => groups.has(server) && !isTold(instructionsOpening(server)));
  return [...instructionsReminder(untold), ...lateToolsReminder(hidden)];
}
