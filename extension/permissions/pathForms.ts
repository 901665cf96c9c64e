/**
 * Paths as rules compare them: `/` between segments, no `.` or `..`, drive letters as `/c`, UNC shares as `//host/share`.
 * @param from absolute folder a relative path is taken from
 */
export function normalPath(path: string, from = '/'): string {
  const slashed = isWindowsPath(path) || isWindowsPath(from) ? path.replaceAll('\\', '/') : path;
  const drive = /^([A-Za-z]):(?:\/|$)/.exec(slashed);
  const absolute = drive ? `/${drive[1]?.toLowerCase()}/${slashed.slice(3)}` : slashed;
  const whole = absolute.startsWith('/') ? absolute : `${from === '/' ? '' : normalPath(from)}/${absolute}`;
  const out: string[] = [];
  for (const segment of whole.split('/')) {
    if (segment === '' || segment === '.') continue;
    if (segment === '..') out.pop();
    else out.push(segment);
  }
  return `/${out.join('/')}`;
}

function isWindowsPath(path: string): boolean {
  return /^[A-Za-z]:[\\/]/.test(path) || path.startsWith('\\\\');
}

export function isInside(path: string, dir: string): boolean {
  return path === dir || dir === '/' || (path.startsWith(dir) && path[dir.length] === '/');
}

/** `~` and `~/x`; other users' homes (`~bob`) stay as they are. */
export function expandHome(path: string, homeDir: string): string {
  return path === '~' || path.startsWith('~/') ? homeDir + path.slice(1) : path;
}

/** What a deny compares: case and the way accents are written do not tell files apart. */
export function folded(path: string): string {
  return path.toLowerCase().normalize('NFC');
}
