/** Keys of the known file kinds: they end a text that goes on at column 0, which other `word:` lines do not. */
const known = new Set(
  (
    'name description when_to_use when-to-use argument-hint arguments disable-model-invocation user-invocable allowed-tools allowed_tools allowedTools ' +
    'disallowed-tools disallowedTools tools model effort context agent background hooks paths shell metadata license compatibility version ' +
    'permissionMode maxTurns skills mcpServers memory isolation color initialPrompt keep-coding-instructions force-for-plugin globs tags keywords category triggers'
  ).split(' '),
);

/** Keys whose value is prose: cutting one at ` #` is worth a notice. */
const prose = new Set(['name', 'description', 'when_to_use', 'when-to-use', 'argument-hint', 'initialPrompt']);

export function isKnownKey(key: string): boolean {
  return known.has(key);
}

export function isProseKey(key: string): boolean {
  return prose.has(key);
}

/** `key:` at column 0, alone or followed by a blank. */
export function keyOfLine(line: string): { readonly key: string; readonly rest: string } | undefined {
  const match = /^([A-Za-z_][\w-]*)[ \t]*:(?:[ \t]+(.*))?$/.exec(line);
  return match ? { key: match[1] ?? '', rest: (match[2] ?? '').trimEnd() } : undefined;
}
