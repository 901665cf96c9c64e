import { fileURLToPath } from 'node:url';
import { expect, onTestFinished } from 'vitest';
import { createEngine, type Engine, type EngineOptions, type EnginePorts, type SettledTurn } from '../../extension/engine';
import { systemClock } from '../../extension/platform/systemClock';
import type { Clock, Secrets } from '../../extension/ports';
import type { DurableEvent, UiEvent } from '../../extension/protocol/events';
import type { PlanReply, QuestionReply } from '../../extension/protocol/interaction';
import type { Caller } from '../../extension/protocol/methods';
import type { PermissionDecision, PermissionMode } from '../../extension/protocol/permission';
import type { PendingAsk, ToolEntry, View } from '../../extension/protocol/view';
import { type AnthropicServer, type AnthropicServerOptions, startAnthropicServer } from './anthropicServer';
import type { ScriptEntry } from './script';
import { createTempRepo, type TempRepo } from './tempRepo';

/** Closed when the running test ends; then a refused or unscripted request fails the test. */
export async function startModel(script: readonly ScriptEntry[], options: Omit<AnthropicServerOptions, 'script'> = {}): Promise<AnthropicServer> {
  const server = await startAnthropicServer({ ...options, script });
  onTestFinished(() => server.close());
  return server;
}

export interface EngineStart {
  readonly script: readonly ScriptEntry[];
  readonly files?: Readonly<Record<string, string>>;
  readonly repo?: TempRepo;
  readonly rules?: { readonly allow?: readonly string[]; readonly ask?: readonly string[]; readonly deny?: readonly string[] };
  readonly mode?: PermissionMode;
  /** A person can answer; true by default. */
  readonly interactive?: boolean;
  readonly trusted?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  readonly options?: Partial<EngineOptions>;
  readonly ports?: Partial<EnginePorts>;
  readonly clock?: Clock;
}

export interface TestSession {
  readonly engine: Engine;
  readonly server: AnthropicServer;
  readonly repo: TempRepo;
  readonly sessionId: string;
  /** Everything that happened, deltas included. */
  readonly events: readonly UiEvent[];
  readonly log: () => readonly DurableEvent[];
  readonly view: () => Promise<View>;
  readonly submit: (text: string) => Promise<void>;
  /** Submits and waits until nothing is left to do and every automatic answer has had its effect. */
  readonly prompt: (text: string) => Promise<SettledTurn | undefined>;
  readonly settled: () => Promise<SettledTurn | undefined>;
  /** The first event, past or coming, that `test` accepts. */
  readonly event: <T extends UiEvent['type']>(type: T, test?: (event: Extract<UiEvent, { type: T }>) => boolean) => Promise<Extract<UiEvent, { type: T }>>;
  /** Resolves when that many asks wait. */
  readonly asks: (count: number) => Promise<readonly PendingAsk[]>;
  readonly answer: (ask: PendingAsk, reply: PermissionDecision | PlanReply | QuestionReply) => Promise<boolean>;
  /** Answers each ask as it comes. @returns what was asked so far, growing */
  readonly autoAnswer: (choose: (ask: PendingAsk) => PermissionDecision | PlanReply | QuestionReply) => readonly PendingAsk[];
  readonly call: (callId: string) => Promise<ToolEntry>;
  /** What the model reads of a call. */
  readonly result: (callId: string) => string;
  /** Warnings and errors of the engine's log. */
  readonly complaints: readonly string[];
  readonly setMode: (mode: PermissionMode) => Promise<void>;
  readonly interrupt: () => Promise<void>;
}

export const once: PermissionDecision = { behavior: 'allow', scope: 'once' };
export const caller: Caller = { viewId: 'test', subscribe: () => undefined };
const assetsDir = fileURLToPath(new URL('../../node_modules/@vscode/tree-sitter-wasm/wasm', import.meta.url));

function createMemorySecrets(): Secrets {
  const kept = new Map<string, string>();
  return {
    get: async (name) => kept.get(name),
    set: async (name, value) => void kept.set(name, value),
    delete: async (name) => void kept.delete(name),
  };
}

export interface EnginePlace extends Pick<EngineStart, 'rules' | 'interactive' | 'trusted' | 'env' | 'options' | 'ports' | 'clock'> {
  readonly repo: TempRepo;
  readonly server: AnthropicServer;
}

