/** Names of keys that buy model calls, and what redirects them. A child never needs them: agents reach the model through the engine. */
const modelKeys = new Set([
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_AUTH_TOKEN',
  'ANTHROPIC_CUSTOM_HEADERS',
  'ANTHROPIC_BEDROCK_MANTLE_API_KEY',
  'CLAUDE_CODE_OAUTH_TOKEN',
  'AWS_BEARER_TOKEN_BEDROCK',
  'OPENAI_API_KEY',
  'AZURE_OPENAI_API_KEY',
  'OPENROUTER_API_KEY',
  'GEMINI_API_KEY',
  'GOOGLE_API_KEY',
  'MISTRAL_API_KEY',
  'GROQ_API_KEY',
  'DEEPSEEK_API_KEY',
  'XAI_API_KEY',
  'TOGETHER_API_KEY',
  'FIREWORKS_API_KEY',
  'COHERE_API_KEY',
]);
/** What an editor or Electron sets for its own processes and what breaks a plain `node` started below it. */
const hostOnly = /^(ELECTRON_RUN_AS_NODE|NODE_CHANNEL_FD|VSCODE_(?!GIT_|IPC_HOOK_CLI$).*|TROUPE_KEY.*)$/;

/** The environment of a child process: ours without model keys and without what only the editor's own processes need. */
export function childEnv(env: Readonly<Record<string, string | undefined>>, more: Readonly<Record<string, string>> = {}): Record<string, string> {
  const result: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || modelKeys.has(name.toUpperCase()) || hostOnly.test(name)) continue;
    result[name] = value;
  }
  return { ...result, ...more };
}
