import { DiffSource } from './engine/diffSource';
import { mayConfigChange, skillsChanged } from './engine/configHooks';
import { lazily } from './base/lazily';
import { createEngineParts } from './engine/engineParts';
import { FileIndex } from './engine/fileIndex';
import { gitState } from './engine/gitState';
import { createHandlers } from './engine/handlers';
import { createInspector } from './engine/inspector';
import { McpAsks } from './engine/mcpAsks';
import { McpDesk } from './engine/mcpDesk';
import { openSettings } from './engine/openSettings';
import { mcpPlaces } from './engine/places';
import { createSessionKit } from './engine/sessionKitOf';
import { Sessions } from './engine/sessions';
import { taskNotification } from './engine/taskNotification';
import { ViewDesk } from './engine/viewDesk';
import { WorktreeDoor } from './engine/worktreeDoor';
import { recordedTrust } from './engine/recordedTrust';
import { createDemoClient, unpaced } from './model/demo/demoClient';
import { createModelAccess } from './model/modelAccess';
import { demoModel } from './model/modelResolution';
import { createGitRunner } from './platform/gitRunner';
import type { EnginePorts, EngineOptions, Engine } from './engine/contract';

export type { EnginePorts, EngineOptions, InspectTopic, ExplainCall, SettledTurn, SessionDescription, Engine } from './engine/contract';
export { notSetUpText } from './model/modelAccess';
export { pageText } from './engine/pageText';
export { hasOpenAsks } from './session/sessionStore';

/** The only place where modules are wired. Everything heavy is loaded by its first use. */
export async function createEngine(given: EnginePorts, options: EngineOptions): Promise<Engine> {
  const git = createGitRunner(options.cwd);
  const gitAhead = options.startsAtOnce ? gitState(git, options.cwd).catch(() => undefined) : undefined;
  const ports = options.usesTrustRecord ? { ...given, trust: await recordedTrust(given.trust, options) } : given;
  const settings = await openSettings(ports, options, git);
  const parts = createEngineParts(ports, options, settings);
  const models = await createModelAccess({
    env: options.env,
    secrets: ports.secrets,
    settings: () => (options.model === demoModel ? { ...settings.model(), model: demoModel } : settings.model()),
    demo: createDemoClient({ clock: ports.clock, pace: options.startsAtOnce ? unpaced : undefined }),
    saveChoice: settings.saveModelChoice,
    ...(ports.hostModels ? { hostModels: ports.hostModels } : {}),
    clock: ports.clock,
    log: ports.log,
  });
  const worktrees = new WorktreeDoor({
    cwd: options.cwd,
    configRoot: options.configRoot,
    git,
    clock: ports.clock,
    log: ports.log,
    settings: settings.worktree,
    hasOpenAsks: (sessionId) => (kit.sessions.read(sessionId)?.pendingAsks ?? 0) > 0,
    raise: (notice, sessionId) => (sessionId === undefined ? sessions.tell(notice) : sessions.peek(sessionId)?.raise(notice)),
    isShown: options.interactive,
    changed: () => desk.changed(),
  });
  const asks = new McpAsks({ interactive: options.interactive, clock: ports.clock, models, cwd: options.cwd, openPage: ports.editor?.openUrl });
  const mcp = new McpDesk(() => mcpPlaces(options, async () => (await kit.plugins.ready()).loaded), { ports, options, settings, parts, models, asks: (server) => asks.of(server), approve: (sessionId, servers) => asks.approve(sessionId, servers), onChange: () => desk.changed() });
  const kit = createSessionKit({ ports, options, settings, parts, models, worktrees, gitAhead, mcp });
  const sessions: Sessions = new Sessions(kit);
  asks.attach((sessionId) => (sessionId === undefined ? sessions.newest() : sessions.peek(sessionId))?.asking);
  const desk: ViewDesk = new ViewDesk({ ports, sessions, models, skills: kit.skills, settings, worktrees: () => worktrees.view });
  const files = new FileIndex({ ripgrep: parts.ripgrep, root: options.cwd, clock: ports.clock, log: ports.log });
  const handlers = createHandlers({
    sessions,
    models,
    memory: { targets: { configRoot: options.configRoot, projectRoot: options.cwd }, files: kit.memory },
    skills: kit.skills,
    prompts: () => mcp.current?.promptRows() ?? [],
    files,
    diffs: new DiffSource(parts.store),
    worktrees,
    editor: ports.editor,
    trust: ports.trust,
    settings,
    defaultMode: settings.defaultMode,
    mayBypass: settings.mayBypass,
    mayAuto: settings.mayAuto,
    workspace: () => desk.workspace(),
    local: lazily(async () => (await import('./engine/localDesk')).createLocalDesk({
      options,
      inspect: (topic) => looking.inspect(topic),
      workspace: () => desk.workspace(),
      store: parts.store,
      git,
      clock: ports.clock,
      trust: ports.trust,
      editor: ports.editor,
      isSandboxOn: () => settings.sandbox().sandbox?.enabled === true,
      skills: async () => {
        await kit.skills.ready();
        return [...kit.skills.listing(), ...(mcp.current?.promptRows() ?? [])];
      },
      isSkill: (name) => kit.skills.find(name) !== undefined,
    })),
    changed: () => desk.changed(),
  });
  // An agent's own report is told by the session it belongs to.
  parts.onTaskEnded((task) => task.kind === 'shell' && sessions.peek(task.sessionId)?.taskEnded(task.agentId, taskNotification(task)));
  const looking = createInspector({ ports, kit, options, sessions, settings, parts, models, mcp });
  const changes = [
    settings.onDidChange(() => void Promise.all([models.refresh(), mcp.settingsChanged()]).then(() => desk.changed())),
    ports.trust.onDidGrant(() => void kit.plugins.reload().then(() => Promise.all([kit.skills.reload(), mcp.reload()]))),
    sessions.onEvent((sessionId, event) => worktrees.follow(event, sessions.peek(sessionId)?.log.view)),
    parts.watchSkills(() => kit.plugins.folders(), () => void kit.skills.reload().then(() => skillsChanged(sessions.all()))),
  ];
  settings.guard((files) => mayConfigChange(files, sessions.all()));
  worktrees.start();
  // Their hooks must be known before the first event; without session plugins nothing is read for that.
  if ((options.pluginDirs?.length ?? 0) > 0 || settings.pluginDirs().length > 0) await kit.plugins.ready();
  return {
    handlers,
    connect: (transport) => desk.connect(transport, handlers),
    workspace: () => desk.workspace(),
    onDidChangeWorkspace: (listener) => desk.onDidChange(listener),
    sendUi: (command) => desk.sendUi(command),
    onEvent: (listener) => sessions.onEvent(listener),
    settled: (sessionId) => sessions.get(sessionId).settled(),
    ...looking,
    ...worktrees.doors,
    dispose: async () => {
      for (const change of changes) change.dispose();
      desk.dispose();
      await sessions.close();
      await worktrees.close();
      await mcp.close();
      models.dispose();
      settings.dispose();
      await parts.close();
    },
  };
}
