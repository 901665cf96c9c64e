import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterEach, beforeEach, expect } from 'vitest';
import { startAnthropicServer } from '../../support/anthropicServer';
import { callTool, reply, say } from '../../support/script';
import { verifies } from '../../support/verifies';

const root = fileURLToPath(new URL('../../..', import.meta.url));
let dir = '';
const children: ChildProcess[] = [];
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'troupe-serve-'));
});
afterEach(async () => {
  for (const child of children.splice(0)) if (child.exitCode === null && child.kill('SIGTERM')) await once(child, 'exit');
  await rm(dir, { recursive: true, force: true });
});

async function serve(...args: string[]): Promise<{ url: string; child: ChildProcess }> {
  const child = spawn(process.execPath, [join(root, 'test/support/serveAnthropic.mjs'), ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  children.push(child);
  const [line] = (await once(createInterface({ input: child.stdout! }), 'line')) as [string];
  return { url: (JSON.parse(line) as { url: string }).url, child };
}
const post = (url: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> => fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
async function ask(url: string, key = 'k1'): Promise<string> {
  const answer = (await (await post(`${url}/v1/messages`, { model: 'claude-sonnet-5-5', max_tokens: 10, messages: [{ role: 'user', content: 'go' }] }, { 'x-api-key': key, 'anthropic-version': '2026-10-21' })).json()) as { content?: { text: string }[]; error?: { message: string } };
  return answer.content?.[0]?.text ?? answer.error?.message ?? '';
}

verifies('model:server:standalone', async () => {
  const file = join(dir, 'script.ts');
  await writeFile(file, `import { say } from '${join(root, 'test/support/script')}';\nconst first: string = 'from the file';\nexport const script = [say(first)];\n`);
  const { url, child } = await serve(file, '--key', 'k1', '--with-parent');
  expect(await ask(url)).toBe('from the file');
  expect(await ask(url)).toMatch(/script ran out/);
  expect(await ask(url, 'k2')).toBe('invalid x-api-key');
  await post(`${url}/_script`, { script: [say('sent'), reply(say('twice'))] });
  expect([await ask(url), await ask(url)]).toEqual(['sent', 'twice']);
  const seen = (await (await fetch(`${url}/_requests`)).json()) as { requests: { body: unknown }[]; unexpected: string[]; unused: number };
  expect(seen).toMatchObject({ unused: 0, unexpected: [expect.stringMatching(/script ran out/)] });
  expect(seen.requests).toHaveLength(5);
  expect((await post(`${url}/_script`, {})).status).toBe(400);
  child.stdin!.end();
  expect(await once(child, 'exit')).toEqual([0, null]);
}, { timeoutMs: 30_000 });

verifies('model:server:bare-loop', async () => {
  const outfile = join(dir, 'bareLoop.mjs');
  await build({ entryPoints: [join(root, 'test/bench/bareLoop.mjs')], outfile, bundle: true, platform: 'node', format: 'esm', target: 'node20', logLevel: 'silent' });
  const file = join(dir, 'a.txt');
  const server = await startAnthropicServer({
    script: [
      reply(say('Writing. '), callTool('Write', { file_path: file, content: 'one' })),
      reply(callTool('Edit', { file_path: file, old_string: 'one', new_string: 'two' })),
      reply(callTool('Bash', { command: `cat ${file}` }), callTool('Read', { file_path: join(dir, 'none') })),
      say('Done.'),
    ],
  });
  const { stdout } = await promisify(execFile)(process.execPath, [outfile, 'do it'], { env: { ...process.env, ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'test-key' } });
  expect(stdout).toBe('Writing. Done.\n');
  expect(await readFile(file, 'utf8')).toBe('two');
  const last = server.messageRequests().at(-1)?.body as { messages: { content: unknown }[] };
  expect(last.messages.at(-1)?.content).toMatchObject([{ content: 'two' }, { is_error: true, content: expect.stringMatching(/ENOENT/) }]);
  await server.close();
}, { timeoutMs: 30_000 });
