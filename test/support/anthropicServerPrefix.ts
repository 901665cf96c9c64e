import { blocksOf, type Json } from './anthropicServerThinking';

/** The parts of a recorded request the check needs. */
export interface PrefixRequest {
  readonly body: unknown;
}

const bytes = (value: unknown): string => JSON.stringify(value, (key, inner: unknown) => (key === 'cache_control' ? undefined : inner)) ?? 'absent';

function firstDifference(before: string, after: string): string {
  let at = 0;
  while (at < before.length && before[at] === after[at]) at++;
  const from = Math.max(0, at - 40);
  return `at character ${at}: …${before.slice(from, at + 60)}… became …${after.slice(from, at + 60)}…`;
}

/** Messages as one list of blocks, since text sent as a string and as one text block are the same prompt. */
function partsOf(body: Json): readonly { readonly place: string; readonly text: string }[] {
  const messages = (body['messages'] ?? []) as readonly { readonly role: string; readonly content: unknown }[];
  return messages.flatMap((message, i) => blocksOf(message.content).map((block, j) => ({ place: `messages.${i}.content.${j} (${message.role})`, text: `${message.role} ${bytes(block)}` })));
}

/**
 * Whether each next request of one conversation repeats the one before it byte for byte (system, tools, messages,
 * compared without `cache_control`) and only adds at the end. Returns the first difference in words, or undefined.
 */
export function expectPrefix(requests: readonly PrefixRequest[]): string | undefined {
  for (const [n, request] of requests.entries()) {
    if (n === 0) continue;
    const before = requests[n - 1]!.body as Json;
    const after = request.body as Json;
    const name = `request ${n + 1} against ${n}`;
    for (const part of ['model', 'tools', 'system'] as const) {
      const [old, now] = [bytes(before[part]), bytes(after[part])];
      if (old !== now) return `${name}: ${part} changed ${firstDifference(old, now)}`;
    }
    const now = partsOf(after);
    for (const [i, old] of partsOf(before).entries()) {
      const same = now[i];
      if (!same) return `${name}: ${old.place} is gone (${old.text.slice(0, 80)})`;
      if (same.text !== old.text) return `${name}: ${old.place} changed ${firstDifference(old.text, same.text)}`;
    }
  }
  return undefined;
}
