// What the walk happens on: a repository, a strict model server, a real VS Code and a browser.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { loadAnthropicServer } from '../../support/serveAnthropic.mjs';
import { extensionHosts, focusView, installTestbed, killExtensionHost, launchChromium, openWorkbench, reload, runCommand, runCommandId, screenshot, startServer, waitFor, workbenchRestored } from '../workbench.mjs';
import { Sidebar } from './sidebar.mjs';

const files = {
  'README.md': '# Harbour\n\nBerths and tides.\n',
  'src/tide.js': 'export function tide(hour) {\n  return hour % 12 < 6 ? "rising" : "falling";\n}\n',
  'src/berth.js': 'export const berths = 12;\n',
  '.claude/skills/greet/SKILL.md': '---\ndescription: Greets a sailor by name. Use when somebody arrives.\nargument-hint: "[name]"\n---\nGreet $ARGUMENTS in one short line.\n',
  '.claude/skills/broken/SKILL.md': '---\ndescription: [never closed\n---\nStill a body.\n',
  'CLAUDE.md': 'Write in plain English.\n',
};
export const key = 'walk-key-0123456789';

export async function openStage(root) {
  const temp = mkdtempSync(path.join(os.tmpdir(), 'troupe-walk-'));
  const repo = path.join(temp, 'harbour');
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(repo, name)), { recursive: true });
    writeFileSync(path.join(repo, name), text);
  }
  const git = (...args) => execFileSync('git', ['-c', 'user.name=Walk', '-c', 'user.email=walk@example.org', ...args], { cwd: repo, encoding: 'utf8' });
  git('init', '-q', '-b', 'main');
  git('add', '-A');
  git('commit', '-qm', 'first');
  const config = path.join(temp, 'config');
  const script = await loadAnthropicServer();
  const model = await script.startAnthropicServer({ keys: [key] });
  const stage = { temp, repo, config, root, git, model, script, server: undefined, browser: undefined, page: undefined, sidebar: undefined, close: undefined };
  stage.close = () => closeStage(stage);
  try {
    const testbed = await installTestbed();
    stage.server = await startServer({ testbed, dir: path.join(temp, 'server'), env: { CLAUDE_CONFIG_DIR: config, ANTHROPIC_API_KEY: '', ANTHROPIC_BASE_URL: '', TROUPE_WALK: path.basename(temp) } });
    stage.browser = await launchChromium(testbed);
    stage.page = await openWorkbench({ browser: stage.browser, server: stage.server, folder: repo, extensionPath: root, commandIds: ['troupe.newSession', 'troupe.openInEditor'], keybindings: [{ key: 'ctrl+alt+g', command: 'troupe.runSkill', args: { skill: 'greet', args: 'Keys' } }] });
    stage.sidebar = new Sidebar(stage.page);
    await focusView(stage.page, 'troupe.chat');
    await stage.sidebar.frame();
    return stage;
  } catch (error) {
    await stage.close();
    throw error;
  }
}

async function closeStage(stage) {
  await stage.browser?.close();
  await stage.server?.stop();
  await stage.model.close().catch((error) => {
    stage.modelProblem = error;
  });
  rmSync(stage.temp, { recursive: true, force: true });
  if (stage.modelProblem) throw stage.modelProblem;
}

export const read = (stage, name) => readFileSync(path.join(stage.repo, name), 'utf8');
export const exists = (stage, name) => existsSync(path.join(stage.repo, name));

/** How often a text stands in the session logs of the window. */
export function recorded(stage, text) {
  const folder = path.join(stage.config, 'troupe', 'sessions');
  const logs = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('events.jsonl'));
  return logs.reduce((sum, name) => sum + readFileSync(path.join(folder, name), 'utf8').split(text).length - 1, 0);
}

/** Where the running session keeps its plan. The walk has one session until then. */
export function planFile(stage) {
  const folder = path.join(stage.config, 'troupe', 'sessions');
  const [project] = readdirSync(folder);
  const [session] = readdirSync(path.join(folder, project));
  return path.join(stage.config, 'plans', `plan-${session.slice(0, 8)}.md`);
}

/** Requests of a model's conversation so far. */
export const requests = (stage) => stage.model.messageRequests();

/** Text of what the last request added. */
export function lastText(stage) {
  const last = requests(stage).at(-1)?.body.messages.at(-1);
  return typeof last?.content === 'string' ? last.content : (last?.content ?? []).map((block) => block.text ?? (typeof block.content === 'string' ? block.content : JSON.stringify(block.content ?? ''))).join('\n');
}

/** By the button: a command's keys are pressed again while a busy machine has not answered yet, and each press is a session more. */
export async function newSession(stage) {
  const { sidebar } = stage;
  await sidebar.tab('Agents');
  await sidebar.click('New session');
  await sidebar.sees('What should the troupe do?', 60_000);
}

export { extensionHosts, focusView, killExtensionHost, reload, runCommand, runCommandId, screenshot, waitFor, workbenchRestored };
