import type { ModelRequest } from '../../ports';
import type { ModelMessage, ToolResultBlock, UserBlock } from '../../protocol/content';

/** What one of the script's calls gave. */
export interface Done {
  readonly text: string;
  readonly isError: boolean;
  /** A rule or the person said no. */
  readonly isRefused: boolean;
}

/** One thing said to the script and what it did about it so far. */
export interface DemoTurn {
  /** The person's own words; empty when the message had none. */
  readonly said: string;
  /** The engine's notice of something in the background; nobody wrote it. */
  readonly isNotice: boolean;
  /** Results of the script's calls, by their labels, oldest first. */
  readonly done: ReadonlyMap<string, readonly Done[]>;
  /** Said while it worked, since the last reply. */
  readonly aside: string;
}

/** A request as the script reads it: it knows nothing else, so the same request always has the same answer. */
export interface DemoTalk {
  readonly turns: readonly DemoTurn[];
  readonly cwd: string;
  /** Listings, memory files and surroundings. */
  readonly context: string;
  /** Of a sub-agent. */
  readonly brief: string | undefined;
  /** The file to plan in, while plan mode is on. */
  readonly planFile: string | undefined;
  readonly tools: ReadonlySet<string>;
  /** Different for different conversations, the same for the same one. */
  readonly mark: string;
}

const labelled = /^demo_([a-z-]+)_/;

/** Ids carry the label of the step, so that a script without memory finds its own steps again. */
export function callId(label: string, mark: string, place: number): string {
  return `demo_${label}_${mark}${place}`;
}

export function readTalk(request: ModelRequest): DemoTalk {
  const turns: { said: string; isNotice: boolean; done: Map<string, Done[]>; aside: string }[] = [];
  for (const message of request.messages) {
    if (message.role === 'assistant') {
      const turn = turns.at(-1);
      if (turn) turn.aside = '';
      continue;
    }
    const results = message.content.filter((block) => block.type === 'tool_result');
    const turn = turns.at(-1);
    for (const result of results) if (turn) keep(turn.done, result);
    const said = wordsIn(message.content);
    if (turn && results.length > 0 && (said === '' || !results.some(wasStopped))) turn.aside = said;
    else if (!turn || said !== '' || !textsIn(message).every((text) => text.startsWith('<reminder>'))) turns.push({ said, isNotice: said === '' && textsIn(message).some((text) => text.startsWith('<task-notification>')), done: new Map(), aside: '' });
  }
  const context = textsIn(request.messages[0]).join('\n');
  return {
    turns,
    context,
    cwd: /^Working folder: (.+)$/m.exec(context)?.[1] ?? '',
    brief: /<brief>\n([\s\S]*?)\n<\/brief>/.exec(context)?.[1],
    planFile: planFileOf(request.messages),
    tools: new Set(request.tools.map((tool) => tool.name)),
    mark: markOf(JSON.stringify(request.messages)),
  };
}

/** What a block of the engine begins with: `<reminder>`, `<attached-file path=…>`. */
const engineBlock = /^<[a-z][a-z-]*[\s>]/;

function wordsIn(content: readonly UserBlock[]): string {
  return content
    .flatMap((block) => (block.type === 'text' && !engineBlock.test(block.text) ? [block.text.trim()] : []))
    .join('\n')
    .trim();
}

function textsIn(message: ModelMessage | undefined): readonly string[] {
  return message?.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])) ?? [];
}

function keep(done: Map<string, Done[]>, result: ToolResultBlock): void {
  const label = labelled.exec(result.tool_use_id)?.[1];
  if (label === undefined) return;
  const text = resultText(result);
  const isError = result.is_error === true;
  done.set(label, [...(done.get(label) ?? []), { text, isError, isRefused: isError && /\bdid not run \(/.test(text) }]);
}

function resultText({ content }: ToolResultBlock): string {
  return typeof content === 'string' ? content : content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}

/** A turn that was stopped is over: what is said next begins another one. */
function wasStopped(result: ToolResultBlock): boolean {
  return result.is_error === true && /was (cut off before it finished|stopped by the person)|the turn was stopped/.test(resultText(result));
}

/** The last word on plan mode counts: the engine's reminder, or the script's own switch and its end. */
function planFileOf(messages: readonly ModelMessage[]): string | undefined {
  let file: string | undefined;
  for (const message of messages) {
    if (message.role === 'assistant') continue;
    for (const block of message.content) {
      const text = block.type === 'text' ? block.text : block.type === 'tool_result' ? resultText(block) : '';
      const on = /^<reminder>\nPlan mode is on\.[\s\S]*? on the plan file (.+)\.\n/.exec(text) ?? /^Plan mode is on\.[\s\S]*? write the plan to (.+) \(the only file/.exec(text);
      if (on) file = on[1];
      else if (/^<reminder>\nPlan mode is off\./.test(text) || /^The person (approved the plan|changed the plan and approved)/.test(text)) file = undefined;
    }
  }
  return file;
}

/** FNV-1a. */
function markOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return (hash >>> 0).toString(36);
}
