/**
 * Names of files need not be valid UTF-8. Between git and the disk they are kept one character per byte ("byte paths");
 * people and models see text.
 */
export function toText(bytePath: string): string {
  return Buffer.from(bytePath, 'latin1').toString('utf8');
}

export function fromText(path: string): string {
  return Buffer.from(path, 'utf8').toString('latin1');
}

/** @param root as text; @param bytePath relative, with `/` */
export function diskPath(root: string, bytePath: string): Buffer {
  return Buffer.concat([Buffer.from(`${root}/`, 'utf8'), Buffer.from(bytePath, 'latin1')]);
}

export function nulList(bytePaths: readonly string[]): Buffer {
  return Buffer.from(bytePaths.map((path) => `${path}\0`).join(''), 'latin1');
}

/** Every folder above a relative path, outermost first: `a/b/c` gives `a`, `a/b`. */
export function foldersAbove(bytePath: string): readonly string[] {
  const parts = bytePath.split('/');
  return parts.slice(1).map((_, i) => parts.slice(0, i + 1).join('/'));
}

export function isUnder(bytePath: string, folders: readonly string[]): boolean {
  return folders.some((folder) => bytePath === folder || bytePath.startsWith(`${folder}/`));
}
