import type { Draft } from '../agents/agentRunner';
import { mainAgentId } from '../base/ids';
import type { Editor, ModelAccess, Trust } from '../ports';
import { CallError } from '../protocol/callError';
import type { Handlers, SkillListing } from '../protocol/methods';
import type { PermissionMode } from '../protocol/permission';
import { protocolVersion } from '../protocol/protocolVersion';
import type { WorkspaceView } from '../protocol/view';
import { grantHandlers, type GrantPorts } from './grantDesk';
import { contextHandlers, type ContextPorts } from './contextHandlers';
import type { DiffSource } from './diffSource';
import type { FileIndex } from './fileIndex';
import type { LiveSession } from './liveSession';
import type { LocalPorts } from './localCommands';
import type { Sessions } from './sessions';
import type { SkillBook } from './skillBook';
import type { WorktreeDoor } from './worktreeDoor';
import { worktreeHandlers } from './worktreeHandlers';

export interface HandlerPorts extends GrantPorts, ContextPorts {
  /** What the local commands reach; made at their first use. */
  readonly local: () => Promise<LocalPorts>;
  readonly sessions: Sessions;
  readonly models: ModelAccess;
  readonly skills: SkillBook;
  /** Rows for the prompts of MCP servers. */
  readonly prompts?: () => readonly SkillListing[];
  readonly files: FileIndex;
  readonly diffs: DiffSource;
  readonly worktrees: WorktreeDoor;
  readonly editor: Editor | undefined;
  readonly trust: Trust;
  readonly defaultMode: () => PermissionMode;
  readonly mayBypass: () => boolean;
  readonly mayAuto: () => boolean;
  readonly workspace: () => WorkspaceView;
  readonly changed: () => void;
}

/** The calls of the wire, one per row of the method table. */
export function createHandlers(ports: HandlerPorts): Handlers {
  return { ...sessionHandlers(ports), ...turnHandlers(ports), ...askHandlers(ports), ...editorHandlers(ports), ...modelHandlers(ports), ...contextHandlers(ports), ...commandHandlers(ports), ...grantHandlers(ports), ...worktreeHandlers(ports) };
}

function sessionHandlers({ sessions, workspace, defaultMode, mayBypass, mayAuto, changed }: HandlerPorts) {
  const opened = (session: { readonly sessionId: string; readonly log: { readonly view: Awaited<ReturnType<Sessions['view']>> } }) => {
    changed();
    return { sessionId: session.sessionId, view: session.log.view };
  };
  const allowed = (mode: PermissionMode): PermissionMode => {
    if (mode === 'bypassPermissions' && !mayBypass()) throw new CallError('invalid', 'bypassPermissions is off. Turn on "troupe.permissions.allowBypass" in your own settings first.');
    if (mode === 'auto' && !mayAuto()) throw new CallError('invalid', 'The mode auto is turned off in the settings ("permissions.disableAutoMode").');
    return mode;
  };
  return {
    hello: async () => ({ protocolVersion, workspace: workspace() }),
    'session/start': async ({ mode, sessionId }) => opened(await sessions.start(allowed(mode ?? defaultMode()), sessionId)),
    'session/resume': async ({ sessionId }) => opened(await sessions.resume(sessionId)),
    'session/current': async ({ preferred }) => opened(await sessions.current(defaultMode(), preferred)),
    'session/snapshot': async ({ sessionId }) => ({ view: await sessions.view(sessionId) }),
    'session/rename': async ({ sessionId, title }) => {
      (await sessions.resume(sessionId)).log.append({ type: 'session/renamed', title });
      changed();
      return {};
    },
    'session/delete': async ({ sessionId }) => {
      await sessions.discard(sessionId);
      changed();
      return {};
    },
    'session/setMode': async ({ sessionId, mode }) => {
      sessions.get(sessionId).setMode(allowed(mode));
      return {};
    },
    'session/setModel': async ({ sessionId, model }) => {
      sessions.get(sessionId).setModel(model);
      return {};
    },
    'view/subscribe': async ({ sessionId, agentId }, caller) => {
      caller.subscribe(sessionId === null ? undefined : { sessionId, agentId: agentId ?? mainAgentId });
      return {};
    },
  } satisfies Partial<Handlers>;
}

function turnHandlers({ sessions, skills, prompts }: HandlerPorts) {
  return {
    'turn/submit': async ({ sessionId, agentId = mainAgentId, text, attachments, steer }) => {
      const session = sessions.get(sessionId);
      if (agentId !== mainAgentId) return toAgent(session, { agentId, draft: { text, attachments }, steer: steer ?? false });
      if (text.trim() === '' && attachments.length === 0) {
        if (!steer) throw new CallError('invalid', 'The message is empty.');
        session.steerQueued();
        return {};
      }
      const queueId = session.submit({ text, attachments }, steer ?? false);
      return queueId === undefined ? {} : { queueId };
    },
    'turn/unqueue': async ({ sessionId, queueId }) => {
      const text = sessions.get(sessionId).unqueue(queueId);
      if (text === undefined) throw new CallError('notFound', 'This message has been sent already.');
      return { text };
    },
    'turn/interrupt': async ({ sessionId, agentId = mainAgentId }) => {
      if (agentId === mainAgentId) sessions.get(sessionId).interrupt();
      else await stopAgent(sessions.get(sessionId), agentId);
      return {};
    },
    'turn/resume': async ({ sessionId, agentId = mainAgentId }) => {
      const session = sessions.get(sessionId);
      if (agentId === mainAgentId) session.resume();
      else {
        const going = await (await session.tree()).goOn(agentId);
        if (!going.ok) throw new CallError('notFound', going.problem);
      }
      return {};
    },
    'agent/stop': async ({ sessionId, agentId }) => {
      if (agentId === mainAgentId) sessions.get(sessionId).stopAll();
      else await stopAgent(sessions.get(sessionId), agentId);
      return {};
    },
    'skill/list': async () => {
      await skills.ready();
      const { localRows } = await import('./localCommands');
      const own = skills.listing();
      return { skills: [...own, ...(prompts?.() ?? []), ...localRows.filter((row) => !own.some(({ qualified }) => qualified === row.name))] };
    },
    'skill/reload': async () => {
      const report = await skills.reload();
      return { count: report.loaded.length, problemCount: report.problems.length };
    },
    'skill/run': async ({ sessionId, name, args }) => {
      await skills.ready();
      const skill = skills.find(name);
      if (!skill) throw new CallError('notFound', `There is no skill "${name}".`);
      sessions.get(sessionId).submit({ text: `/${skill.qualified}${args === '' ? '' : ` ${args}`}`, attachments: [] }, false);
      return {};
    },
  } satisfies Partial<Handlers>;
}

