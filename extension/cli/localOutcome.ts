import { type Engine, pageText } from '../engine';
import { commandIn, type LocalOutcome } from '../protocol/localCommand';

const caller = { viewId: 'headless', subscribe: () => undefined };

export interface LocalAnswer {
  readonly text: string;
  readonly failed: boolean;
}

/** A prompt that is a command of the composer is answered here, without the model. @returns undefined: it is for the model */
export async function answerLocally(engine: Engine, sessionId: string, prompt: string): Promise<LocalAnswer | undefined> {
  const command = commandIn(prompt);
  if (!command) return undefined;
  const outcome = await engine.handlers['command/run']({ sessionId, ...command }, caller);
  switch (outcome.kind) {
    case 'prompt':
      return undefined;
    case 'unknown':
      return { failed: true, text: `there is no command /${command.name}${outcome.near.length === 0 ? '' : `; did you mean ${outcome.near.map((name) => `/${name}`).join(' or ')}?`} Put a blank before it to send it as text.` };
    case 'done':
      return { failed: false, text: outcome.text };
    case 'page':
      return { failed: false, text: pageText(outcome.page) };
    case 'go':
      return { failed: false, text: await placeText(engine, sessionId, outcome.to) };
  }
}

async function placeText(engine: Engine, sessionId: string, to: Extract<LocalOutcome, { kind: 'go' }>['to']): Promise<string> {
  if (to === 'newSession') return 'Each run without --continue or --resume begins with an empty context.';
  if (to === 'setUp') return 'A model is set up by ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL and --model, or in the settings; see --help.';
  if (to === 'sessions') return engine.workspace().sessions.map((session) => `${session.sessionId}  ${session.title}`).join('\n') || 'There is no earlier session here.';
  const { grants } = await engine.handlers['permission/grants']({ sessionId }, caller);
  return grants.map(({ behavior, rule, path, scope }) => `${behavior}  ${rule}  ${path ?? scope}`).join('\n') || 'No rules count here: what changes something is asked about.';
}
