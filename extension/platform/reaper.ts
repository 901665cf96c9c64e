import { type ChildProcess, spawn } from 'node:child_process';

/**
 * Reads `+ <group> <start ticks> <mark>` and `- <group>`; when its input ends, however that came about, ends every group
 * it still holds, and what left the group (`setsid`) but carries its mark in its environment. A number whose leader
 * has another start time was given away again and is left alone.
 */
const script = `trap '' TERM INT HUP
groups=
while read -r op id start mark; do
  case $op in
    +) groups="$groups $id:$start:$mark" ;;
    -) rest=
       for g in $groups; do [ "\${g%%:*}" = "$id" ] || rest="$rest $g"; done
       groups=$rest ;;
  esac
done
started() {
  line=
  [ -r "/proc/$1/stat" ] && read -r line <"/proc/$1/stat"
  [ -n "$line" ] || return 0
  set -- \${line##*) }
  shift 19
  echo "$1"
}
finish() {
  for g in $groups; do
    id=\${g%%:*}; was=\${g#*:}; mark=\${was#*:}; was=\${was%%:*}; now=$(started "$id" 2>/dev/null)
    if [ -z "$now" ] || [ "$was" = - ] || [ "$now" = "$was" ]; then kill -s "$1" -- "-$id" 2>/dev/null; fi
    for e in $(grep -als -- "TROUPE_RUN=$mark" /proc/[0-9]*/environ); do e=\${e#/proc/}; kill -s "$1" "\${e%/environ}" 2>/dev/null; done
  done
}
[ -n "$groups" ] || exit 0
finish TERM
sleep 0.5
finish KILL
`;

/**
 * Ends process groups when this process is gone, `kill -9` included. One small `sh` per engine, started with the
 * first group; its only tie to us is a pipe, and what was written to the pipe before we died is still read.
 */
export class Reaper {
  private readonly groups = new Map<number, { readonly ticks: string; readonly mark: string }>();
  private child: ChildProcess | undefined;

  /** Resolves once the group is held: nothing of it outlives this process from here on. */
  async hold(pgid: number, leader: { readonly startTicks: string | undefined; readonly mark: string }): Promise<void> {
    const group = { ticks: leader.startTicks ?? '-', mark: leader.mark };
    this.groups.set(pgid, group);
    if (process.platform === 'win32') return;
    const written = this.child ? await this.write(`+ ${pgid} ${group.ticks} ${group.mark}\n`) : false;
    if (!written) await this.restart();
  }

  release(pgid: number): void {
    if (this.groups.delete(pgid) && this.child) void this.write(`- ${pgid}\n`);
  }

  held(): readonly number[] {
    return [...this.groups.keys()];
  }

  /** The reaper ends itself, and what it still holds. */
  close(): void {
    this.child?.stdin?.end();
    this.child = undefined;
  }

  private async restart(): Promise<void> {
    const child = spawn('/bin/sh', ['-c', script], { detached: true, stdio: ['pipe', 'ignore', 'ignore'], cwd: '/', env: { PATH: '/usr/bin:/bin' } });
    this.child = child;
    const gone = (): void => {
      if (this.child === child) this.child = undefined;
    };
    child.on('exit', gone).on('error', gone);
    child.stdin.on('error', gone);
    child.unref();
    if ('unref' in child.stdin && typeof child.stdin.unref === 'function') child.stdin.unref();
    const lines = [...this.groups].map(([id, { ticks, mark }]) => `+ ${id} ${ticks} ${mark}\n`).join('');
    if (!(await this.write(lines))) throw new Error('The process that ends leftover commands (/bin/sh) could not be started.');
  }

  private write(lines: string): Promise<boolean> {
    const stdin = this.child?.stdin;
    return new Promise((resolve) => {
      if (!stdin?.writable) return resolve(false);
      stdin.write(lines, (error) => resolve(!error));
    });
  }
}
