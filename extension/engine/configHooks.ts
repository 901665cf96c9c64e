import { mainAgentId } from '../base/ids';
import type { SettingsSource } from '../settings/cascade';
import type { ChangedFile } from '../settings/settingsStore';
import type { Hooks } from './hookMoment';

interface Hooked {
  readonly hooks: Hooks;
}

const names: Partial<Readonly<Record<SettingsSource, string>>> = { user: 'user_settings', project: 'project_settings', local: 'local_settings', managed: 'policy_settings' };

/** ConfigChange hooks of every open session, before changed files count. @returns false when one refused */
export async function mayConfigChange(files: readonly ChangedFile[], sessions: readonly Hooked[]): Promise<boolean> {
  const asked = files.flatMap(({ source, path }) => (names[source] === undefined ? [] : [{ source: names[source], ...(path === undefined ? {} : { file_path: path }) }]));
  const outcomes = await Promise.all(sessions.flatMap(({ hooks }) => asked.map((input) => hooks.fire('ConfigChange', input, { agentId: mainAgentId, signal: new AbortController().signal }))));
  return outcomes.every((outcome) => outcome.block === undefined);
}

/** Skills were read anew: told, not asked. */
export function skillsChanged(sessions: readonly Hooked[]): void {
  for (const { hooks } of sessions) void hooks.fire('ConfigChange', { source: 'skills' }, { agentId: mainAgentId, signal: new AbortController().signal });
}
