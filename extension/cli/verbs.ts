import type { Engine, InspectTopic } from '../engine';
import { err, ok, type Result } from '../base/result';
import { PermissionMode } from '../protocol/permissionMode';
import { type Argv, didYouMean } from './argv';
import type { VerbOutput, VerbProblem } from './verbOutput';
import { worktreeVerb } from './worktreeVerbs';

export const verbs = ['inspect', 'skill', 'permission', 'worktree', 'session'] as const;
const topics: readonly InspectTopic[] = ['all', 'skills', 'agents', 'plugins', 'hooks', 'mcp', 'settings', 'memory', 'styles'];

/** The words after `troupe` that are no run: looks at the engine and prints. */
export async function runVerb(engine: Engine, argv: Argv): Promise<Result<VerbOutput, VerbProblem>> {
  const [verb = '', ...words] = argv.words;
  switch (verb) {
    case 'inspect':
      return inspect(engine, words, argv);
    case 'skill':
      return renderSkill(engine, words, argv);
    case 'permission':
      return explain(engine, words, argv);
    case 'worktree':
      return worktreeVerb(engine, words, argv);
    case 'session':
      return sessions(engine, words, argv);
    default:
      return bad(`unknown word "${verb}"${didYouMean(verb, verbs)}`);
  }
}

function bad(message: string): Result<VerbOutput, VerbProblem> {
  return err({ code: 'usage', message });
}

function print(value: unknown): Result<VerbOutput, VerbProblem> {
  return ok({ stdout: `${JSON.stringify(value, null, 2)}\n`, exitCode: 0 });
}

async function inspect(engine: Engine, words: readonly string[], argv: Argv): Promise<Result<VerbOutput, VerbProblem>> {
  const topic = topics.find((t) => t === (words[0] ?? 'all'));
  if (!topic) return bad(`inspect knows no "${words[0]}"${didYouMean(words[0] ?? '', topics)}`);
  const wantsEvents = argv.switches.has('events');
  if (wantsEvents && topic !== 'hooks') return bad('--events belongs to inspect hooks');
  const report = await engine.inspect(wantsEvents ? 'hookEvents' : topic);
  return argv.switches.has('json') ? ok({ stdout: `${JSON.stringify(report)}\n`, exitCode: 0 }) : ok({ stdout: reportText(report), exitCode: 0 });
}

/** Reports for people: one line an item, then the problems. */
function reportText(report: Readonly<Record<string, unknown>>): string {
  if (!Array.isArray(report['loaded'])) {
    return Object.entries(report)
      .map(([name, part]) => `${name}\n${typeof part === 'object' && part !== null ? reportText(Object.fromEntries(Object.entries(part))) : ''}`)
      .join('\n');
  }
  const rows = [...list(report['loaded']).map((item) => `  ${word(item, 'qualified', 'name', 'key', 'event', 'path')}  ${word(item, 'source')}  ${word(item, 'description', 'value', 'label')}${hiddenBy(item)}`)];
  const off = list(report['disabled']).map((item) => `  off: ${word(item, 'name')} (${word(item, 'reason')})`);
  const problems = list(report['problems']).map((item) => `  ${word(item, 'severity')}: ${word(item, 'path')}${word(item, 'line') === '' ? '' : `:${word(item, 'line')}`} ${word(item, 'message')}`);
  return `${[...rows, ...off, ...problems].join('\n')}\n`;
}

/** What a setting's value stands over. */
function hiddenBy(item: Readonly<Record<string, unknown>>): string {
  return list(item['hides'])
    .map((hidden) => (word(hidden, 'value') === '' ? '' : `\n    instead of ${word(hidden, 'value')} (${word(hidden, 'source')}${word(hidden, 'path') === '' ? '' : `, ${word(hidden, 'path')}`})`))
    .join('');
}

function list(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'object' && item !== null) : [];
}

function word(item: Readonly<Record<string, unknown>>, ...keys: readonly string[]): string {
  const value = keys.map((key) => item[key]).find((v) => v !== undefined && v !== null && v !== '');
  if (value === undefined) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > 100 ? `${text.slice(0, 99)}…` : text;
}

