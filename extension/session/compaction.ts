import { estimateTokens } from '../base/estimateTokens';
import type { ModelMessage, ResultBlock, ToolResultBlock, UserBlock } from '../protocol/content';
import type { DurableEvent } from '../protocol/events';

type Compacted = Extract<DurableEvent, { type: 'context/compacted' }>;
type Received = Extract<DurableEvent, { type: 'message/received' }>;

/** An agent's events from its last compaction on, that one included: what the model still has before it. */
export function eventsInContext(events: readonly DurableEvent[], agentId: string): readonly DurableEvent[] {
  const start = events.findLastIndex((event) => event.type === 'context/compacted' && event.agentId === agentId);
  const own = start === -1 ? events : events.slice(start);
  return own.filter((event) => 'agentId' in event && event.agentId === agentId);
}

/** What the model is asked at the end of its own conversation, so that all before it comes from the cache. */
export function summaryRequest(instructions: string): string {
  const wish = instructions.trim() === '' ? '' : `\n\nThe person asks of this summary: ${instructions.trim()}`;
  return `<reminder>
The conversation is about to be shortened: everything above is replaced by a summary that you write now, and you go on from it alone. Write it for yourself, so that the work continues without a break. Call no tool; answer with the summary only, under these headings, leaving out those with nothing to say:

# Goal
What the person wants in the end, and how they want it done: decisions, limits and corrections they gave.
# State
What is done and checked, file by file with what was changed and why; what is half done and where exactly it stands.
# Findings
Facts that took effort: how the code hangs together, commands that work here, values, names, line numbers, errors and their causes.
# Dead ends
What was tried and did not work, so that it is not tried again. Calls the person refused.
# Next
The steps that are left, in order, the very next one precise enough to begin with.

Be exact and complete about what the work needs; leave out how you got there, pleasantries, and file contents that can be read again.${wish}
</reminder>`;
}

/** `messages` with the request for a summary at their end; `level` 1 and up make room when even that is too long. */
export function summaryMessages(messages: readonly ModelMessage[], instructions: string, level: number): readonly ModelMessage[] {
  const kept = level === 0 ? messages : tailOf(messages.map((message) => withShortResults(message, level === 1 ? 2_000 : 300)), level);
  const ask: UserBlock = { type: 'text', text: summaryRequest(instructions) };
  const last = kept.at(-1);
  return last?.role === 'user' ? [...kept.slice(0, -1), { role: 'user', content: [...last.content, ask] }] : [...kept, { role: 'user', content: [ask] }];
}

/** The highest `level` of `summaryMessages`. */
export const maxSummaryLevel = 4;

/** From level 3 on only the last part; it begins with words of a person, never with results whose calls are gone. */
function tailOf(messages: readonly ModelMessage[], level: number): readonly ModelMessage[] {
  if (level < 3) return messages;
  const from = Math.floor(messages.length * (level === 3 ? 0.5 : 0.8));
  const start = messages.findIndex((message, i) => i >= from && message.role === 'user' && !message.content.some((block) => block.type === 'tool_result'));
  if (start !== -1) return messages.slice(start);
  // A long chain of calls without a word between: its results are told as text.
  const cut = messages.findIndex((message, i) => i >= from && message.role === 'user');
  const first = messages[cut];
  if (first?.role !== 'user') return messages;
  return [{ role: 'user', content: [{ type: 'text', text: first.content.map(asText).join('\n') }] }, ...messages.slice(cut + 1)];
}

function asText(block: UserBlock): string {
  if (block.type === 'text') return block.text;
  if (block.type !== 'tool_result') return `[${block.type}]`;
  return typeof block.content === 'string' ? block.content : block.content.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join('\n');
}

function withShortResults(message: ModelMessage, maxChars: number): ModelMessage {
  if (message.role !== 'user') return message;
  return { role: 'user', content: message.content.map((block) => (block.type === 'tool_result' ? shortResult(block, maxChars) : block.type === 'text' ? { ...block, text: cut(block.text, maxChars * 10) } : { type: 'text', text: `[${block.type}]` })) };
}

function shortResult(block: ToolResultBlock, maxChars: number): ToolResultBlock {
  const { content } = block;
  const short = typeof content === 'string' ? cut(content, maxChars) : content.map((part): ResultBlock => (part.type === 'text' ? { ...part, text: cut(part.text, maxChars) } : { type: 'text', text: `[${part.type}]` }));
  return { ...block, content: short };
}

