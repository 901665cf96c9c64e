import { plainWord, type SimpleCommand, type Word } from './commandTypes';

/** Environment variables that can't change which code runs: a prefix of these does not stand in the way of an allow. */
const safeVariables = new Set(
  'NODE_ENV CI DEBUG FORCE_COLOR NO_COLOR COLORTERM CLICOLOR CLICOLOR_FORCE TERM COLUMNS LINES LANG LANGUAGE TZ RUST_LOG RUST_BACKTRACE GOOS GOARCH GO111MODULE CGO_ENABLED PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE LOG_LEVEL VERBOSE RAILS_ENV RACK_ENV MIX_ENV APP_ENV PORT HUSKY'.split(
    ' ',
  ),
);
const shellState = new Set('path cdpath fpath manpath module_path mailpath prompt ps1 http_proxy https_proxy ftp_proxy all_proxy no_proxy'.split(' '));

export function isSafeVariable(name: string): boolean {
  return safeVariables.has(name) || /^LC_[A-Z]+$/.test(name);
}

/** A variable of the script's own: nothing else reads it, as long as nobody exported it. */
export function isPrivateVariable(name: string): boolean {
  return isSafeVariable(name) || (/^_?[a-z][a-z0-9_]*$/.test(name) && !shellState.has(name));
}

/** What the command runs in the end, as far as an allow rule may look: harmless wrappers come off one by one. */
export function allowForms(part: SimpleCommand): readonly (readonly Word[])[] {
  const unsafe = part.assignments.some((a) => !isSafeVariable(a.name));
  const prefix = part.assignments.map((a) => plainWord(`${a.name}=${a.value}`));
  if (unsafe || part.words.length === 0) return [[...prefix, ...part.words]];
  const forms: (readonly Word[])[] = prefix.length > 0 ? [[...prefix, ...part.words]] : [];
  for (let words: readonly Word[] | undefined = part.words; words && forms.length < 12; words = unwrap(words)) forms.push(words);
  return forms;
}

function unwrap(words: readonly Word[]): readonly Word[] | undefined {
  const [name, ...args] = words;
  if (!name || name.dynamic) return undefined;
  switch (name.text) {
    case 'timeout':
      return afterOptions(args, { flags: /^(-v|--verbose|--foreground|--preserve-status|--(kill-after|signal)=.+|-[ks].+)$/, valued: /^(-k|-s|--kill-after|--signal)$/, operands: 1 });
    case 'time':
      return afterOptions(args, { flags: /^-p$/, operands: 0 });
    case 'nice':
      return afterOptions(args, { flags: /^(-\d+|-n-?\d+|--adjustment=-?\d+)$/, valued: /^(-n|--adjustment)$/, operands: 0 });
    case 'stdbuf':
      return afterOptions(args, { flags: /^(-[ioe][L\d].*|--(input|output|error)=.+)$/, valued: /^-[ioe]$/, operands: 0 });
    case 'nohup':
    case 'builtin':
    case 'noglob':
      return afterOptions(args, { flags: /^$/, operands: 0 });
    case 'command':
      return afterOptions(args, { flags: /^-p$/, operands: 0 });
    case 'xargs': {
      // What comes from its input is more words, so only a rule that takes any further words can match.
      const inner = afterOptions(args, { flags: /^$/, operands: 0 });
      return inner && [...inner, { text: '<input>', source: '<input>', dynamic: true, glob: false, tilde: false }];
    }
    default:
      return undefined;
  }
}

interface WrapperShape {
  readonly flags: RegExp;
  readonly valued?: RegExp;
  /** Words before the command, such as a duration. */
  readonly operands: number;
}

function afterOptions(args: readonly Word[], shape: WrapperShape): readonly Word[] | undefined {
  let i = 0;
  for (; i < args.length; i++) {
    const word = args[i];
    if (!word || word.dynamic) return undefined;
    if (word.text === '--') {
      i++;
      break;
    }
    if (!word.text.startsWith('-')) break;
    if (shape.valued?.test(word.text)) i++;
    else if (!shape.flags.test(word.text)) return undefined;
  }
  for (let left = shape.operands; left > 0; left--, i++) if (args[i]?.dynamic !== false) return undefined;
  const rest = args.slice(i);
  return rest.length > 0 ? rest : undefined;
}

const runners = new Set(
  'timeout time nice nohup stdbuf command builtin noglob nocorrect xargs env sudo doas watch setsid ionice flock chroot unshare strace ltrace busybox toybox exec parallel chrt taskset unbuffer script setarch pkexec su runuser caffeinate coproc'.split(' '),
);
const shells = /^(ba|z|k|da|a|fi)?sh$/;

