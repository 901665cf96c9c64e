import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { mainAgentId } from '../base/ids';
import { missingForSandbox } from '../platform/sandboxNeeds';
import type { FileStore } from '../platform/fileStore';
import type { GitRunner } from '../platform/gitRunner';
import { programOnPath } from '../platform/programOnPath';
import { shellPath } from '../platform/shellPath';
import type { Clock, Editor, Trust } from '../ports';
import type { LocalOutcome, LocalPage } from '../protocol/localCommand';
import type { SkillListing } from '../protocol/methods';
import type { WorkspaceView } from '../protocol/view';
import type { Engine, EngineOptions } from './contract';
import { doctorPage } from './doctor';
import { exportName, sessionMarkdown } from './exportSession';
import type { LiveSession } from './liveSession';
import type { LocalPorts } from './localCommands';
import { contextPage, costPage, inspectPage, problemRows, sessionsPage } from './localPages';

export interface LocalDeskPorts {
  readonly options: EngineOptions;
  readonly inspect: Engine['inspect'];
  readonly workspace: () => WorkspaceView;
  readonly store: FileStore;
  readonly git: GitRunner;
  readonly clock: Clock;
  readonly trust: Trust;
  readonly editor: Editor | undefined;
  readonly isSandboxOn: () => boolean;
  readonly skills: () => Promise<readonly SkillListing[]>;
  readonly isSkill: (name: string) => boolean;
}

/** What the local commands reach of one engine. */
export function createLocalDesk(ports: LocalDeskPorts): LocalPorts {
  const { inspect } = ports;
  const looked = (topic: 'agents' | 'skills' | 'hooks' | 'memory' | 'mcp') => async (): Promise<LocalPage> => inspectPage(topic, await inspect(topic));
  return {
    pages: {
      agents: looked('agents'),
      skills: looked('skills'),
      hooks: looked('hooks'),
      memory: looked('memory'),
      mcp: looked('mcp'),
      sessions: async () => sessionsPage(ports.workspace().sessions),
      doctor: () => doctor(ports),
    },
    context: async (session) => {
      const agent = await session.liveAgent(mainAgentId);
      return agent ? contextPage(agent.contextReport()) : { title: 'Context', intro: 'Nothing is in the context yet.', groups: [] };
    },
    cost: (session) => costPage(session.log.view),
    addDir: (session, path) => addDir(ports, session, path),
    exportTo: (session, path) => exportTo(ports, session, path),
    skills: ports.skills,
    isSkill: ports.isSkill,
  };
}

async function doctor({ options, inspect, git, trust, isSandboxOn, workspace }: LocalDeskPorts): Promise<LocalPage> {
  const { env, version, configRoot, cwd } = options;
  const topics = ['settings', 'skills', 'agents', 'hooks', 'mcp', 'memory', 'plugins'] as const;
  return doctorPage(
    {
      version,
      git,
      which: (name) => programOnPath(name, env['PATH'] ?? ''),
      shell: shellPath(env),
      ripgrep: options.ripgrepPath,
      sandboxMissing: missingForSandbox(process.platform, env['PATH'] ?? ''),
      isSandboxOn: isSandboxOn(),
      model: workspace().model,
      isTrusted: trust.isTrusted(),
      places: { settings: configRoot, sessions: join(configRoot, 'troupe', 'sessions'), project: cwd },
      problems: async () => (await Promise.all(topics.map(async (topic) => [topic, problemRows(await inspect(topic))] as const))).filter(([, rows]) => rows.length > 0),
      servers: async () => inspectPage('mcp', await inspect('mcp')).groups.find(({ title }) => title === 'MCP servers')?.rows ?? [],
    },
    cwd,
  );
}

async function addDir({ options, store }: LocalDeskPorts, session: LiveSession, given: string): Promise<LocalOutcome> {
  const path = absolute(given.replace(/^(['"])(.*)\1$/, '$2'), options.cwd);
  const info = await store.info(path);
  if (info?.kind !== 'folder') return { kind: 'done', text: info ? `${path} is a file. Name the folder it lies in.` : `There is no folder ${path}.` };
  const real = await store.realPath(path);
  if ([options.cwd, ...options.addDirs, ...(session.log.view.session.addedDirs ?? [])].includes(real)) return { kind: 'done', text: `This session works in ${path} already.` };
  session.log.append({ type: 'session/directoryAdded', path: real });
  session.remind(`The person lets you work in the folder ${real}, too.`);
  await session.hooks.fire('DirectoryAdded', { directory: real, source: 'slash_command' }, { agentId: mainAgentId, signal: new AbortController().signal });
  return { kind: 'done', text: `This session may work in ${path} now, too.` };
}

/** Without a name it goes beside our own files and is opened, so that a person saves it where they like. A file that is there is never replaced. */
async function exportTo({ options, store, clock, editor }: LocalDeskPorts, session: LiveSession, given: string): Promise<LocalOutcome> {
  const { view } = session.log;
  const stamp = new Date(clock.nowMs()).toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');
  const path = given === '' ? join(options.configRoot, 'troupe', 'exports', exportName(view.session.title, stamp)) : absolute(given, options.cwd);
  if (await store.info(path)) return { kind: 'done', text: `${path} exists already. Give another name.` };
  const written = await store.writeBytes(path, Buffer.from(sessionMarkdown(view), 'utf8'));
  if (!written.ok) return { kind: 'done', text: `The conversation was not written: ${written.problem.message}` };
  await editor?.openFile(path, undefined);
  return { kind: 'done', text: `The conversation is in ${path}.` };
}

function absolute(path: string, cwd: string): string {
  if (path === '~' || path.startsWith('~/')) return join(homedir(), path.slice(1));
  return isAbsolute(path) ? path : resolve(cwd, path);
}
