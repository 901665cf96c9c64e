import { agentsStep } from './agentsStep';
import { type DemoReply, label, say, type Scene } from './demoReply';
import type { DemoTalk, DemoTurn } from './demoTalk';
import { fixStep } from './fixStep';
import { planStep } from './planStep';
import { reviewStep } from './reviewStep';
import { releaseNote, skillsStep } from './skillsStep';
import { startStep } from './startStep';
import { undoStep } from './undoStep';

interface DemoStep {
  readonly words: RegExp;
  /** Plan mode would refuse what it does. */
  readonly changes: boolean;
  readonly play: (scene: Scene) => DemoReply;
}

/** In the order they are played when the person just goes on. */
export const demoSteps: readonly DemoStep[] = [
  { words: /\b(start over|restart|from the start|explain)\b/i, changes: false, play: startStep },
  { words: /\b(fix|mend|bugs?|tests?)\b/i, changes: true, play: fixStep },
  { words: /\b(sub-?)?agents?\b|\bparallel\b/i, changes: true, play: agentsStep },
  { words: /\b(review|merged?|discard(ed)?|worktrees?)\b/i, changes: true, play: reviewStep },
  { words: /\b(undo|redo)\b/i, changes: true, play: undoStep },
  { words: /\b(skills?|release-?note)\b/i, changes: true, play: skillsStep },
  { words: /\bplan\b/i, changes: false, play: planStep },
  { words: /\b(model|api key|key|real|set ?up|finish|end)\b/i, changes: false, play: modelStep },
];
const planAt = 6;
const skillsAt = 5;

/** Which step answers a turn. */
interface Choice {
  /** Undefined: only what there is to choose from is told. */
  readonly at: number | undefined;
  /** Words that steered nothing, so it is said that nobody understood them. */
  readonly isLost: boolean;
}

const goingOn = /^((start|begin|play)( the)? demo|go on|go|next|continue|ok(ay)?|yes|y|sure|hi|hello|hey|thanks?|thank you|more|done|great|nice|cool|please|demo|start|begin|merged|weiter|ja)\b[.!, ]*(please|then|thanks?|there|again)?[.!]*$/i;
const asksBack = /\?\s*$|^(help|menu|steps|no|nope|stop|quit|exit|cancel|wait|don['’]?t)\b/i;
const shortText = 60;

/** `at`: the step played before, -1 for none. */
function choose(turn: DemoTurn, at: number): Choice {
  const { said } = turn;
  if (turn.isNotice) return { at: undefined, isLost: false };
  if (releaseNote(said) !== undefined) return { at: skillsAt, isLost: false };
  if (said !== '' && said.length <= shortText && !/\n/.test(said)) {
    const named = demoSteps.findIndex((step) => step.words.test(said));
    if (named !== -1) return { at: named, isLost: false };
  }
  if (at >= 0 && (asksBack.test(said) || /\n/.test(said))) return { at: undefined, isLost: true };
  return at + 1 < demoSteps.length ? { at: at + 1, isLost: said !== '' && !goingOn.test(said) } : { at: undefined, isLost: !goingOn.test(said) };
}

/** What the person chose over the whole conversation, from their words alone. @returns the choice of the last turn, and the place to remember */
export function playedSteps(talk: DemoTalk): { readonly now: Choice; readonly place: number } {
  const earlier = [...talk.context.matchAll(/\bdemo-step-(\d+)\b/g)].at(-1)?.[1];
  let place = earlier === undefined ? -1 : Number(earlier);
  let now: Choice = { at: undefined, isLost: false };
  for (const turn of talk.turns) {
    now = choose(turn, place);
    place = now.at ?? place;
  }
  return { now, place };
}

export function playStep(scene: Scene): DemoReply {
  const { now } = playedSteps(scene.talk);
  const step = now.at === undefined ? undefined : demoSteps[now.at];
  if (!step) return offer(scene, now.isLost);
  const planning = scene.talk.planFile !== undefined || (scene.last('exit') !== undefined && now.at !== planAt);
  const reply = planning && step.changes ? planStep(scene) : step.play(scene);
  const isFirstReply = scene.turn.done.size === 0;
  const before = [isFirstReply && now.at !== 0 && isBeginning(scene.talk) ? introduction : '', isFirstReply && now.isLost && now.at !== 0 ? lost(scene.turn.said) : ''];
  return { ...reply, text: [...before, reply.text].filter((part) => part !== '').join('\n\n') };
}

const introduction = 'I am the **demo**: a fixed script, no model. What I do is real: each change and command waits for your yes.';

function isBeginning(talk: DemoTalk): boolean {
  return talk.turns.length === 1 && !talk.context.includes('<earlier-conversation>');
}

function lost(said: string): string {
  return `I am a script and can’t understand “${said.length > 60 ? `${said.slice(0, 59)}…` : said}”. I go on with the demo.`;
}

const menu = `- **fix**: a change and a command, both asked for
- **agents**: two side by side, one in a worktree
- **review**: merge or discard their work
- **undo**: take a whole turn back
- **skills**: \`/release-note\`
- **plan**: look first, change later
- **model**: set up a real one`;

function offer(scene: Scene, isLost: boolean): DemoReply {
  if (scene.turn.isNotice) return say('Something in the background ended; its line above says how.', label);
  const head = isLost ? 'I am a script: I can’t understand that, and I did nothing about it. What I can show, by one word:' : 'That was all of it. You can see any part again, by one word:';
  return say(head, menu, label);
}

function modelStep(): DemoReply {
  return say(
    'That was the demo. For the real thing press the model’s name below the message box, then **Set up…**: VS Code’s own models, an Anthropic key, or any compatible server, a local one too. It takes this conversation on from here.',
    'Without an editor: set `ANTHROPIC_API_KEY` or `ANTHROPIC_BASE_URL`. The demo steps back as soon as a model is set up.',
    '**Again?** Write **agents**, **undo**, **skills** or **plan**.',
    label,
  );
}
