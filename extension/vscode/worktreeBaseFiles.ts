import * as vscode from 'vscode';

export const baseScheme = 'troupe-base';
const absentQuery = 'absent';

type ReadBase = (worktree: string, path: string) => Promise<Uint8Array | undefined>;

/**
 * Files of a worktree as they were when it was made, read-only. A file system and not a text provider, so that
 * pictures and other binary files show as what they are.
 */
export class WorktreeBaseFiles implements vscode.FileSystemProvider, vscode.Disposable {
  private readonly registered: vscode.Disposable;
  private readonly changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.changed.event;

  constructor(private readonly readBase: ReadBase) {
    this.registered = vscode.workspace.registerFileSystemProvider(baseScheme, this, { isReadonly: true, isCaseSensitive: true });
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    const bytes = await this.readFile(uri);
    return { type: vscode.FileType.File, ctime: 0, mtime: fingerprint(bytes), size: bytes.byteLength, permissions: vscode.FilePermission.Readonly };
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    if (uri.query === absentQuery) return new Uint8Array();
    const wanted = new URLSearchParams(uri.query);
    const bytes = await this.readBase(wanted.get('worktree') ?? '', wanted.get('path') ?? '');
    if (!bytes) throw vscode.FileSystemError.FileNotFound(uri);
    return bytes;
  }

  watch(): vscode.Disposable {
    return new vscode.Disposable(() => undefined); // a commit does not change
  }

  readDirectory(uri: vscode.Uri): never {
    throw vscode.FileSystemError.FileNotADirectory(uri);
  }

  createDirectory(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  writeFile(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  delete(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  rename(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  dispose(): void {
    this.registered.dispose();
    this.changed.dispose();
  }
}

/**
 * @param base `path` relative to the repository, with `/`
 * @param shownPath absolute, the file's own: VS Code picks the language by its name, and calls another path than that of the other side a rename
 */
export function baseUri(base: { readonly worktree: string; readonly path: string }, shownPath: string): vscode.Uri {
  return vscode.Uri.file(shownPath).with({ scheme: baseScheme, query: new URLSearchParams({ ...base }).toString() });
}

/** The empty side of a diff of a file that was added or deleted. */
export function absentUri(path: string): vscode.Uri {
  return vscode.Uri.file(path).with({ scheme: baseScheme, query: absentQuery });
}

/** In place of a time: a worktree made anew under the same name must not be shown from VS Code's cache. */
function fingerprint(bytes: Uint8Array): number {
  let hash = 1;
  for (const byte of bytes) hash = (Math.imul(hash, 31) + byte) | 0;
  return hash >>> 0;
}
