/** Ends a `switch` over a closed union: the compiler points here when a new member has no case. */
export function assertNever(value: never): never {
  throw new Error(`unexpected value: ${JSON.stringify(value)}`);
}
