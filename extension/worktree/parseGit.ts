import { toText } from './bytePath';

/** One side of a change: what a tree has at a path. */
export interface TreeEntry {
  /** Octal: 100644, 100755, 120000 (link), 160000 (submodule). */
  readonly mode: string;
  readonly oid: string;
}

export interface TreeChange {
  /** A byte path. */
  readonly path: string;
  readonly from: TreeEntry | undefined;
  readonly to: TreeEntry | undefined;
}

export interface RawChange extends TreeChange {
  readonly status: string;
  readonly oldPath?: string;
}

export function splitNul(bytes: Buffer): string[] {
  const parts = bytes.toString('latin1').split('\0');
  if (parts.at(-1) === '') parts.pop();
  return parts;
}

function entry(mode: string, oid: string): TreeEntry | undefined {
  return mode === '000000' ? undefined : { mode, oid };
}

/** Output of `git diff-tree -z --raw [--numstat]`. */
export function parseChanges(bytes: Buffer): { readonly changes: readonly RawChange[]; readonly counts: ReadonlyMap<string, { readonly added: number; readonly removed: number } | 'binary'> } {
  const parts = splitNul(bytes);
  const changes: RawChange[] = [];
  const counts = new Map<string, { added: number; removed: number } | 'binary'>();
  for (let i = 0; i < parts.length; ) {
    const head = parts[i] ?? '';
    if (head.startsWith(':')) {
      const [fromMode = '', toMode = '', fromOid = '', toOid = '', status = ''] = head.slice(1).split(' ');
      const isPair = /^[RC]/.test(status);
      const oldPath = parts[i + 1] ?? '';
      const path = isPair ? (parts[i + 2] ?? '') : oldPath;
      changes.push({ path, from: entry(fromMode, fromOid), to: entry(toMode, toOid), status: status.charAt(0), ...(isPair ? { oldPath } : {}) });
      i += isPair ? 3 : 2;
      continue;
    }
    const [added = '', removed = '', ...name] = head.split('\t');
    const inline = name.join('\t');
    const path = inline === '' ? (parts[i + 2] ?? '') : inline;
    counts.set(path, added === '-' ? 'binary' : { added: Number(added), removed: Number(removed) });
    i += inline === '' ? 3 : 1;
  }
  return { changes, counts };
}

export interface ListedWorktree {
  readonly path: string;
  readonly head: string | undefined;
  /** Short name; undefined when detached. */
  readonly branch: string | undefined;
  readonly isBare: boolean;
  readonly lockReason: string | undefined;
  readonly isPrunable: boolean;
}

/** Output of `git worktree list --porcelain -z`; the first is the main checkout. */
export function parseWorktreeList(bytes: Buffer): readonly ListedWorktree[] {
  return bytes
    .toString('latin1')
    .split('\0\0')
    .filter((block) => block !== '')
    .map((block) => {
      const fields = new Map(block.split('\0').map((line): [string, string] => {
        const at = line.indexOf(' ');
        return at === -1 ? [line, ''] : [line.slice(0, at), line.slice(at + 1)];
      }));
      return {
        path: toText(fields.get('worktree') ?? ''),
        head: fields.get('HEAD'),
        branch: fields.has('branch') ? toText(fields.get('branch') ?? '').replace(/^refs\/heads\//, '') : undefined,
        isBare: fields.has('bare'),
        lockReason: fields.has('locked') ? toText(fields.get('locked') ?? '') : undefined,
        isPrunable: fields.has('prunable'),
      };
    });
}

/** Output of `git merge-tree --write-tree -z --name-only --no-messages`. */
export function parseMergeTree(bytes: Buffer): { readonly tree: string; readonly conflicts: readonly string[] } {
  const [tree = '', ...conflicts] = splitNul(bytes);
  return { tree: tree.trim(), conflicts: [...new Set(conflicts.filter((path) => path !== ''))] };
}

/** Trailers of our own commits: `Troupe-Base: 1234`. */
export function parseTrailers(message: string): ReadonlyMap<string, string> {
  const trailers = new Map<string, string>();
  for (const line of message.split('\n')) {
    const match = /^Troupe-([A-Za-z-]+): (.*)$/.exec(line);
    if (match?.[1] !== undefined) trailers.set(match[1], match[2] ?? '');
  }
  return trailers;
}
