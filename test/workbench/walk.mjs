// npm run walk: what issue-level promises say a person can do, done by clicking and typing in a real VS Code against the
// strict model server. Prints one numbered PASS or FAIL a step; screenshots go to test/golden/screens/.
//   node test/workbench/walk.mjs [--results FILE] [--only N[,N]] [--bail]
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openStage, screenshot } from './walk/stage.mjs';
import { agentsAtWork, asksFromDepth, reloadInMidWork } from './walk/agents.mjs';
import { askForAChange, stopQueueSteer } from './walk/change.mjs';
import { playTheDemo } from './walk/demo.mjs';
import { askAboutASelection, openInEditor } from './walk/editor.mjs';
import { runHeadless } from './walk/headless.mjs';
import { packagedWithEditorModel } from './walk/packaged.mjs';
import { answerPermissions, planFirst } from './walk/permissions.mjs';
import { killInMidCall, reloadWithAnAsk, resumeAnOldSession } from './walk/reloading.mjs';
import { reviewAndMerge, undoATurn } from './walk/review.mjs';
import { setUpModel } from './walk/setUp.mjs';
import { runSkills } from './walk/skills.mjs';
import { revokeAGrant, trustAFolder } from './walk/trust.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const screens = path.join(root, 'test/golden/screens');
const { values } = parseArgs({ options: { results: { type: 'string' }, only: { type: 'string' }, bail: { type: 'boolean' } } });

const steps = [
  ['point 1: a model is set up in the sidebar; the key lies in no file', setUpModel],
  ['point 2: a change is asked for, streamed, permitted and on disk', askForAChange],
  ['point 2: stop, resume, queue and steer', stopQueueSteer],
  ['point 3: permissions: the whole command, the exact rule, deny with words, accept edits', answerPermissions],
  ['point 3: plan mode: shown, sent back, edited, approved', planFirst],
  ['point 4: a skill by /name, palette, keybinding and model', runSkills],
  ['point 2: an editor tab beside the sidebar: two views in step', openInEditor],
  ['point 2: Ask Troupe about a selection', askAboutASelection],
  ['point 5: reload with an ask waiting: chat and ask are back and it goes on', reloadWithAnAsk],
  ['point 5: the extension host dies in mid-call: no process stays, the turn can go on', killInMidCall],
  ['point 5: earlier sessions are listed and resumed', resumeAnOldSession],
  ['point 6: the same without an editor', runHeadless],
  ['point 1: the packed extension installs and works with a model of VS Code’s own', packagedWithEditorModel],
  ['part 2, point 5: the demo without any model: each of its parts, with real tools', playTheDemo],
  ['part 2, point 1: two agents at once, one in a worktree, one with an agent of its own: the tree, a conversation, one stopped', agentsAtWork],
  ['part 2, point 2: asks from any depth in one dock; a grant for one agent alone; back after a reload', asksFromDepth],
  ['part 2, point 3: multi-file diff, merge beside uncommitted work, conflict named, discard and restore', reviewAndMerge],
  ['part 2, point 4: a turn is undone, later hand edits stay, redo', undoATurn],
  ['part 2, point 6: a reload in mid-work: tree, ask and worktree are back, nothing runs twice', reloadInMidWork],
  ['a folder nobody trusts runs nothing and says so; trusting turns it on without a reload', trustAFolder],
  ['a grant is taken back on the page of permissions: the next call asks', revokeAGrant],
];

mkdirSync(screens, { recursive: true });
let passed = 0;
let failed = 0;
const stage = await openStage(root);
try {
  for (const [index, [title, run]] of steps.entries()) {
    const number = index + 1;
    if (values.only && number !== 1 && !values.only.split(',').includes(String(number))) continue;
    const name = (part) => path.join(screens, `${String(number).padStart(2, '0')}-${part}.png`);
    let shots = 0;
    stage.shotFile = (part) => {
      shots++;
      return name(part);
    };
    stage.shot = (part) => screenshot(stage.page, stage.shotFile(part));
    const startedAtMs = Date.now();
    try {
      await run(stage);
      if (shots === 0) await stage.shot('done');
      passed++;
      console.log(`${number}. PASS ${title} (${((Date.now() - startedAtMs) / 1000).toFixed(0)} s)`);
    } catch (error) {
      failed++;
      console.log(`${number}. FAIL ${title}: ${error.stack ?? error}`);
      await screenshot(stage.page, path.join(root, 'test/.out', `walk-${number}-failed.png`)).catch((e) => console.log(`no screenshot: ${e.message}`));
      if (number === 1 || values.bail) break;
    }
  }
} finally {
  await stage.close().catch((error) => {
    failed++;
    console.log(`FAIL the model server refused or missed something: ${error.message}`);
  });
}
if (values.results) writeFileSync(values.results, JSON.stringify({ passed, failed }));
console.log(`walk: ${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
