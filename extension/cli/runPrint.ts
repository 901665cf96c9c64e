import * as z from 'zod';
import { errorText } from '../base/errorText';
import { err, ok, type Result } from '../base/result';
import { type Engine, notSetUpText, type SettledTurn } from '../engine';
import type { Attachment } from '../protocol/interaction';
import type { PermissionMode } from '../protocol/permission';
import { answerLocally, type LocalAnswer } from './localOutcome';
import { StreamJson } from './streamJson';

export type OutputFormat = 'text' | 'json' | 'stream-json';

export interface PrintRun {
  readonly format: OutputFormat;
  readonly prompts: AsyncIterable<PrintPrompt>;
  readonly mode: PermissionMode | undefined;
  /** A session to go on with, instead of a new one. */
  readonly resume: string | undefined;
  /** The id a new session shall have. */
  readonly sessionId: string | undefined;
  readonly signal: AbortSignal;
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
}

export interface PrintPrompt {
  readonly text: string;
  readonly attachments: readonly Attachment[];
}

/** Runs prompts one after the other and prints what the format asks for. @returns the exit code of spec 20 */
export async function runPrint(engine: Engine, run: PrintRun): Promise<number> {
  const caller = { viewId: 'headless', subscribe: () => undefined };
  const { sessionId } = run.resume
    ? await engine.handlers['session/resume']({ sessionId: run.resume }, caller)
    : await engine.handlers['session/start']({ ...(run.mode ? { mode: run.mode } : {}), ...(run.sessionId ? { sessionId: run.sessionId } : {}) }, caller);
  if (run.resume && run.mode) await engine.handlers['session/setMode']({ sessionId, mode: run.mode }, caller);
  const lines = new StreamJson(sessionId, (line) => {
    if (run.format === 'stream-json') run.stdout(`${JSON.stringify(line)}\n`);
  });
  const listening = engine.onEvent((id, event) => {
    if (id !== sessionId) return;
    lines.take(event);
    if (event.type === 'notice/raised' && event.notice.code !== 'notSent') run.stderr(`troupe: ${event.notice.title} ${event.notice.detail ?? ''}\n`);
  });
  const interrupt = (): void => void engine.handlers['turn/interrupt']({ sessionId }, caller);
  run.signal.addEventListener('abort', interrupt, { once: true });
  try {
    if (run.format === 'stream-json') lines.init(await engine.describe(sessionId));
    let code = 0;
    for await (const prompt of run.prompts) {
      const local = prompt.attachments.length === 0 ? await answerLocally(engine, sessionId, prompt.text) : undefined;
      if (local) {
        code = reportLocal(lines, local, run);
        continue;
      }
      await engine.handlers['turn/submit']({ sessionId, text: prompt.text, attachments: [...prompt.attachments] }, caller);
      code = report(lines, withWays(engine, await engine.settled(sessionId)), run);
      if (run.signal.aborted) return 130;
    }
    return code;
  } finally {
    run.signal.removeEventListener('abort', interrupt);
    listening.dispose();
  }
}

/** Without an editor the ways to set up a model are others than the turn names. */
function withWays(engine: Engine, end: SettledTurn | undefined): SettledTurn | undefined {
  if (end?.problem?.code !== 'notSetUp') return end;
  const { model } = engine.workspace();
  if (model.state !== 'none') return end;
  return { ...end, problem: { ...end.problem, message: notSetUpText(model.problem) } };
}

function reportLocal(lines: StreamJson, { text, failed }: LocalAnswer, run: PrintRun): number {
  if (run.format !== 'text') run.stdout(`${JSON.stringify(lines.local(text, failed))}\n`);
  else if (!failed) run.stdout(`${text}\n`);
  if (failed) run.stderr(`troupe: ${text}\n`);
  return failed ? 1 : 0;
}

function report(lines: StreamJson, end: SettledTurn | undefined, run: PrintRun): number {
  const { line, failed } = lines.finish(end);
  if (run.format === 'text') {
    if (!failed) run.stdout(`${lines.text}\n`);
  } else run.stdout(`${JSON.stringify(line)}\n`);
  if (failed) run.stderr(`troupe: ${String(line['result'])}\n`);
  return failed ? 1 : 0;
}

const ImagePart = z.looseObject({
  type: z.literal('image'),
  source: z.looseObject({ type: z.literal('base64'), media_type: z.enum(['image/png', 'image/jpeg', 'image/gif', 'image/webp']), data: z.string() }),
});
const InputLine = z.looseObject({
  type: z.literal('user'),
  message: z.looseObject({ content: z.union([z.string(), z.array(z.union([z.looseObject({ type: z.literal('text'), text: z.string() }), ImagePart]))]) }),
});

/** One line of `--input-format stream-json`. */
export function readInputLine(line: string): Result<PrintPrompt, string> {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (thrown) {
    return err(`a line of stdin is no JSON (${errorText(thrown)})`);
  }
  const parsed = InputLine.safeParse(value);
  if (!parsed.success) return err('a line of stdin is not {"type":"user","message":{"role":"user","content":…}}');
  const { content } = parsed.data.message;
  if (typeof content === 'string') return ok({ text: content, attachments: [] });
  const texts: string[] = [];
  const attachments: Attachment[] = [];
  for (const part of content) {
    if (part.type === 'text') texts.push(part.text);
    else attachments.push({ kind: 'image', name: 'image', mediaType: part.source.media_type, data: part.source.data });
  }
  return ok({ text: texts.join('\n'), attachments });
}
