import type { EngineOptions } from './contract';
import type { Trust } from '../ports';
import { createTrustStore } from '../settings/trustStore';

/** Trust of a run without an editor: what it was started with, or what is on record for this folder. */
export async function recordedTrust(given: Trust, options: EngineOptions): Promise<Trust> {
  if (given.isTrusted()) return given;
  const store = createTrustStore({ configRoot: options.configRoot, homeDir: options.homeDir, configDirIsSet: (options.env['CLAUDE_CONFIG_DIR'] ?? '') !== '' });
  const recorded = await store.isTrusted(options.cwd);
  return { isTrusted: () => recorded, onDidGrant: given.onDidGrant };
}
