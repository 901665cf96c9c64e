import type { Problem } from '../base/problem';
import { err, ok, type Result } from '../base/result';

/** Strict JSON; a byte order mark is taken off. @returns problem `json-invalid` with the line, in words about the likely slip */
export async function parseStrictJson(text: string, path: string): Promise<Result<unknown, Problem>> {
  const own = text.replace(/^\uFEFF/, '');
  try {
    const value: unknown = JSON.parse(own);
    return ok(value);
  } catch {
    // Only now is the parser that knows places worth loading.
    const { parse, printParseErrorCode } = await import('jsonc-parser');
    const errors: { error: number; offset: number; length: number }[] = [];
    parse(own, errors, { disallowComments: true, allowTrailingComma: false });
    const [first] = errors;
    const offset = first?.offset ?? 0;
    const line = own.slice(0, offset).split('\n').length;
    const slip = slipAt(own, offset) ?? (first ? printParseErrorCode(first.error) : 'not JSON');
    return err({ severity: 'error', code: 'json-invalid', message: `no valid JSON at line ${line}: ${slip}. The file is ignored until this is mended`, path, line });
  }
}

function slipAt(text: string, offset: number): string | undefined {
  if (/^\/[/*]/.test(text.slice(offset))) return 'comments are not allowed here';
  if (/^[}\]]/.test(text.slice(offset)) && /,\s*$/.test(text.slice(0, offset))) return 'a comma before the closing bracket';
  return text.trim() === '' ? 'the file is empty' : undefined;
}
