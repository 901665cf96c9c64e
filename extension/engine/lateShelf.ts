import { shelfModel } from '../model/modelTable';
import type { Tool } from '../tools/defineTool';
import { ToolShelf } from '../tools/toolShelf';
import type { SessionKit } from './sessionKit';

/** The tools of a session's own agent: these, and what MCP servers bring. */
export function lateShelf(tools: readonly Tool[], kit: SessionKit, model: () => string): ToolShelf {
  return new ToolShelf(tools, kit.mcp.late, () => shelfModel(model()));
}