function cut(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : `${text.slice(0, maxChars)}\n[… ${text.length - maxChars} characters left out]`;
}

const maxWordChars = 24_000;
const maxOneWordChars = 8_000;
const maxFiles = 30;

/**
 * What stands in place of the conversation: the summary, and beside it what must not be lost to a summary's wording,
 * which is what the person or the starting agent said, and the skills in use. @param before the agent's events up to the compaction
 */
export function compactedContext(summary: string, before: readonly DurableEvent[]): string {
  const parts = ['<earlier-conversation>', 'The conversation so far was shortened. This is your own summary of it:', summary.trim()];
  const words = wordsOf(before);
  if (words !== '') parts.push(`What you were asked, word for word (oldest first):\n\n${words}`);
  const files = filesOf(before);
  if (files.length > 0) parts.push(`Files you read or changed last; read them again before you rely on their text:\n${files.join('\n')}`);
  const skills = skillsOf(before);
  if (skills.length > 0) parts.push(`Skills in use:\n\n${skills.join('\n\n')}`);
  parts.push('</earlier-conversation>');
  return parts.join('\n\n');
}

/** The first words set the task, the last ones where it stands: when there are too many, those between go. */
function wordsOf(events: readonly DurableEvent[]): string {
  const all = events.filter((event): event is Received => event.type === 'message/received' && (event.origin === 'person' || event.origin === 'agent')).map((event) => cut(event.shown ?? textsOf(event).join('\n'), maxOneWordChars));
  const [first, ...rest] = all;
  if (first === undefined) return '';
  let room = maxWordChars - first.length;
  const last: string[] = [];
  for (const text of rest.toReversed()) {
    room -= text.length;
    if (room < 0) break;
    last.unshift(text);
  }
  const gap = last.length < rest.length ? [`[… ${rest.length - last.length} messages left out]`] : [];
  return [first, ...gap, ...last].map((text) => `> ${text.replaceAll('\n', '\n> ')}`).join('\n\n');
}

function textsOf(event: Received): string[] {
  return event.content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
}

function filesOf(events: readonly DurableEvent[]): readonly string[] {
  const paths = events.flatMap((event) => (event.type === 'tool/started' && typeof event.input['file_path'] === 'string' ? [event.input['file_path']] : []));
  return [...new Set(paths.toReversed())].slice(0, maxFiles);
}

const maxSkillTokens = 5_000;
const maxAllSkillTokens = 25_000;

/** The last run of each skill, newest first, 5,000 tokens of each and 25,000 of all (spec 03). */
function skillsOf(events: readonly DurableEvent[]): readonly string[] {
  const latest = new Map<string, string>();
  for (const event of events.toReversed()) {
    if (event.type !== 'message/received' || (event.origin !== 'skill' && event.origin !== 'person')) continue;
    const name = /^\/(\S+)/.exec(event.shown ?? '')?.[1];
    const body = textsOf(event).at(-1);
    if (name !== undefined && body !== undefined && body !== event.shown && !latest.has(name)) latest.set(name, body);
  }
  let room = maxAllSkillTokens;
  const texts: string[] = [];
  for (const [name, body] of latest) {
    const text = toTokens(body, Math.min(maxSkillTokens, room));
    if (text === '') break;
    room -= estimateTokens(text);
    texts.push(`<skill name="${name}">\n${text}\n</skill>`);
  }
  return texts;
}

function toTokens(text: string, tokens: number): string {
  if (tokens <= 0) return '';
  if (estimateTokens(text) <= tokens) return text;
  let end = Math.floor((text.length * tokens) / estimateTokens(text));
  while (end > 0 && estimateTokens(text.slice(0, end)) > tokens) end = Math.floor(end * 0.95);
  return text.slice(0, end);
}

/** The block that opens a conversation after a compaction. @returns undefined where there was none */
export function earlierConversation(events: readonly DurableEvent[], agentId: string): string | undefined {
  const at = events.findLastIndex((event) => event.type === 'context/compacted' && event.agentId === agentId);
  const event = events[at];
  if (event?.type !== 'context/compacted') return undefined;
  const own = events.slice(0, at).filter((one) => 'agentId' in one && one.agentId === agentId);
  return compactedContext(event.summary, own);
}

export type { Compacted };
