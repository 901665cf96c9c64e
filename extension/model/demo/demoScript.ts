import type { ModelRequest } from '../../ports';
import { demoAgent } from './demoAgent';
import { type DemoReply, next, say, sceneOf } from './demoReply';
import { playedSteps, playStep } from './demoSteps';
import { type DemoTalk, readTalk } from './demoTalk';

export interface ScriptedReply extends DemoReply {
  readonly talk: DemoTalk;
  readonly isAgent: boolean;
}

/** No part makes more; a surprise must never become a loop. */
const mostCalls = 40;

/** The whole demo: the reply to a request, from that request alone. */
export function demoScript(request: ModelRequest): ScriptedReply {
  const talk = readTalk(request);
  const isAgent = talk.brief !== undefined;
  return { ...allowed(answer(request, talk), talk), talk, isAgent };
}

function answer(request: ModelRequest, talk: DemoTalk): DemoReply {
  const turn = talk.turns.at(-1);
  if (isSummary(request)) return say(`# Goal\nA walk through Troupe by the demo, which is a script without a model.\n\n# Next\nThe step played last is demo-step-${playedSteps(talk).place}.`);
  if (!turn || request.tools.length === 0) return say('The demo is a script without a model, so it can’t answer this.');
  if ([...turn.done.values()].flat().length > mostCalls) return say('Something here is not as the script expects, so I stop this part.', next('write **go on**.'));
  const scene = sceneOf(talk, turn);
  if (talk.brief !== undefined) return demoAgent(scene, talk.brief);
  const reply = playStep(scene);
  const isOwnText = turn.done.has('skill');
  return turn.aside === '' || isOwnText ? reply : { ...reply, text: `You wrote to me while I worked: a model would heed it now, a script can’t. I go on.\n\n${reply.text}` };
}

function isSummary({ messages }: ModelRequest): boolean {
  const last = messages.at(-1)?.content.at(-1);
  return last?.type === 'text' && last.text.startsWith('<reminder>\nThe conversation is about to be shortened');
}

/** A tool that is not offered can't be called; the turn then ends with that said. */
function allowed(reply: DemoReply, talk: DemoTalk): DemoReply {
  const calls = reply.calls.filter((call) => talk.tools.has(call.tool));
  if (calls.length > 0 || reply.calls.length === 0) return { ...reply, calls };
  const missing = [...new Set(reply.calls.map((call) => call.tool))].join(' and ');
  return say(`The next thing I would do needs ${missing}, which is turned off here, so I leave this part out.`, next('write **go on**.'));
}