async function toAgent(session: LiveSession, message: { readonly agentId: string; readonly draft: Draft; readonly steer: boolean }): Promise<{ queueId?: string }> {
  const { agentId, draft, steer } = message;
  const tree = await session.tree();
  if (draft.text.trim() === '' && draft.attachments.length === 0) {
    if (!steer) throw new CallError('invalid', 'The message is empty.');
    await tree.steerQueued(agentId);
    return {};
  }
  const sent = await tree.submit(agentId, draft, steer);
  if (!sent.ok) throw new CallError('notFound', sent.problem);
  return sent.value === undefined ? {} : { queueId: sent.value };
}

async function stopAgent(session: LiveSession, agentId: string): Promise<void> {
  if (!(await session.tree()).stop(agentId, 'the person stopped it')) throw new CallError('notFound', `There is no running agent ${agentId}.`);
}

function askHandlers({ sessions }: HandlerPorts) {
  return {
    'permission/reply': async ({ sessionId, requestId, decision }) => ({ accepted: await sessions.get(sessionId).replyPermission(requestId, decision) }),
    'question/reply': async ({ sessionId, requestId, reply }) => ({ accepted: sessions.get(sessionId).desk.reply(requestId, reply) }),
    'plan/reply': async ({ sessionId, requestId, reply }) => ({ accepted: sessions.get(sessionId).desk.reply(requestId, reply) }),
    'notice/dismiss': async ({ sessionId, noticeId }) => {
      sessions.get(sessionId).log.append({ type: 'notice/dismissed', noticeId });
      return {};
    },
  } satisfies Partial<Handlers>;
}

function editorHandlers({ editor, files, diffs, sessions, trust }: HandlerPorts) {
  const need = (): Editor => {
    if (!editor) throw new CallError('unavailable', 'There is no editor here.');
    return editor;
  };
  return {
    'file/search': async ({ query, limit }) => files.search(query, limit),
    'file/open': async ({ path, line }) => {
      await need().openFile(path, line);
      return {};
    },
    'file/openDiff': async ({ sessionId, callId }) => {
      const diff = await diffs.forCall(await sessions.view(sessionId), callId);
      if (!diff.ok) throw new CallError('notFound', diff.problem);
      await need().openDiff(diff.value);
      return {};
    },
    'link/open': async ({ url }) => {
      if (!/^(https?|mailto):/i.test(url)) throw new CallError('invalid', 'Only web and mail links are opened.');
      await need().openUrl(url);
      return {};
    },
    'editor/attachment': async ({ kind }) => ({ attachment: (await need().attachment(kind)) ?? null }),
    'trust/manage': async () => {
      if (!trust.manage) throw new CallError('unavailable', 'There is no editor here to manage trust in.');
      await trust.manage();
      return {};
    },
    'view/openEditor': async ({ sessionId }) => {
      await need().openWide(sessionId);
      return {};
    },
  } satisfies Partial<Handlers>;
}

const listTimeoutMs = 15_000;

function commandHandlers({ sessions, local, changed }: HandlerPorts) {
  return {
    'command/run': async ({ sessionId, name, args }) => {
      const { runLocalCommand } = await import('./localCommands');
      const outcome = await runLocalCommand({ name, args, session: sessions.get(sessionId) }, await local());
      changed();
      return outcome;
    },
  } satisfies Partial<Handlers>;
}

function modelHandlers({ models, sessions, changed }: HandlerPorts) {
  return {
    'model/list': async () => {
      const listed = await models.list(AbortSignal.timeout(listTimeoutMs));
      return listed.ok ? { models: [...listed.value] } : { models: [], problem: listed.problem };
    },
    'model/probe': async ({ baseUrl, key }) => {
      const listed = await models.probe({ baseUrl, key }, AbortSignal.timeout(listTimeoutMs));
      return listed.ok ? { models: [...listed.value] } : { models: [], problem: listed.problem };
    },
    'model/setup': async (setup) => {
      const done = await models.setup(setup);
      // A model picked before is seldom there on another server.
      const model = models.defaultModel();
      if (done.ok && model !== undefined) for (const session of sessions.all()) if (session.log.view.session.model !== undefined) session.setModel(model);
      changed();
      return done.ok ? {} : { problem: done.problem };
    },
  } satisfies Partial<Handlers>;
}
