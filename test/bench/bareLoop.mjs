/**
 * The least an agent loop can be, to compare ours with: streams with the same SDK, runs Read, Write, Edit and Bash with
 * plain Node, sends the results back until the turn ends, prints the text. No permissions, no log, no context.
 *   ANTHROPIC_BASE_URL=… ANTHROPIC_API_KEY=… node bareLoop.mjs "prompt"…    (ANTHROPIC_MODEL names the model; several prompts run side by side)
 * Bundled by the bench with esbuild, as our own entry is.
 */
import { exec } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import Anthropic from '@anthropic-ai/sdk';

const run = promisify(exec);
const text = { type: 'string' };
const tool = (name, properties) => ({ name, description: name, input_schema: { type: 'object', properties, required: Object.keys(properties) } });
const tools = [
  tool('Read', { file_path: text }),
  tool('Write', { file_path: text, content: text }),
  tool('Edit', { file_path: text, old_string: text, new_string: text }),
  tool('Bash', { command: text }),
];

const actions = {
  Read: ({ file_path }) => readFile(file_path, 'utf8'),
  Write: async ({ file_path, content }) => {
    await writeFile(file_path, content);
    return 'written';
  },
  Edit: async ({ file_path, old_string, new_string }) => {
    const before = await readFile(file_path, 'utf8');
    if (!before.includes(old_string)) throw new Error('old_string not found');
    await writeFile(file_path, before.replace(old_string, () => new_string));
    return 'edited';
  },
  Bash: async ({ command }) => {
    const { stdout, stderr } = await run(command, { maxBuffer: 64 * 1024 * 1024 });
    return stdout + stderr;
  },
};

async function resultOf(call) {
  const result = { type: 'tool_result', tool_use_id: call.id };
  try {
    const action = actions[call.name];
    if (!action) throw new Error(`no tool ${call.name}`);
    return { ...result, content: await action(call.input) };
  } catch (error) {
    return { ...result, content: String(error), is_error: true };
  }
}

async function main(prompt) {
  const client = new Anthropic({ baseURL: process.env.ANTHROPIC_BASE_URL, apiKey: process.env.ANTHROPIC_API_KEY });
  const model = process.env.ANTHROPIC_MODEL ?? 'claude-sonnet-5-5';
  const messages = [{ role: 'user', content: prompt }];
  for (;;) {
    const stream = client.messages.stream({ model, max_tokens: 32_000, system: 'You are a coding agent.', tools, messages });
    stream.on('text', (delta) => process.stdout.write(delta));
    const message = await stream.finalMessage();
    messages.push({ role: 'assistant', content: message.content });
    const calls = message.content.filter((block) => block.type === 'tool_use');
    if (message.stop_reason !== 'tool_use') break;
    messages.push({ role: 'user', content: await Promise.all(calls.map(resultOf)) });
  }
  process.stdout.write('\n');
}

Promise.all(process.argv.slice(2).map(main)).catch((error) => {
  console.error(String(error));
  process.exitCode = 1;
});
