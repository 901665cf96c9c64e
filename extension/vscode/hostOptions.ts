import { access, constants } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { EngineOptions } from '../engine';
import { flagSettings } from './flagSettings';
import { ripgrepCandidates } from './ripgrepPath';

const folderKey = 'troupe.folder';

/** `CLAUDE_CONFIG_DIR`, else `~/.claude`. */
export function configRoot(): string {
  return process.env['CLAUDE_CONFIG_DIR'] || join(homedir(), '.claude');
}

/** The folder sessions belong to, as far as known without asking; the first one before the person has picked. */
export function knownFolder(state: vscode.Memento): string | undefined {
  const folders = folderPaths();
  const picked = state.get<string>(folderKey);
  return picked !== undefined && folders.includes(picked) ? picked : folders[0];
}

export async function readHostOptions(context: vscode.ExtensionContext): Promise<EngineOptions> {
  const cwd = await pickFolder(context.workspaceState);
  return {
    cwd,
    addDirs: folderPaths().filter((path) => path !== cwd),
    configRoot: configRoot(),
    homeDir: homedir(),
    env: { ...process.env },
    assetsDir: join(context.extensionPath, 'dist'),
    ripgrepPath: await findRipgrep(),
    version: versionOf(context.extension.packageJSON),
    flagSettings: flagSettings(setValue),
    interactive: true,
  };
}

/** With several folders the person says where sessions run, once; closing the list takes the first. */
async function pickFolder(state: vscode.Memento): Promise<string> {
  const folders = folderPaths();
  const known = knownFolder(state);
  if (folders.length < 2 || state.get<string>(folderKey) === known) return known ?? homedir();
  const picked = await vscode.window.showWorkspaceFolderPick({ placeHolder: 'Troupe: in which folder should sessions run? The other folders can be read and edited too.' });
  const cwd = picked?.uri.fsPath ?? known ?? homedir();
  await state.update(folderKey, cwd);
  return cwd;
}

function folderPaths(): readonly string[] {
  return (vscode.workspace.workspaceFolders ?? []).filter((folder) => folder.uri.scheme === 'file').map((folder) => folder.uri.fsPath);
}

/** Only what somebody has set: a default of VS Code's must not win over the settings files. */
function setValue(key: string): unknown {
  const found = vscode.workspace.getConfiguration('troupe').inspect(key);
  return found?.workspaceFolderValue ?? found?.workspaceValue ?? found?.globalValue;
}

async function findRipgrep(): Promise<string | undefined> {
  for (const path of ripgrepCandidates(vscode.env.appRoot, process.platform, process.arch)) {
    const isThere = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return path;
  }
  return undefined;
}

function versionOf(packageJson: unknown): string {
  const isManifest = typeof packageJson === 'object' && packageJson !== null && 'version' in packageJson;
  return isManifest && typeof packageJson.version === 'string' ? packageJson.version : '0.0.0';
}