async function renderSkill(engine: Engine, words: readonly string[], argv: Argv): Promise<Result<VerbOutput, VerbProblem>> {
  const [verb, name, ...args] = words;
  if (verb !== 'render') return bad(`skill knows no "${verb ?? ''}"${didYouMean(verb ?? '', ['render'])}`);
  if (!name) return bad('skill render needs the name of a skill');
  const rendered = await engine.renderSkill({ name, args: args.join(' '), shell: !argv.switches.has('no-shell') });
  if (!rendered.ok) return err({ code: 'failed', message: rendered.problem });
  return argv.switches.has('json') ? ok({ stdout: `${JSON.stringify(rendered.value)}\n`, exitCode: 0 }) : ok({ stdout: `${String(rendered.value['text'])}\n`, exitCode: 0 });
}

async function explain(engine: Engine, words: readonly string[], argv: Argv): Promise<Result<VerbOutput, VerbProblem>> {
  if (words[0] !== 'explain') return bad(`permission knows no "${words[0] ?? ''}"${didYouMean(words[0] ?? '', ['explain'])}`);
  const tool = argv.values.get('tool');
  if (!tool) return bad('permission explain needs --tool');
  const input = readObject(argv.values.get('input') ?? '{}');
  if (!input) return bad('--input needs a JSON object, such as {"command":"git push"}');
  const mode = PermissionMode.safeParse(argv.values.get('mode') ?? argv.values.get('permission-mode') ?? 'default');
  if (!mode.success) return bad(`--mode knows no "${argv.values.get('mode')}"${didYouMean(argv.values.get('mode') ?? '', PermissionMode.options)}`);
  const agent = argv.values.get('agent');
  const explained = await engine.explainPermission({ tool, input, mode: mode.data, ...(agent === undefined ? {} : { agent }) });
  if (!explained.ok) return err({ code: 'failed', message: explained.problem });
  const { decision, rule, path, reason } = explained.value;
  return argv.switches.has('json')
    ? ok({ stdout: `${JSON.stringify(explained.value)}\n`, exitCode: 0 })
    : ok({ stdout: `${decision}: ${reason}${rule ? `\nrule: ${rule}${path ? ` (${path})` : ''}` : ''}\n`, exitCode: 0 });
}

function readObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.fromEntries(Object.entries(value)) : undefined;
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return undefined;
    throw thrown;
  }
}

async function sessions(engine: Engine, words: readonly string[], argv: Argv): Promise<Result<VerbOutput, VerbProblem>> {
  const [verb = 'list', sessionId] = words;
  if (verb === 'list') {
    const all = engine.workspace().sessions;
    if (argv.switches.has('json')) return ok({ stdout: `${JSON.stringify(all)}\n`, exitCode: 0 });
    return ok({ stdout: all.map((s) => `${s.sessionId}  ${new Date(s.lastEventAtMs).toISOString()}  ${s.group}  ${s.title}\n`).join(''), exitCode: 0 });
  }
  if (verb !== 'show' && verb !== 'export') return bad(`session knows no "${verb}"${didYouMean(verb, ['list', 'show', 'export'])}`);
  if (!sessionId) return bad(`session ${verb} needs an id`);
  const view = await engine.readSession(sessionId);
  if (!view.ok) return err({ code: 'failed', message: view.problem });
  if (verb === 'export' || argv.switches.has('json')) return print(view.value);
  const lines = (view.value.conversations['main'] ?? []).map((entry) => {
    if (entry.kind === 'user') return `> ${entry.text}`;
    if (entry.kind === 'assistant') return entry.part === 'text' ? entry.text : '';
    return entry.kind === 'tool' ? `[${entry.name} ${entry.title}: ${entry.call.status}]` : '';
  });
  return ok({ stdout: `${lines.filter((line) => line !== '').join('\n\n')}\n`, exitCode: 0 });
}
