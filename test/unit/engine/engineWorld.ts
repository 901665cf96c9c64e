import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll } from 'vitest';
import { ok } from '../../../extension/base/result';
import type { EngineOptions, EnginePorts } from '../../../extension/engine';
import { createEngineParts } from '../../../extension/engine/engineParts';
import { createSessionKit } from '../../../extension/engine/sessionKitOf';
import type { SessionKit } from '../../../extension/engine/sessionKit';
import { Sessions } from '../../../extension/engine/sessions';
import { hookSettings } from '../../../extension/settings/hookLayers';
import type { SettingsAccess } from '../../../extension/engine/settingsAccess';
import type { ModelAccess } from '../../../extension/ports';
import { createManualClock, type ManualClock } from '../../support/manualClock';
import { createScriptedModel, type ScriptedModel, type ScriptedModelOptions } from '../../support/scriptedModel';

export interface Window {
  readonly kit: SessionKit;
  readonly sessions: Sessions;
  readonly model: ScriptedModel;
  readonly close: () => Promise<void>;
}

export interface Folder {
  readonly root: string;
  readonly repo: string;
  readonly configRoot: string;
  readonly clock: ManualClock;
  readonly write: (path: string, text: string) => void;
  readonly open: (options?: ScriptedModelOptions) => Window;
}

const cleanUps: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const clean of cleanUps.splice(0).reverse()) await clean();
});

/** A project folder and a config root of its own, on which windows can be opened one after the other or beside each other. */
export function createFolder(files: Readonly<Record<string, string>> = {}): Folder {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'troupe-engine-')));
  cleanUps.push(async () => rmSync(root, { recursive: true, force: true }));
  const repo = join(root, 'repo');
  const configRoot = join(root, 'home/.claude');
  const clock = createManualClock();
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  mkdirSync(repo, { recursive: true });
  mkdirSync(configRoot, { recursive: true });
  for (const [path, text] of Object.entries(files)) write(path, text);
  return { root, repo, configRoot, clock, write, open: (options = {}) => openWindow({ root, repo, configRoot, clock }, options) };
}

function openWindow({ root, repo, configRoot, clock }: Pick<Folder, 'root' | 'repo' | 'configRoot' | 'clock'>, scripted: ScriptedModelOptions): Window {
  const quiet = (): void => undefined;
  const model = createScriptedModel([], scripted);
  const ports: EnginePorts = {
    clock,
    log: { debug: quiet, info: quiet, warn: quiet, error: (message) => { throw new Error(message); } },
    secrets: { get: async () => undefined, set: async () => undefined, delete: async () => undefined },
    trust: { isTrusted: () => true, onDidGrant: () => ({ dispose: quiet }) },
  };
  const options: EngineOptions = {
    cwd: repo, addDirs: [], configRoot, homeDir: join(root, 'home'), env: { PATH: process.env['PATH'] }, assetsDir: join(process.cwd(), 'dist'), ripgrepPath: undefined, version: '1', flagSettings: [], interactive: true,
  };
  const parts = createEngineParts(ports, options, plainSettings);
  const kit = createSessionKit({ ports, options, settings: plainSettings, parts, models: accessTo(model) });
  const sessions = new Sessions(kit);
  let closed = false;
  const close = async (): Promise<void> => {
    if (closed) return;
    closed = true;
    await sessions.close();
    await parts.close();
  };
  cleanUps.push(close);
  return { kit, sessions, model, close };
}

const plainSettings: SettingsAccess = {
  rules: () => [],
      sandbox: () => ({}), defaultMode: () => 'default', addedDirs: () => [], env: () => ({}), model: () => ({}), mayBypass: () => false, mayAuto: () => true, pluginOnly: () => false, pluginDirs: () => [],
      skills: () => ({ overrides: {}, isShellOff: false, isBundledOff: false }),
      pluginOptions: () => ({}),
      memoryExcludes: () => [], managedMemory: () => undefined, compactAtPercent: () => 90, outputStyle: () => undefined, plansDir: () => undefined, worktree: () => ({ baseRef: 'head' }), problems: () => [], hooks: () => hookSettings([]), guard: () => undefined,
  mcp: () => ({ enableAllProject: false, enabledProject: [], disabledProject: [], allowed: undefined, denied: [], pluginsOnly: false }), saveMcpAnswer: async () => ok(undefined),
  saveRules: async () => ok(undefined), removeRule: async () => ok(undefined), saveModelChoice: async () => undefined, inspect: () => ({}), onDidChange: () => ({ dispose: () => undefined }), dispose: () => undefined,
};

function accessTo(model: ScriptedModel): ModelAccess {
  return {
    status: () => ({ state: 'ready', provider: 'anthropic', model: 'claude-sonnet-5', label: 'Scripted', contextTokens: 200_000, baseUrl: undefined }),
    client: () => model,
    defaultModel: () => 'claude-sonnet-5',
    smallModel: () => 'claude-haiku-4-5',
    list: async () => ok([]),
    probe: async () => ok([]),
    setup: async () => ok(undefined),
    onDidChange: () => ({ dispose: () => undefined }),
  };
}
