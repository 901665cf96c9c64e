import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import path from 'node:path';
import { exists, key } from './stage.mjs';

function troupe(stage, args, input) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [path.join(stage.root, 'dist/headless.js'), ...args], {
      cwd: stage.repo,
      env: { ...process.env, CLAUDE_CONFIG_DIR: path.join(stage.temp, 'headless-config'), ANTHROPIC_BASE_URL: stage.model.url, ANTHROPIC_API_KEY: key, ANTHROPIC_MODEL: 'test-model' },
    });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk) => (stdout += chunk));
    child.stderr.on('data', (chunk) => (stderr += chunk));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr }));
    child.stdin.end(input ?? '');
  });
}

const lines = (text) => text.trim().split('\n').map((line) => JSON.parse(line));

/** 6. The same without an editor. */
export async function runHeadless(stage) {
  const { model, script } = stage;
  const { reply, say, callTool } = script;
  model.script(say('Hello from the harbour.'));
  const plain = await troupe(stage, ['-p', 'hi', '--output-format', 'json']);
  assert.equal(plain.code, 0, plain.stderr);
  const [result, ...more] = lines(plain.stdout);
  assert.deepEqual([result.type, result.subtype, result.result, more.length], ['result', 'success', 'Hello from the harbour.', 0]);

  model.script(reply(callTool('Bash', { command: 'touch from-headless.txt' }), callTool('Bash', { command: 'npm publish' })), say('Done.'));
  const streamed = await troupe(stage, ['-p', 'touch it', '--output-format', 'stream-json', '--allowedTools', 'Bash(touch *)']);
  assert.equal(streamed.code, 0, streamed.stderr);
  assert.deepEqual(lines(streamed.stdout).map((line) => line.type), ['system', 'assistant', 'user', 'user', 'assistant', 'result']);
  assert.equal(lines(streamed.stdout).at(-1).permission_denials.length, 1);
  assert.ok(exists(stage, 'from-headless.txt'));

  const skills = JSON.parse((await troupe(stage, ['inspect', 'skills', '--json'])).stdout);
  assert.ok(skills.loaded.some((skill) => skill.name === 'greet') && skills.loaded.some((skill) => skill.name === 'broken'), 'a broken skill is named, the rest loads');
  assert.ok(skills.problems.some((problem) => problem.path.includes('broken')));
  assert.match(JSON.parse((await troupe(stage, ['skill', 'render', 'greet', 'Ada', '--json'])).stdout).text, /Greet Ada/);
  const explained = JSON.parse((await troupe(stage, ['permission', 'explain', '--tool', 'Bash', '--input', '{"command":"git push"}', '--json'])).stdout);
  assert.equal(explained.decision, 'ask');

  const id = 1;
  const hello = JSON.stringify({ kind: 'request', id: String(id), method: 'hello', params: { protocolVersion: 1 } });
  const stdio = await troupe(stage, ['--stdio'], `${hello}\n`);
  assert.equal(stdio.code, 0, stdio.stderr);
  assert.ok(lines(stdio.stdout).some((line) => line.kind === 'reply' && line.result?.protocolVersion === 1));
}