/** A whole engine in this process, with real files, git and processes; only the model and the person are played. */
export async function openEngine(start: EnginePlace, complaints: string[] = []): Promise<Engine> {
  const { repo, server } = start;
  const quiet = (): void => undefined;
  const complain = (message: string): void => void complaints.push(message);
  const engine = await createEngine(
    {
      clock: start.clock ?? systemClock,
      log: { debug: quiet, info: quiet, warn: complain, error: complain },
      secrets: createMemorySecrets(),
      trust: { isTrusted: () => start.trusted ?? true, onDidGrant: () => ({ dispose: () => undefined }) },
      ...start.ports,
    },
    {
      cwd: repo.root,
      addDirs: [],
      configRoot: repo.configRoot,
      homeDir: repo.homeDir,
      env: { PATH: process.env['PATH'] ?? '', HOME: repo.homeDir, TMPDIR: repo.tempDir, ANTHROPIC_API_KEY: 'test-key', ANTHROPIC_BASE_URL: server.url, ...start.env },
      assetsDir,
      ripgrepPath: undefined,
      version: '0.0.0-test',
      flagSettings: start.rules ? [{ permissions: start.rules }] : [],
      interactive: start.interactive ?? true,
      ...start.options,
    },
  );
  onTestFinished(() => engine.dispose());
  return engine;
}

export async function startEngine(start: EngineStart): Promise<TestSession> {
  const repo = start.repo ?? createTempRepo(start.files);
  const server = await startModel(start.script);
  const complaints: string[] = [];
  const engine = await openEngine({ ...start, repo, server }, complaints);
  const { sessionId } = await engine.handlers['session/start'](start.mode ? { mode: start.mode } : {}, caller);
  return playSession({ engine, server, repo, complaints }, sessionId);
}

/** A session of that engine as a test plays its person. */
export function playSession({ engine, server, repo, complaints }: Pick<TestSession, 'engine' | 'server' | 'repo' | 'complaints'>, sessionId: string): TestSession {
  const events: UiEvent[] = [];
  const listeners = new Set<(event: UiEvent) => void>();
  const answering: Promise<boolean>[] = [];
  const settled = async (): Promise<SettledTurn | undefined> => {
    const end = await engine.settled(sessionId);
    await Promise.all(answering);
    return end;
  };
  engine.onEvent((id, event) => {
    if (id !== sessionId) return;
    events.push(event);
    for (const listener of [...listeners]) listener(event);
  });
  const view = async (): Promise<View> => (await engine.handlers['session/snapshot']({ sessionId }, caller)).view;
  const submit = async (text: string): Promise<void> => void (await engine.handlers['turn/submit']({ sessionId, text, attachments: [] }, caller));
  const answer: TestSession['answer'] = async (ask, reply) => {
    const { requestId } = ask.request;
    if (ask.kind === 'permission') return (await engine.handlers['permission/reply']({ sessionId, requestId, decision: reply as PermissionDecision }, caller)).accepted;
    if (ask.kind === 'plan') return (await engine.handlers['plan/reply']({ sessionId, requestId, reply: reply as PlanReply }, caller)).accepted;
    return (await engine.handlers['question/reply']({ sessionId, requestId, reply: reply as QuestionReply }, caller)).accepted;
  };
  return {
    engine,
    server,
    repo,
    complaints,
    sessionId,
    events,
    log: () => events.filter((event): event is DurableEvent => 'seq' in event),
    view,
    submit,
    prompt: async (text) => {
      await submit(text);
      return settled();
    },
    settled,
    event: (type, test = () => true) =>
      new Promise((resolve) => {
        const take = (event: UiEvent): boolean => {
          if (event.type !== type || !test(event as never)) return false;
          listeners.delete(take);
          resolve(event as never);
          return true;
        };
        if (!events.some(take)) listeners.add(take);
      }),
    asks: (count) => untilAsks(view, listeners, count),
    answer,
    autoAnswer: (choose) => {
      const asked: PendingAsk[] = [];
      listeners.add((event) => {
        const ask = askOf(event);
        if (!ask) return;
        asked.push(ask);
        answering.push(answer(ask, choose(ask)));
      });
      return asked;
    },
    call: async (callId) => {
      const found = (await view()).conversations['main']?.find((entry): entry is ToolEntry => entry.kind === 'tool' && entry.id === callId);
      expect(found, `a tool call ${callId}`).toBeDefined();
      return found as ToolEntry;
    },
    result: (callId) => {
      const done = events.find((event) => event.type === 'tool/completed' && event.callId === callId);
      return done?.type === 'tool/completed' ? JSON.stringify(done.content) : '';
    },
    setMode: async (mode) => void (await engine.handlers['session/setMode']({ sessionId, mode }, caller)),
    interrupt: async () => void (await engine.handlers['turn/interrupt']({ sessionId }, caller)),
  };
}

function askOf(event: UiEvent): PendingAsk | undefined {
  if (event.type === 'permission/requested') return { kind: 'permission', request: event.request };
  if (event.type === 'plan/proposed') return { kind: 'plan', request: event.request };
  return event.type === 'question/asked' ? { kind: 'question', request: event.request } : undefined;
}

async function untilAsks(view: () => Promise<View>, listeners: Set<(event: UiEvent) => void>, count: number): Promise<readonly PendingAsk[]> {
  for (;;) {
    const { pendingAsks } = await view();
    if (pendingAsks.length === count) return pendingAsks;
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        listeners.delete(wake);
        resolve();
      };
      listeners.add(wake);
    });
  }
}
