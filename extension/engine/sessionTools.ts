import { createAgentTool } from '../agents/agentTool';
import type { PermissionEvaluator } from '../permissions/evaluate';
import type { PolicyRule } from '../permissions/permissionTypes';
import type { FileStore } from '../platform/fileStore';
import type { GitRunner } from '../platform/gitRunner';
import type { ProcessRunner } from '../platform/processRunner';
import { powershellPath } from '../platform/powershellPath';
import { shellPath } from '../platform/shellPath';
import type { RipgrepRunner } from '../platform/ripgrepRunner';
import type { SandboxRunner } from '../platform/sandboxRunner';
import type { WebClient } from '../platform/webClient';
import type { Clock, Editor, LanguageIntelligence, ModelAccess } from '../ports';
import type { Settings } from '../settings/settingsSchema';
import { createSkillTool } from '../skills/skillTool';
import { createAskUserQuestionTool } from '../tools/askUserQuestionTool';
import type { BackgroundTasks } from '../tools/backgroundTasks';
import { bashLimits } from '../tools/bashLimits';
import { createBashTool } from '../tools/bashTool';
import type { Tool, ToolContext } from '../tools/defineTool';
import { createEditTool } from '../tools/editTool';
import { createGlobTool } from '../tools/globTool';
import { createGrepTool } from '../tools/grepTool';
import { createNotebookEditTool } from '../tools/notebookEditTool';
import { createEnterPlanModeTool, createExitPlanModeTool } from '../tools/planModeTools';
import { createPowerShellTool } from '../tools/powershellTool';
import { createReadTool } from '../tools/readTool';
import { createTaskOutputTool, createTaskStopTool } from '../tools/taskTools';
import { createToolSearchTool, type ToolSearchPorts } from '../tools/toolSearchTool';
import { createWebFetchTool } from '../tools/webFetchTool';
import { createWriteTool } from '../tools/writeTool';
import type { CommandSandbox } from '../tools/commandSandbox';
import { createBashSandbox } from './bashSandbox';
import { askSmallModel } from './askSmallModel';
import { renderForSession } from './renderForSession';
import { forkedCall } from './forkedSkill';
import type { SessionKit, SessionToolPorts } from './sessionKit';

/** The tool search waits so long for servers that are still being connected. */
const searchWaitMs = 30_000;

export interface ToolParts {
  readonly store: FileStore;
  readonly processes: ProcessRunner;
  readonly sandbox: SandboxRunner;
  readonly git: GitRunner;
  readonly evaluator: Pick<PermissionEvaluator, 'splitCommand'>;
  readonly sandboxSettings: () => Pick<Settings, 'sandbox'>;
  readonly rules: () => readonly PolicyRule[];
  readonly ripgrep: RipgrepRunner;
  readonly web: WebClient;
  readonly clock: Clock;
  readonly tasks: BackgroundTasks;
  readonly childEnv: () => Readonly<Record<string, string>>;
  readonly shellSnapshot: () => Promise<string | undefined>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly models: ModelAccess;
  readonly editor: Editor | undefined;
  readonly language: LanguageIntelligence | undefined;
  /** Tools taken away whole by a bare deny rule: the model is not shown them. */
  readonly isDenied: (tool: Tool) => boolean;
}

