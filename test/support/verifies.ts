import { test } from 'vitest';
import { type Requirement, type RequirementId, requirements } from '../requirements';

/** A test of one claimed behaviour; its name is the behaviour as `test/requirements.ts` words it. `case_` tells apart several tests of one id. */
export function verifies(id: RequirementId, run: () => void | Promise<void>, options: { readonly case?: string; readonly timeoutMs?: number } = {}): void {
  test(`${id} · ${(requirements as Readonly<Record<string, Requirement>>)[id]?.behaviour}${options.case ? ` (${options.case})` : ''}`, options.timeoutMs === undefined ? {} : { timeout: options.timeoutMs }, run);
}
