import { programOnPath } from './programOnPath';

/**
 * The PowerShell that runs commands: PowerShell 7 where it is, on Windows else the one every Windows has. On other
 * systems only when `CLAUDE_CODE_USE_POWERSHELL_TOOL=1` asks for it; `0` turns it off everywhere.
 * @returns undefined: there is none, or none is wanted
 */
export function powershellPath(env: Readonly<Record<string, string | undefined>>, platform: NodeJS.Platform = process.platform): string | undefined {
  const wanted = env['CLAUDE_CODE_USE_POWERSHELL_TOOL'];
  const windows = platform === 'win32';
  if (wanted === '0' || (wanted !== '1' && !windows)) return undefined;
  const find = (name: string): string | undefined => programOnPath(name, env['PATH'] ?? '', platform);
  return find('pwsh') ?? (windows ? find('powershell') : undefined);
}