/** Everything a deny or ask has to look at: the command, and all that its wrappers may run. */
export interface InnerCommands {
  readonly forms: readonly (readonly Word[])[];
  /** Text a shell would run: `bash -c '…'`, `eval …`. */
  readonly scripts: readonly string[];
}

/** @param input what the command reads: a shell runs it */
export function innerCommands(words: readonly Word[], input?: string): InnerCommands {
  const forms: (readonly Word[])[] = [];
  const scripts: string[] = [];
  const queue: (readonly Word[])[] = [words];
  while (queue.length > 0 && forms.length < 40) {
    const current = queue.shift() ?? [];
    if (!current[0]) continue;
    forms.push(current);
    queue.push(...directInner(current));
    scripts.push(...scriptsOf(current));
    if (input !== undefined && readsScript(current)) scripts.push(input);
  }
  return { forms, scripts };
}

export function commandName(words: readonly Word[]): string {
  const text = words[0]?.text ?? '';
  return text.slice(text.lastIndexOf('/') + 1);
}

function directInner(words: readonly Word[]): readonly (readonly Word[])[] {
  const name = commandName(words);
  if (name === 'find') return findActions(words);
  if (subcommands.has(name)) return withoutGlobalOptions(words);
  if (!runners.has(name)) return [];
  const out: (readonly Word[])[] = [];
  const operands = name === 'timeout' || name === 'flock' || name === 'chroot' || name === 'chrt' || name === 'taskset' ? 1 : 0;
  for (let i = 1, seen = 0; i < words.length && i < 30; i++) {
    const text = words[i]?.text ?? '';
    if (text.startsWith('-') || /^\w+=/.test(text)) continue;
    // An option before it may have taken this word as its value: then the next one is the command.
    const maybeValue = words[i - 1]?.text.startsWith('-') === true;
    if (seen >= operands) out.push(words.slice(i));
    seen++;
    if (!maybeValue && seen > operands) break;
  }
  return out;
}

/** Programs that take options before the word that says what they do: `git -C . push` is a `git push`. */
const subcommands = new Set('git npm pnpm yarn bun docker podman kubectl helm gh cargo go aws gcloud az terraform systemctl'.split(' '));

function withoutGlobalOptions(words: readonly Word[]): readonly (readonly Word[])[] {
  const [name] = words;
  if (!name || !words[1]?.text.startsWith('-')) return [];
  let at = 1;
  while (at < words.length && words[at]?.text.startsWith('-')) at++;
  // Each option may have taken the next word as its value, so every later word may be the one.
  const starts: number[] = [at];
  for (let i = at; i < words.length && starts.length < 8; i++) if (words[i - 1]?.text.startsWith('-') || words[i]?.text.startsWith('-')) starts.push(i + 1);
  return starts.filter((i) => i < words.length && !words[i]?.text.startsWith('-')).map((i) => [name, ...words.slice(i)]);
}

function findActions(words: readonly Word[]): readonly (readonly Word[])[] {
  return words.flatMap((word, i) => {
    if (!/^-(exec|execdir|ok|okdir)$/.test(word.text)) return [];
    const rest = words.slice(i + 1);
    const end = rest.findIndex((w) => w.text === ';' || w.text === '+');
    return [end === -1 ? rest : rest.slice(0, end)];
  });
}

function scriptsOf(words: readonly Word[]): readonly string[] {
  const name = commandName(words);
  const args = words.slice(1);
  if (name === 'trap') return args.filter((w) => !w.text.startsWith('-')).slice(0, 1).map((w) => w.text);
  if (name === 'eval') return [args.map((w) => w.text).join(' ')];
  if (name === 'watch') return args.filter((w) => /\s/.test(w.text)).map((w) => w.text);
  if (!shells.test(name) && name !== 'su' && name !== 'script' && name !== 'flock' && name !== 'runuser') return [];
  const at = args.findIndex((w) => /^-[a-zA-Z]*c$/.test(w.text) || w.text === '--command');
  const script = args.slice(at + 1).find((w) => !/^[-+]/.test(w.text));
  return at === -1 || !script ? [] : [script.text];
}

/** `bash`, `sh -s x`: a shell without a script of its own. */
function readsScript(words: readonly Word[]): boolean {
  const args = words.slice(1).map((w) => w.text);
  return shells.test(commandName(words)) && (args.some((text) => /^-[a-zA-Z]*s$/.test(text)) || args.every((text) => /^[-+]/.test(text)));
}

/** Wrappers whose every use is different: a rule with `*` can't approve them, only one that spells out the call. */
export function needsExactRule(words: readonly Word[]): boolean {
  const name = commandName(words);
  if (/^(watch|setsid|ionice|flock)$/.test(name)) return true;
  return name === 'find' && words.some((w) => /^-(exec|execdir|ok|okdir|delete|fls|fprint|fprint0|fprintf)$/.test(w.text));
}
