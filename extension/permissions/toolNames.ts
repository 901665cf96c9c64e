/** Names older files use, and what they mean today. */
const aliases: Readonly<Record<string, string>> = { Task: 'Agent', MultiEdit: 'Edit', KillShell: 'TaskStop', BashOutput: 'TaskOutput' };

export function canonicalTool(name: string): string {
  return aliases[name] ?? name;
}

/** Tools whose rules another family's name covers: `Edit(...)` for Write, `Bash(...)` for Monitor. */
const families: Readonly<Record<string, readonly string[]>> = {
  Read: ['Read', 'Grep', 'Glob', 'LSP'],
  Edit: ['Edit', 'Write', 'NotebookEdit'],
  Bash: ['Bash', 'Monitor'],
};

/** Every rule name that speaks about `tool`, itself first. */
export function ruleNamesFor(tool: string): readonly string[] {
  return [tool, ...Object.keys(families).filter((family) => family !== tool && families[family]?.includes(tool))];
}

/** The one input each tool's own rule form is about; the parameter form can't name it. */
export const primaryFields: Readonly<Record<string, string>> = {
  Bash: 'command',
  PowerShell: 'command',
  Monitor: 'command',
  Read: 'file_path',
  Edit: 'file_path',
  Write: 'file_path',
  NotebookEdit: 'notebook_path',
  Grep: 'path',
  Glob: 'path',
  WebFetch: 'url',
};

/** Input fields of tools where a colon may also be part of a name or command. */
export const inputFields: Readonly<Record<string, readonly string[]>> = {
  Bash: ['command', 'timeout', 'description', 'run_in_background', 'dangerouslyDisableSandbox'],
  PowerShell: ['command', 'timeout', 'description', 'run_in_background', 'dangerouslyDisableSandbox'],
  Agent: ['description', 'prompt', 'subagent_type', 'model', 'run_in_background', 'name', 'isolation', 'include_uncommitted', 'team_name', 'mode', 'cwd'],
  Skill: ['skill', 'args'],
  Read: ['file_path', 'offset', 'limit', 'pages'],
  Edit: ['file_path', 'old_string', 'new_string', 'replace_all'],
  Write: ['file_path', 'content'],
  NotebookEdit: ['notebook_path', 'new_source', 'cell_id', 'cell_type', 'edit_mode'],
  Grep: ['pattern', 'path', 'glob', 'type', 'output_mode', 'head_limit', 'offset', 'multiline', 'context'],
  Glob: ['pattern', 'path'],
  Monitor: ['description', 'command', 'ws', 'timeout_ms', 'persistent'],
};

/** Known by name, whether or not this build has them: naming one in a rule is no mistake. */
export const knownTools: ReadonlySet<string> = new Set(
  [
    'Read Write Edit NotebookEdit Grep Glob Bash PowerShell Monitor LSP Agent Skill ToolSearch WaitForMcpServers SendMessage ListAgents TeamCreate TeamDelete',
    'TaskCreate TaskGet TaskUpdate TaskList TaskStop TaskOutput TodoWrite AskUserQuestion EnterPlanMode ExitPlanMode WebFetch WebSearch',
    'CronCreate CronDelete CronList ScheduleWakeup EnterWorktree ExitWorktree ListMcpResourcesTool ReadMcpResourceTool Workflow Cd',
    'PushNotification RemoteTrigger ReportFindings SendUserFile Artifact ShareOnboardingGuide EndConversation REPL Projects',
  ]
    .join(' ')
    .split(' '),
);

/** They put their own question to the person, so that a second one would be noise. */
export const selfAskingTools: ReadonlySet<string> = new Set(['AskUserQuestion', 'ExitPlanMode']);

/** Act only on the session's own state; need no ask in any mode that lets the agent work. */
export const quietTools: ReadonlySet<string> = new Set(
  [
    'Agent ToolSearch WaitForMcpServers SendMessage ListAgents TeamCreate TeamDelete TaskCreate TaskGet TaskUpdate TaskList TaskStop TaskOutput TodoWrite',
    'EnterPlanMode CronCreate CronDelete CronList ScheduleWakeup EnterWorktree ExitWorktree ListMcpResourcesTool ReadMcpResourceTool EndConversation',
  ]
    .join(' ')
    .split(' '),
);
