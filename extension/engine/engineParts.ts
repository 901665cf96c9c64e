import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Disposable } from '../base/disposable';
import type { EngineOptions, EnginePorts } from './contract';
import { createEvaluator, type PermissionEvaluator } from '../permissions/evaluate';
import type { PathFacts } from '../permissions/permissionTypes';
import { createPathFacts } from '../permissions/pathFactsLoader';
import { childEnv } from '../platform/childEnv';
import { createFileStore, type FileStore } from '../platform/fileStore';
import { createGitRunner, type GitRunner } from '../platform/gitRunner';
import { createProcessRunner, type ProcessRunner } from '../platform/processRunner';
import { createRipgrepRunner, type RipgrepRunner } from '../platform/ripgrepRunner';
import { createSandboxRunner, type SandboxRunner } from '../platform/sandboxRunner';
import { createShellSnapshot } from '../platform/shellSnapshotRunner';
import { createWebClient, type WebClient, type WebPoster } from '../platform/webClient';
import type { PluginFolder } from '../skills/skill';
import { skillWatchDirs } from '../skills/skillLoader';
import { watchSkills } from '../skills/skillWatcher';
import { type BackgroundTask, BackgroundTasks } from '../tools/backgroundTasks';
import { skillPlaces } from './places';
import type { SettingsAccess } from './settingsAccess';

/** The adapters one engine works with; opened here, closed by `close`. */
export interface EngineParts {
  readonly store: FileStore;
  readonly processes: ProcessRunner;
  readonly ripgrep: RipgrepRunner;
  readonly git: GitRunner;
  readonly web: WebClient & WebPoster;
  readonly evaluator: PermissionEvaluator;
  readonly facts: PathFacts;
  readonly sandbox: SandboxRunner;
  readonly tasks: BackgroundTasks;
  readonly childEnv: () => Readonly<Record<string, string>>;
  readonly shellSnapshot: () => Promise<string | undefined>;
  readonly outputsDir: (sessionId: string) => string;
  readonly onTaskEnded: (listener: (task: BackgroundTask) => void) => void;
  readonly watchSkills: (plugins: () => Promise<readonly PluginFolder[]>, onChange: () => void) => Disposable;
  readonly close: () => Promise<void>;
}

export function createEngineParts(ports: EnginePorts, options: EngineOptions, settings: SettingsAccess): EngineParts {
  const processes = createProcessRunner();
  const childEnvNow = (): Readonly<Record<string, string>> => childEnv({ ...options.env, ...unsetWhereEmpty(settings.env()) }, { CLAUDE_PROJECT_DIR: options.cwd });
  const ended = new Set<(task: BackgroundTask) => void>();
  const tasks = new BackgroundTasks((task) => {
    for (const listener of ended) listener(task);
  });
  const snapshot = createShellSnapshot({ processes, env: childEnvNow(), cwd: options.cwd });
  const sandbox = createSandboxRunner({ env: options.env, assetsDir: options.assetsDir, ripgrepPath: options.ripgrepPath });
  return {
    store: createFileStore(),
    processes,
    ripgrep: createRipgrepRunner({ processes, path: options.ripgrepPath, env: childEnvNow() }),
    git: createGitRunner(options.cwd),
    web: createWebClient({ env: options.env, userAgent: `Troupe/${options.version}` }),
    evaluator: createEvaluator({ assetsDir: options.assetsDir }),
    facts: createPathFacts(),
    sandbox,
    tasks,
    childEnv: childEnvNow,
    // A script's run has no person whose aliases matter, and taking them costs as long as opening a terminal.
    shellSnapshot: options.interactive ? () => snapshot.path() : async () => undefined,
    outputsDir: (sessionId) => join(tmpdir(), `troupe-${process.getuid?.() ?? 0}`, sessionId, 'tasks'),
    onTaskEnded: (listener) => ended.add(listener),
    watchSkills: (plugins, onChange) => startWatching(ports, options, { plugins, onChange }),
    close: async () => {
      await processes.close();
      await sandbox.close();
    },
  };
}

/** In settings an empty value takes a variable away. */
function unsetWhereEmpty(env: Readonly<Record<string, string>>): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(Object.entries(env).map(([name, value]) => [name, value === '' ? undefined : value]));
}

/** Only where a person is: a script's run is over before a skill changes. */
function startWatching(ports: EnginePorts, options: EngineOptions, { plugins, onChange }: { readonly plugins: () => Promise<readonly PluginFolder[]>; readonly onChange: () => void }): Disposable {
  if (!options.interactive) return { dispose: () => undefined };
  const started = plugins().then((folders) => skillWatchDirs(skillPlaces(options, ports.trust, folders))).then((dirs) => watchSkills({ dirs, clock: ports.clock, onChange, onProblem: (message) => ports.log.warn(message) }));
  return { dispose: () => void started.then((watching) => watching.dispose()) };
}
