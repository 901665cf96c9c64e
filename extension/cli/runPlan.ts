import { err, ok, type Result } from '../base/result';
import { PermissionMode } from '../protocol/permissionMode';
import { type Argv, didYouMean } from './argv';
import type { OutputFormat } from './runPrint';
import { verbs } from './verbs';

/** What the engine is told beside the folder. */
export interface EngineFlags {
  readonly model?: string;
  readonly maxTurns?: number;
  readonly allowedTools: readonly string[];
  readonly disallowedTools: readonly string[];
  readonly systemPrompt?: string;
  readonly appendSystemPrompt?: string;
  readonly skipPermissions: boolean;
  /** Setup hooks run with it. */
  readonly setup?: 'init' | 'maintenance';
}

export type RunPlan = { readonly engine: EngineFlags; readonly settings: string | undefined } & (
  | { readonly kind: 'verb' }
  | { readonly kind: 'stdio' }
  | {
      readonly kind: 'print';
      readonly format: OutputFormat;
      readonly inputFormat: 'text' | 'stream-json';
      readonly prompt: string | undefined;
      readonly mode: PermissionMode | undefined;
      readonly continueLast: boolean;
      readonly resume: string | undefined;
      readonly sessionId: string | undefined;
    }
);

const formats: readonly OutputFormat[] = ['text', 'json', 'stream-json'];
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

/** Flags that belong to parts that are not built yet are refused by name rather than ignored. */
const unbuilt = ['teammate', 'agent', 'agents', 'fallback-model'] as const;

/** @returns problem: which argument is wrong and what it may be */
export function checkRun(argv: Argv, terminal: { readonly stdinIsTty: boolean }): Result<RunPlan, string> {
  const explains = argv.words[0] === 'permission';
  const late = unbuilt.find((flag) => !(explains && flag === 'agent') && (argv.switches.has(flag) || argv.values.has(flag) || argv.lists.has(flag)));
  if (late) return err(`--${late} is not available in this version`);
  const shared = { engine: engineFlags(argv), settings: argv.values.get('settings') };
  if (argv.switches.has('stdio')) return ok({ ...shared, kind: 'stdio' });
  const [word] = argv.words;
  if (!argv.switches.has('print') && word !== undefined) {
    return verbs.some((verb) => verb === word) ? ok({ ...shared, kind: 'verb' }) : err(`unknown word "${word}"${didYouMean(word, verbs)} (a prompt needs -p)`);
  }
  return checkPrint(argv, shared, terminal);
}

function checkPrint(argv: Argv, shared: Pick<RunPlan, 'engine' | 'settings'>, terminal: { readonly stdinIsTty: boolean }): Result<RunPlan, string> {
  const format = formats.find((f) => f === (argv.values.get('output-format') ?? 'text'));
  if (!format) return err(`--output-format is text, json or stream-json, not "${argv.values.get('output-format')}"`);
  const inputFormat = argv.values.get('input-format') ?? 'text';
  if (inputFormat !== 'text' && inputFormat !== 'stream-json') return err(`--input-format is text or stream-json, not "${inputFormat}"`);
  const mode = readMode(argv);
  if (!mode.ok) return mode;
  const sessionId = argv.values.get('session-id');
  if (sessionId !== undefined && !uuid.test(sessionId)) return err(`--session-id needs a UUID, not "${sessionId}"`);
  const clash = clashing(argv);
  if (clash !== undefined) return err(clash);
  const prompt = argv.words.join(' ');
  if (prompt.trim() === '' && inputFormat === 'text' && terminal.stdinIsTty) return err('-p needs a prompt, as a word or on stdin');
  return ok({
    ...shared,
    kind: 'print',
    format,
    inputFormat,
    prompt: prompt.trim() === '' ? undefined : prompt,
    mode: mode.value,
    continueLast: argv.switches.has('continue'),
    resume: argv.values.get('resume'),
    sessionId,
  });
}

/** Flags of which only one could be followed are refused rather than one of them ignored. */
function clashing(argv: Argv): string | undefined {
  if (argv.switches.has('events')) return '--events belongs to inspect hooks';
  const [first, second] = ['continue', 'resume', 'session-id'].filter((flag) => argv.switches.has(flag) || argv.values.has(flag));
  if (second !== undefined) return `--${first} and --${second} say different sessions; give one of them`;
  const hasPrompt = argv.words.join(' ').trim() !== '';
  return argv.values.get('input-format') === 'stream-json' && hasPrompt ? 'with --input-format stream-json the prompts come on stdin; leave out the one after -p' : undefined;
}

function readMode(argv: Argv): Result<PermissionMode | undefined, string> {
  if (argv.switches.has('dangerously-skip-permissions')) return ok('bypassPermissions');
  const given = argv.values.get('permission-mode');
  if (given === undefined) return ok(undefined);
  const mode = PermissionMode.safeParse(given);
  if (!mode.success) return err(`--permission-mode knows no "${given}"${didYouMean(given, PermissionMode.options)}`);
  return mode.data === 'bypassPermissions' ? err('--permission-mode bypassPermissions needs --dangerously-skip-permissions') : ok(mode.data);
}

function engineFlags(argv: Argv): EngineFlags {
  const maxTurns = argv.values.get('max-turns');
  return {
    ...pick('model', argv.values.get('model')),
    ...(maxTurns === undefined ? {} : { maxTurns: Number(maxTurns) }),
    allowedTools: argv.lists.get('allowedTools') ?? [],
    disallowedTools: argv.lists.get('disallowedTools') ?? [],
    ...pick('systemPrompt', argv.values.get('system-prompt')),
    ...pick('appendSystemPrompt', argv.values.get('append-system-prompt')),
    ...(argv.lists.has('mcp-config') ? { mcpConfigs: argv.lists.get('mcp-config') ?? [] } : {}),
    ...(argv.switches.has('strict-mcp-config') ? { onlyMcpConfigs: true } : {}),
    skipPermissions: argv.switches.has('dangerously-skip-permissions'),
    ...(argv.switches.has('init') ? { setup: 'init' as const } : argv.switches.has('maintenance') ? { setup: 'maintenance' as const } : {}),
  };
}

function pick<K extends string>(key: K, value: string | undefined): Partial<Record<K, string>> {
  const picked: Partial<Record<K, string>> = {};
  if (value !== undefined) picked[key] = value;
  return picked;
}
