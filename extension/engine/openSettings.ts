import type { EngineOptions, EnginePorts } from '../engine';
import { ok } from '../base/result';
import type { SettingsAccess } from './settingsAccess';

export async function openSettings(_ports: EnginePorts, options: EngineOptions): Promise<SettingsAccess> {
  return {
    rules: () => [
      ...(options.allowedTools ?? []).map((text) => ({ text, behavior: 'allow' as const, source: 'flag' as const, anchorDir: options.cwd })),
      ...(options.disallowedTools ?? []).map((text) => ({ text, behavior: 'deny' as const, source: 'flag' as const, anchorDir: options.cwd })),
    ],
    defaultMode: () => 'default',
    addedDirs: () => [],
    env: () => ({}),
    model: () => ({}),
    mayBypass: () => options.skipPermissions ?? false,
    memoryExcludes: () => [],
    plansDir: () => undefined,
    problems: () => [],
    saveRules: async () => ok(undefined),
    saveModelChoice: async () => undefined,
    inspect: () => ({ loaded: [], disabled: [], problems: [] }),
    onDidChange: () => ({ dispose: () => undefined }),
    dispose: () => undefined,
  };
}
