/** What a file of the person's is, by its place. */
export type AuthoredKind = 'skill' | 'command' | 'agent';

/** @param path any spelling of separators @returns undefined: not one of them */
export function kindOfFile(path: string): AuthoredKind | undefined {
  const plain = path.replaceAll('\\', '/');
  if (/\/skills\/[^/]+\/SKILL\.md$/i.test(plain)) return 'skill';
  if (/\/\.claude\/commands\/.+\.md$/.test(plain)) return 'command';
  return /\/\.claude\/agents\/.+\.md$/.test(plain) ? 'agent' : undefined;
}

export interface AuthoredKey {
  readonly name: string;
  /** What it does, in a sentence. */
  readonly about: string;
  /** The words it takes, where there are only some. */
  readonly values?: readonly string[];
  /** Written after the key when it is completed. */
  readonly sample?: string;
}

const efforts = ['low', 'medium', 'high', 'xhigh', 'max'];
const models = ['inherit', 'sonnet', 'opus', 'haiku', 'fable'];
const flags = ['true', 'false'];
const name: AuthoredKey = { name: 'name', about: 'The name it is called by: small letters, digits and single hyphens.' };
const hooks: AuthoredKey = { name: 'hooks', about: 'Hooks that run while it is in use, written as in a settings file.' };
const model: AuthoredKey = { name: 'model', about: 'The model it runs with: an alias, a full model id, or inherit.', values: models };
const effort: AuthoredKey = { name: 'effort', about: 'How much the model thinks: a word, or a number of tokens.', values: efforts };

const skillKeys: readonly AuthoredKey[] = [
  { ...name, about: `${name.about} In a project it is only a label; the folder's name counts.` },
  { name: 'description', about: 'What it does and when to use it. The model chooses by it, so say both, in a sentence or two.' },
  { name: 'when_to_use', about: 'More about when to use it, added to the description in the listing.' },
  { name: 'argument-hint', about: 'Shown after the name in the / menu, in quotes.', sample: '"[what]"' },
  { name: 'arguments', about: 'Names for the words of the call, used in the text as $name.' },
  { name: 'allowed-tools', about: 'Permission rules that hold while it runs, like Bash(git diff *) or Read.' },
  { name: 'disallowed-tools', about: 'Tools that may not be used until your next message.' },
  model,
  effort,
  { name: 'context', about: 'fork runs it as an agent of its own; inline, the usual way, puts its text into the conversation.', values: ['fork', 'inline'] },
  { name: 'agent', about: 'With context: fork, the agent that carries it out.' },
  { name: 'background', about: 'With context: fork, false waits for the result.', values: flags },
  { name: 'paths', about: 'Globs: the model is told of the skill once a file that fits was touched.', sample: '\n  - "src/**"' },
  { name: 'user-invocable', about: 'false takes it out of the / menu.', values: flags },
  { name: 'disable-model-invocation', about: 'true lets only people start it.', values: flags },
  { name: 'shell', about: 'The shell of its ! commands.', values: ['bash', 'powershell'] },
  hooks,
  { name: 'version', about: 'Kept for people; nothing depends on it.' },
  { name: 'license', about: 'Kept for people; nothing depends on it.' },
  { name: 'metadata', about: 'Kept for other tools; nothing depends on it.' },
];

const agentKeys: readonly AuthoredKey[] = [
  name,
  { name: 'description', about: 'When to hand work to this agent. The model that starts agents chooses by it.' },
  { name: 'tools', about: 'The only tools it has; leave it out for all. Agent(name) lets it start that agent.' },
  { name: 'disallowedTools', about: 'Tools and rules taken away from what it would have.' },
  model,
  effort,
  { name: 'permissionMode', about: 'A stricter permission mode than that of whoever starts it.', values: ['plan', 'dontAsk', 'default', 'auto', 'acceptEdits', 'bypassPermissions', 'bubble'] },
  { name: 'maxTurns', about: 'How many replies it may give before it has to report.' },
  { name: 'skills', about: 'Skills whose text it begins with.' },
  { name: 'mcpServers', about: 'MCP servers of its own, by name or with a config.' },
  { name: 'memory', about: 'A memory of its own that it reads and writes across sessions.', values: ['user', 'project', 'local'] },
  { name: 'background', about: 'true: whoever starts it does not wait.', values: flags },
  { name: 'isolation', about: 'worktree: it works in a git worktree of its own, and its changes are reviewed.', values: ['worktree'] },
  { name: 'color', about: 'Its colour in the tree.', values: ['red', 'blue', 'green', 'yellow', 'purple', 'orange', 'pink', 'cyan'] },
  { name: 'initialPrompt', about: 'Sent first when it is the main agent.' },
  hooks,
];

const keysOf: Readonly<Record<AuthoredKind, readonly AuthoredKey[]>> = { skill: skillKeys, command: skillKeys, agent: agentKeys };

/** The documented keys of a kind of file, in the order people write them. */
export function authoredKeys(kind: AuthoredKind): readonly AuthoredKey[] {
  return keysOf[kind];
}

/** Spellings the loaders read as well, by the documented one. */
export const otherSpellings: Readonly<Record<AuthoredKind, Readonly<Record<string, string>>>> = {
  skill: { 'when-to-use': 'when_to_use', argument_hint: 'argument-hint', argumentHint: 'argument-hint', allowed_tools: 'allowed-tools', allowedTools: 'allowed-tools', tools: 'allowed-tools', disallowed_tools: 'disallowed-tools', disallowedTools: 'disallowed-tools' },
  command: { 'when-to-use': 'when_to_use', argument_hint: 'argument-hint', argumentHint: 'argument-hint', allowed_tools: 'allowed-tools', allowedTools: 'allowed-tools', tools: 'allowed-tools', disallowed_tools: 'disallowed-tools', disallowedTools: 'disallowed-tools' },
  agent: { 'allowed-tools': 'tools', allowed_tools: 'tools', allowedTools: 'tools', 'disallowed-tools': 'disallowedTools', disallowed_tools: 'disallowedTools' },
};
