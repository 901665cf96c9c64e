/** The API takes no longer tool names. */
const maxNameChars = 128;
const reserved: ReadonlySet<string> = new Set(['workspace', 'claude-in-chrome', 'computer-use', 'Claude Preview', 'Claude Browser']);

/** Names other programs of the field keep for servers of their own. */
export function isReservedServer(name: string): boolean {
  return reserved.has(name);
}

/** What may stand in a tool name. */
export function plainName(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/g, '_');
}

/** The part between the first two `__`: `github`, or `plugin_<plugin>_<server>` for a plugin's. */
export function serverPart(server: { readonly name: string; readonly plugin?: string }): string {
  return server.plugin === undefined ? plainName(server.name) : plainName(`plugin_${server.plugin}_${server.name}`);
}

/**
 * `mcp__<server>__<tool>`, never one that is taken: servers may list two names that differ in signs only, and
 * names too long for the API are cut so that they stay distinct.
 */
export function toolName(server: string, tool: string, taken: ReadonlySet<string>): string {
  const whole = `mcp__${server}__${plainName(tool)}`;
  const cut = whole.length <= maxNameChars ? whole : `${whole.slice(0, maxNameChars - 9)}_${checksum(whole)}`;
  if (!taken.has(cut)) return cut;
  for (let n = 2; ; n++) {
    const numbered = `${cut.slice(0, maxNameChars - 5)}_${n}`;
    if (!taken.has(numbered)) return numbered;
  }
}

/** FNV-1a, eight hex digits: the same name is cut the same way in every run. */
function checksum(text: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193) >>> 0;
  return hash.toString(16).padStart(8, '0');
}
