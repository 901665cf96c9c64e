/** The message of whatever was thrown, in one line fit for a person. */
export function errorText(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.message || thrown.name;
  return typeof thrown === 'string' ? thrown : JSON.stringify(thrown);
}

/** The system's code of a failed call (`ENOENT`, `EACCES` …), when there is one. */
export function errorCode(thrown: unknown): string | undefined {
  if (typeof thrown !== 'object' || thrown === null || !('code' in thrown)) return undefined;
  return typeof thrown.code === 'string' ? thrown.code : undefined;
}
