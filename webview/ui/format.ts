/** "12:02", in the person's own time zone and clock. */
export function clock(atMs: number): string {
  return new Date(atMs).toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit' });
}

/** "0.4s", "6.2s", "1:04", "2:03:10". */
export function duration(ms: number): string {
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)}s`;
  return elapsed(ms);
}

/** "0:42", for what is still running: whole seconds, so that it does not flicker. */
export function elapsed(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const two = (n: number): string => String(n).padStart(2, '0');
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

/** "950", "1.2k", "42k", "1.1M". */
export function count(n: number): string {
  if (n < 1000) return String(n);
  if (n < 9950) return `${(n / 1000).toFixed(1)}k`;
  return n < 999_500 ? `${Math.round(n / 1000)}k` : `${(n / 1_000_000).toFixed(1)}M`;
}

/** Unknown prices are said, not shown as zero. */
export function money(usd: number | null): string {
  if (usd === null) return 'cost unknown';
  return usd > 0 && usd < 0.01 ? '<$0.01' : `$${usd.toFixed(2)}`;
}

/** "now", "4 min", "3 h", "Mon", "12 Mar". */
export function ago(atMs: number, nowMs: number): string {
  const minutes = Math.floor((nowMs - atMs) / 60_000);
  if (minutes < 1) return 'now';
  if (minutes < 60) return `${minutes} min`;
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)} h`;
  const date = new Date(atMs);
  return minutes < 6 * 24 * 60 ? date.toLocaleDateString(undefined, { weekday: 'short' }) : date.toLocaleDateString(undefined, { day: 'numeric', month: 'short' });
}

/** Splits a path for a row: the name, and the folder relative to `root`. */
export function pathParts(path: string, root: string): { readonly name: string; readonly folder: string } {
  const inside = root !== '' && path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path;
  const slash = Math.max(inside.lastIndexOf('/'), inside.lastIndexOf('\\'));
  return slash === -1 ? { name: inside, folder: '' } : { name: inside.slice(slash + 1), folder: inside.slice(0, slash) };
}

export function plural(n: number, one: string, many = `${one}s`): string {
  return `${n} ${n === 1 ? one : many}`;
}
