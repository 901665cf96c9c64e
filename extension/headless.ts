import { existsSync, readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { errorText } from './base/errorText';
import { type Argv, parseArgv } from './cli/argv';
import { checkRun, type RunPlan } from './cli/runPlan';
import { promptsOf, readAll } from './cli/readPrompts';
import { runPrint } from './cli/runPrint';
import { usage } from './cli/usage';
import { runVerb } from './cli/verbs';
import { createEngine, type Engine, type EnginePorts } from './engine';
import { systemClock } from './platform/systemClock';

declare const TROUPE_VERSION: string;

/** Flushing matters: `process.exit` drops what a pipe has not taken yet. */
const write = (stream: NodeJS.WriteStream, text: string): void => void stream.write(text);
const stdout = (text: string): void => write(process.stdout, text);
const stderr = (text: string): void => write(process.stderr, text);

async function main(): Promise<number> {
  const parsed = parseArgv(process.argv.slice(2));
  if (!parsed.ok) return badArguments(parsed.problem);
  const argv = parsed.value;
  if (argv.switches.has('help')) return say(usage);
  if (argv.switches.has('version')) return say(`${TROUPE_VERSION}\n`);
  const plan = checkRun(argv, { stdinIsTty: process.stdin.isTTY === true });
  if (!plan.ok) return badArguments(plan.problem);
  const cwd = resolve(argv.values.get('cwd') ?? '.');
  if (!existsSync(cwd) || !statSync(cwd).isDirectory()) return badArguments(`--cwd: there is no folder ${cwd}`);
  const settings = readSettings(plan.value.settings);
  if (typeof settings === 'string') return badArguments(settings);
  const engine = await createEngine(createPorts(argv), {
    cwd,
    addDirs: (argv.lists.get('add-dir') ?? []).map((dir) => resolve(dir)),
    pluginDirs: (argv.lists.get('plugin-dir') ?? []).map((dir) => resolve(dir)),
    configRoot: process.env['CLAUDE_CONFIG_DIR'] ?? join(homedir(), '.claude'),
    homeDir: homedir(),
    env: process.env,
    assetsDir: __dirname,
    ripgrepPath: undefined,
    version: TROUPE_VERSION,
    flagSettings: settings,
    usesTrustRecord: true,
    startsAtOnce: plan.value.kind === 'print',
    interactive: plan.value.kind === 'stdio',
    ...plan.value.engine,
  });
  try {
    return await run(engine, plan.value, argv);
  } finally {
    await engine.dispose();
  }
}

async function run(engine: Engine, plan: RunPlan, argv: Argv): Promise<number> {
  switch (plan.kind) {
    case 'verb': {
      const done = await runVerb(engine, argv);
      if (done.ok) {
        stdout(done.value.stdout);
        return done.value.exitCode;
      }
      if (done.problem.code === 'usage') return badArguments(done.problem.message);
      stderr(`troupe: ${done.problem.message}\n`);
      return 1;
    }
    case 'stdio': {
      const { createJsonlTransport } = await import('./platform/jsonlTransport');
      const transport = createJsonlTransport(process.stdin, process.stdout);
      const connection = engine.connect(transport);
      await transport.closed;
      connection.dispose();
      return 0;
    }
    case 'print':
      return print(engine, plan);
  }
}

async function print(engine: Engine, plan: Extract<RunPlan, { kind: 'print' }>): Promise<number> {
  const prompt = plan.prompt ?? (plan.inputFormat === 'text' ? await readAll(process.stdin) : undefined);
  if (prompt?.trim() === '') return badArguments('-p needs a prompt, as a word or on stdin');
  const abort = new AbortController();
  const interrupt = (): void => abort.abort();
  process.once('SIGINT', interrupt);
  process.once('SIGTERM', interrupt);
  try {
    const resume = plan.continueLast ? engine.workspace().sessions[0]?.sessionId : plan.resume;
    if (plan.continueLast && resume === undefined) return fail('there is no session to continue in this folder');
    return await runPrint(engine, { format: plan.format, prompts: promptsOf(prompt, process.stdin), mode: plan.mode, resume, sessionId: plan.sessionId, signal: abort.signal, stdout, stderr });
  } catch (thrown) {
    return fail(errorText(thrown));
  }
}

/** Without an editor keys come from the environment only; nothing is stored. */
function createPorts(argv: Argv): EnginePorts {
  const verbose = argv.switches.has('verbose');
  const line = (level: string) => (message: string) => stderr(`[${level}] ${message}\n`);
  const quiet = (): void => undefined;
  return {
    clock: systemClock,
    log: { debug: verbose ? line('debug') : quiet, info: verbose ? line('info') : quiet, warn: line('warn'), error: line('error') },
    secrets: { get: async () => undefined, set: async () => undefined, delete: async () => undefined },
    trust: { isTrusted: () => argv.switches.has('trust'), onDidGrant: () => ({ dispose: () => undefined }) },
  };
}

/** `--settings` is a file or JSON text. @returns what is wrong with it, as text */
function readSettings(given: string | undefined): readonly Readonly<Record<string, unknown>>[] | string {
  if (given === undefined) return [];
  try {
    const value: unknown = JSON.parse(given.trimStart().startsWith('{') ? given : readFileSync(given, 'utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? [Object.fromEntries(Object.entries(value))] : '--settings: not a JSON object';
  } catch (thrown) {
    return `--settings: ${errorText(thrown)}`;
  }
}

function say(text: string): number {
  stdout(text);
  return 0;
}

function fail(message: string): number {
  stderr(`troupe: ${message}\n`);
  return 1;
}

function badArguments(message: string): number {
  stderr(`troupe: ${message}\nSee troupe --help.\n`);
  return 2;
}

main().then(
  (code) => {
    process.exitCode = code;
  },
  (thrown) => {
    stderr(`troupe: ${errorText(thrown)}\n`);
    process.exitCode = 1;
  },
);
