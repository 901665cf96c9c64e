import * as z from 'zod';
import { PermissionMode } from '../protocol/permissionMode';
import { defineTool, failure, type Tool, type ToolContext, type ToolResult } from '../tools/defineTool';

const AgentInput = z.object({
  description: z.string().min(1).describe('The task in three to five words'),
  prompt: z.string().min(1).describe('The brief: everything the agent must know, since it sees nothing of this conversation'),
  subagent_type: z.string().optional().describe('Which agent of the list; general-purpose when left out'),
  model: z.string().optional().describe('sonnet, opus, haiku, fable or a model id; the agent’s own when left out'),
  run_in_background: z.boolean().optional().describe('Go on at once; a notice comes when the agent is done'),
  name: z.string().optional().describe('A short name to tell it from others'),
  isolation: z.enum(['worktree', 'remote']).optional().describe('worktree: its changes are made in a git worktree of its own and reviewed before they come in'),
  include_uncommitted: z.boolean().optional().describe('With isolation: worktree: begin with what the person has not committed yet, where the task builds on it; what was there already is not counted as the agent’s change'),
  cwd: z.string().optional().describe('Folder to work in, inside the project'),
  mode: PermissionMode.optional().describe('A stricter permission mode than the current one'),
  team_name: z.string().optional(),
});
export type AgentCall = z.infer<typeof AgentInput>;

export interface AgentToolPorts {
  /** Starts the agent and waits for its report, unless it goes to the background. `grants` are rules that count while it works. Expected failures are results. */
  readonly run: (call: AgentCall, ctx: ToolContext, grants?: readonly string[]) => Promise<ToolResult>;
}

/** Starting an agent asks nobody and changes nothing by itself: what the agent does is judged call by call. So several start together. */
export function createAgentTool({ run }: AgentToolPorts): Tool {
  return defineTool({
    name: 'Agent',
    aliases: ['Task'],
    description:
      'Hand a task to another agent, which works by itself with its own context and gives back one report. ' +
      'Good for work that can be described in one brief: a broad search, a question over many files, a change apart from yours. Not for reading a file you can name or one quick search. ' +
      'Several calls in one reply run at the same time; give agents that change files the same place only when they touch different ones, else use isolation: worktree. ' +
      'The brief must be complete, say whether to change files or only look, and say what the report should hold. The person does not see the report: tell them what matters in it.',
    kind: 'agent',
    input: AgentInput,
    readOnly: true,
    maxResultChars: 60_000,
    title: (call) => call.description,
    describe: (call) => ({ title: `start the agent ${call.subagent_type ?? 'general-purpose'}: ${call.description}`, name: call.subagent_type ?? 'general-purpose' }),
    run: (call, ctx) => (call.isolation === 'remote' ? Promise.resolve(failure('Agents can’t run remotely here. Leave isolation out, or use worktree.')) : run(call, ctx)),
  });
}
