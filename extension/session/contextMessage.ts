/** One memory file as it goes to the model. */
export interface MemoryPart {
  readonly path: string;
  readonly why: string;
  readonly text: string;
}

export interface OpeningContext {
  readonly memory: readonly MemoryPart[];
  /** Listings the model chooses from (skills, agents), each already within its budget; empty ones are left out. */
  readonly listings: readonly string[];
  /** ISO date of the session's start. */
  readonly date: string;
  readonly cwd: string;
  readonly addedDirs: readonly string[];
  readonly platform: string;
  readonly git: GitState | undefined;
}

export interface GitState {
  readonly branch: string;
  /** `git status --short`, cut to what fits. */
  readonly status: string;
  readonly recent: string;
}

/**
 * The first user message, in two blocks: what agents of a kind share (memory files, listings, date), then what is
 * this agent's own (folder, git state). Spec 17 "stable prompts" fixes the order.
 */
export function openingContext(context: OpeningContext): readonly [shared: string, own: string] {
  const memory = context.memory.map((part) => `<memory-file path="${part.path}" why="${part.why}">\n${part.text.trim()}\n</memory-file>`);
  const shared = [
    '<context>',
    memory.length > 0 ? `Memory files, general first. They hold the person’s and the project’s standing instructions; where two disagree the later one wins.\n\n${memory.join('\n\n')}` : 'There are no memory files.',
    ...context.listings.filter((listing) => listing !== ''),
    `Today is ${context.date}.`,
    '</context>',
  ].join('\n\n');
  return [shared, ownContext(context)];
}

function ownContext({ cwd, addedDirs, platform, git }: OpeningContext): string {
  const lines = ['<environment>', `Working folder: ${cwd}`];
  if (addedDirs.length > 0) lines.push(`Added folders: ${addedDirs.join(', ')}`);
  lines.push(`Platform: ${platform}`);
  if (!git) lines.push('Git: this folder is in no git repository.');
  else lines.push(`Git branch: ${git.branch}`, `Git status when the session began:\n${git.status === '' ? '(clean)' : git.status}`, `Last commits:\n${git.recent === '' ? '(none yet)' : git.recent}`);
  lines.push('</environment>');
  return lines.join('\n');
}

const maxStatusLines = 60;

/** Reads the output of `git status --porcelain=v1 --branch` and `git log --oneline`. */
export function readGitState(status: string, log: string): GitState {
  const lines = status.split('\n').filter((line) => line !== '');
  const head = lines[0]?.startsWith('## ') ? lines[0].slice(3) : 'unknown';
  const files = lines.filter((line) => !line.startsWith('## '));
  const shown = files.slice(0, maxStatusLines);
  if (files.length > shown.length) shown.push(`… and ${files.length - shown.length} more`);
  return { branch: head.replace(/^No commits yet on /, '').replace(/\.\.\..*$/, ''), status: shown.join('\n'), recent: log.trim() };
}

export function planModeReminder(planFile: string): string {
  return `<reminder>
Plan mode is on. Look and think, but change nothing: every call that is not read-only is refused, except Write and Edit on the plan file ${planFile}.
Work out what to do, write the plan into that file (steps in order, the files each step touches, how it will be checked, open questions), then call ExitPlanMode. The person approves it, edits it or sends it back. Ask with AskUserQuestion where a decision is theirs.
</reminder>`;
}

export function planModeEnded(): string {
  return '<reminder>\nPlan mode is off. You may change files and run commands again, within the permissions.\n</reminder>';
}
