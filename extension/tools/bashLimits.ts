/** In ms and characters; what is absent is the usual. */
export interface BashLimits {
  readonly defaultTimeoutMs?: number | undefined;
  readonly maxTimeoutMs?: number | undefined;
  readonly maxOutputChars?: number | undefined;
  readonly noBackground?: boolean | undefined;
  /** `cd` never carries over. */
  readonly stayInProject?: boolean | undefined;
}

/** Values that are no positive numbers count as absent. */
export function bashLimits(env: Readonly<Record<string, string | undefined>>): BashLimits {
  return {
    defaultTimeoutMs: positive(env['BASH_DEFAULT_TIMEOUT_MS']),
    maxTimeoutMs: positive(env['BASH_MAX_TIMEOUT_MS']),
    maxOutputChars: positive(env['BASH_MAX_OUTPUT_LENGTH']),
    noBackground: isOn(env['CLAUDE_CODE_DISABLE_BACKGROUND_TASKS']),
    stayInProject: isOn(env['CLAUDE_BASH_MAINTAIN_PROJECT_WORKING_DIR']),
  };
}

function positive(value: string | undefined): number | undefined {
  const number = Number(value);
  return value !== undefined && value.trim() !== '' && Number.isFinite(number) && number > 0 ? number : undefined;
}

function isOn(value: string | undefined): boolean {
  return value !== undefined && /^(1|true|yes|on)$/i.test(value);
}
