import type { MemoryFile } from '../session/memoryFilesLoader';
import type { Hooks } from './hookMoment';

const types: Readonly<Record<MemoryFile['source'], string>> = { managed: 'Managed', user: 'User', project: 'Project', local: 'Local', rule: 'Project', import: 'Project' };

/** InstructionsLoaded, once for each file that enters a conversation; nobody waits for it. */
export function tellInstructions(hooks: Hooks, agentId: string): (files: readonly MemoryFile[], trigger?: string) => void {
  return (files, trigger) => {
    if (!hooks.isOpen) return;
    for (const { path, source } of files) {
      const load_reason = source === 'import' ? 'include' : trigger === undefined ? 'session_start' : source === 'rule' ? 'path_glob_match' : 'nested_traversal';
      void hooks.fire('InstructionsLoaded', { file_path: path, memory_type: types[source], load_reason, ...(trigger === undefined ? {} : { trigger_file_path: trigger }) }, { agentId, signal: new AbortController().signal });
    }
  };
}
