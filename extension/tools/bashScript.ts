export interface BashScript {
  readonly command: string;
  readonly snapshot: string | undefined;
  readonly envFiles: readonly string[];
  /** Where the shell writes the folder it ends in. */
  readonly cwdFile: string | undefined;
}

/**
 * The script for `bash -c`. `eval` runs the command in the same shell: aliases work (they are read line by line) and a `cd` is seen at the end, also after `exit`.
 */
export function bashScript({ command, snapshot, envFiles, cwdFile }: BashScript): string {
  const sources = [...(snapshot === undefined ? [] : [snapshot]), ...envFiles].map((file) => `[ -r ${quoted(file)} ] && . ${quoted(file)} >/dev/null 2>&1`);
  const trap = cwdFile === undefined ? [] : [`trap 'c=$?; pwd -P >| ${quoted(cwdFile).replaceAll("'", "'\\''")} 2>/dev/null; exit $c' EXIT`];
  return [...sources, ...trap, `eval ${quoted(command)}`].join('\n');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
