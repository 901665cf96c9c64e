import { err, ok, type Result } from '../base/result';
import { canonicalTool } from '../permissions/toolNames';
import type { PolicyRule } from '../permissions/permissionTypes';
import type { Tool } from '../tools/defineTool';
import { type AgentDefinition, usesAllTools } from './agentDefinition';

/** Only the agent that talks with the person has these (spec 04.3). */
const mainOnly: ReadonlySet<string> = new Set(['AskUserQuestion', 'EndConversation', 'EnterPlanMode', 'ScheduleWakeup', 'TaskOutput', 'WaitForMcpServers', 'Workflow']);
/** What an agent in the background keeps beside MCP tools. */
const inBackground: ReadonlySet<string> = new Set(
  'Read Grep Glob Bash PowerShell Edit Write NotebookEdit WebFetch WebSearch TodoWrite Skill ToolSearch EnterWorktree ExitWorktree Monitor TaskStop SendMessage Artifact Agent ExitPlanMode'.split(' '),
);

export interface ToolPlace {
  readonly depth: number;
  readonly maxDepth: number;
  readonly background: boolean;
  /** A tool, or the tools of a server, that is not there yet but may still come. */
  readonly mayCome?: (name: string) => boolean;
}

/**
 * The tools an agent starts with: the session's, without what sub-agents lose, what `disallowedTools` names and what
 * `tools` does not name. Their order stays the session's.
 * @returns problem: none of the names in `tools` is a tool here, for the model
 */
export function toolsForAgent(agent: AgentDefinition, session: readonly Tool[], place: ToolPlace): Result<readonly Tool[], string> {
  const offered = session.filter((tool) => isOffered(tool.name, agent, place));
  const banned = wholeNames(agent.disallowedTools);
  const rest = offered.filter((tool) => !banned.some((name) => names(name, tool)));
  if (usesAllTools(agent)) return ok(rest);
  const wanted = (agent.tools ?? []).map(bareName);
  const unknown = wanted.filter((name) => !session.some((tool) => names(name, tool)) && !place.mayCome?.(name));
  if (wanted.length > 0 && unknown.length === wanted.length) {
    return err(`The agent ${agent.qualified} was not started: none of its tools exists here (${unknown.join(', ')}). Fix "tools" in ${agent.path ?? 'its definition'}, or use another agent. The tools are: ${session.map((tool) => tool.name).join(', ')}.`);
  }
  return ok(rest.filter((tool) => wanted.some((name) => names(name, tool))));
}

/** Whether an agent may use a tool that comes while it works. */
export function mayUse(agent: AgentDefinition, tool: Tool, place: ToolPlace): boolean {
  if (!isOffered(tool.name, agent, place) || wholeNames(agent.disallowedTools).some((name) => names(name, tool))) return false;
  return usesAllTools(agent) || (agent.tools ?? []).map(bareName).some((name) => names(name, tool));
}

function isOffered(name: string, agent: AgentDefinition, { depth, maxDepth, background }: ToolPlace): boolean {
  if (mainOnly.has(name)) return false;
  if (name === 'ExitPlanMode') return agent.permissionMode === 'plan';
  if (name === 'Agent' && depth >= maxDepth) return false;
  return !background || name.startsWith('mcp__') || inBackground.has(name);
}

/** What a definition takes away holds for the agents below it too, so it is kept as deny rules of its level. */
export function levelRules(agent: AgentDefinition, anchorDir: string): readonly PolicyRule[] {
  return agent.disallowedTools.map((text) => ({ text: text.replace(/^Task(?=\(|$)/, 'Agent'), behavior: 'deny', source: 'agent', anchorDir, ...(agent.path === undefined ? {} : { path: agent.path }) }));
}

/** `Bash(git *)` takes away some calls, not the tool. */
function wholeNames(entries: readonly string[]): readonly string[] {
  return entries.filter((entry) => !entry.includes('(')).map(bareName);
}

function bareName(entry: string): string {
  return canonicalTool(entry.replace(/\(.*$/s, '').trim());
}

/** `mcp__server` and `mcp__server__*` stand for all tools of that server. */
function names(wanted: string, tool: Tool): boolean {
  if (wanted === tool.name || tool.aliases.includes(wanted)) return true;
  if (!wanted.startsWith('mcp__')) return false;
  const prefix = wanted.replace(/\*$/, '').replace(/_+$/, '');
  return prefix === 'mcp' ? tool.name.startsWith('mcp__') : tool.name.startsWith(`${prefix}__`);
}