/** The tools of a session, in the order the model sees them. The order and the texts never change while it lives. */
export function createSessionTools(parts: ToolParts, kit: SessionKit, session: SessionToolPorts): readonly Tool[] {
  const { store, tasks, clock, language } = parts;
  const edits = { store, unsavedText: parts.editor?.unsavedText, ...(language ? { diagnostics: language.diagnostics } : {}) };
  const planFile = (): string => session.planFile;
  const hidden = (ctx: ToolContext, paths: readonly string[]): Promise<ReadonlySet<string>> => hiddenFrom(kit, session.planFile, { ctx, paths });
  const shell = { processes: parts.processes, store, tasks, env: parts.childEnv, outputsDir: (ctx: ToolContext) => kit.outputsDir(ctx.sessionId), limits: bashLimits(parts.env), sandbox: commandSandbox(parts, kit, session) };
  const bash = createBashTool({ ...shell, shell: shellPath(parts.env), snapshot: parts.shellSnapshot, envFiles: () => session.envFiles() });
  const powershell = powershellPath(parts.env);
  const read = createReadTool({ store, unsavedText: parts.editor?.unsavedText });
  const tools: Tool[] = [
    read,
    createEditTool(edits),
    createWriteTool(edits),
    createNotebookEditTool(edits),
    createGlobTool({ store, hidden }),
    createGrepTool({ ripgrep: parts.ripgrep, store, hidden }),
    bash,
    ...(powershell === undefined ? [] : [createPowerShellTool({ ...shell, powershell })]),
    createTaskOutputTool({ tasks, store }),
    createTaskStopTool({ tasks }),
    createWebFetchTool({ web: parts.web, clock, askSmallModel: (prompt, content, signal) => askSmallModel(parts.models, { prompt: `${prompt}\n\n<page>\n${content}\n</page>`, signal }) }),
    createSkillTool({
      skills: () => kit.skills.usable,
      isLoaded: (agentId, text) => session.isSaid(agentId, text),
      render: (skill, args, ctx) => renderForSession(skill, args, { kit, tools: [read, bash], context: ctx, planFile: session.planFile }),
      attach: (paths, ctx) => attached(read, paths, ctx),
      runForked: (skill, rendered, ctx) => session.agents.run(forkedCall(skill, rendered.text, kit.options.interactive), ctx, rendered.allowedTools),
      invoked: (skill) => session.useSkill(skill),
    }),
    createAgentTool(session.agents),
    createAskUserQuestionTool({
      askQuestions: ({ ctx, questions }) => session.desk.question({ callId: ctx.callId, agentPath: [...session.agentPath(ctx)], questions: [...questions], askedAtMs: clock.nowMs() }, ctx.signal),
    }),
    createEnterPlanModeTool({ planFile }),
    createExitPlanModeTool({
      store,
      planFile,
      proposePlan: ({ ctx, plan, path }) => session.desk.plan({ callId: ctx.callId, agentPath: [...session.agentPath(ctx)], plan, path, askedAtMs: clock.nowMs() }, ctx.signal),
    }),
  ];
  if (kit.mcp.current) tools.push(createToolSearchTool(searchPorts(kit, session)));
  return tools.filter((tool) => !parts.isDenied(tool));
}

function commandSandbox(parts: ToolParts, kit: SessionKit, session: SessionToolPorts): CommandSandbox {
  const { homeDir, configRoot } = kit.options;
  return createBashSandbox({
    runner: parts.sandbox,
    settings: parts.sandboxSettings,
    rules: parts.rules,
    split: parts.evaluator.splitCommand,
    git: parts.git,
    store: parts.store,
    homeDir,
    configRoot,
    ownDirs: (ctx) => [kit.outputsDir(ctx.sessionId)],
    onUnavailable: (why) => session.raise({ level: 'warning', code: 'sandboxAbsent', title: 'Commands are not confined.', detail: `sandbox.enabled is on, but there is no sandbox here: ${why}. Commands run unconfined, under the permission rules alone.` }),
  });
}

function searchPorts({ mcp }: SessionKit, session: SessionToolPorts): ToolSearchPorts {
  return {
    shelf: session.shelf,
    connected: async (signal) => void (await mcp.current?.pool.settled({ ms: searchWaitMs, signal, which: () => true })),
    missing: () => {
      const down = mcp.current?.pool.servers.filter(({ connection }) => connection && connection.status.kind !== 'connected') ?? [];
      return down.length === 0 ? '' : `These MCP servers are not connected, so their tools can't be found: ${down.map(({ server }) => server.name).join(', ')}.`;
    },
  };
}

async function attached(read: Tool, paths: readonly string[], ctx: ToolContext): Promise<readonly string[]> {
  const texts: string[] = [];
  for (const path of paths) {
    const prepared = read.prepare({ file_path: path });
    if (!prepared.ok) continue;
    const result = await prepared.value.run(ctx);
    if (typeof result.content === 'string') texts.push(`<attached-file path="${path}">\n${result.content}\n</attached-file>`);
  }
  return texts;
}

/** Files that a deny rule keeps from being read are left out of listings and search results too. */
async function hiddenFrom(kit: SessionKit, planFile: string, asked: { readonly ctx: ToolContext; readonly paths: readonly string[] }): Promise<ReadonlySet<string>> {
  const { ctx, paths } = asked;
  const state = { cwd: ctx.cwd, mode: ctx.mode, planFile };
  const hidden = new Set<string>();
  if (!kit.policy(state).rules.some((rule) => rule.behavior === 'deny' && rule.text.startsWith('Read('))) return hidden;
  for (const path of paths) {
    const verdict = await kit.judge({ tool: 'Read', kind: 'read', title: `read ${path}`, input: { file_path: path }, paths: [path], cwd: ctx.cwd, readOnly: true }, state);
    if (verdict.decision === 'deny') hidden.add(path);
  }
  return hidden;
}
