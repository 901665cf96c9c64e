import { err, type Result } from '../base/result';

import { commandEnvFile, runCommandHook } from '../hooks/commandHookRunner';
import type { HookHands } from '../hooks/hookDispatcher';
import { hookEvents } from '../hooks/hookEvents';
import { postHook } from '../hooks/httpHookClient';
import { agentCheckPrompt, promptCheck } from '../hooks/modelCheck';
import { resolveModel } from '../model/modelTable';
import { askSmallModel } from './askSmallModel';
import type { HookAgentPorts } from './hookAgent';
import type { SessionKit } from './sessionKit';

export interface HandsPorts {
  readonly kit: SessionKit;
  /** Folder of the session's own files. */
  readonly folder: string;
  /** What an agent hook works with: read-only tools in the place of the agent that fired. */
  readonly agentPlace: (agentId: string, signal: AbortSignal) => HookAgentPorts | undefined;
  readonly wroteEnv: (path: string) => void;
}

/** Carries hooks out with this engine's processes, web client and models. */
export function hookHands(ports: HandsPorts): HookHands {
  const { kit } = ports;
  const { processes, web, childEnv } = kit.hookParts;
  const numbers = new WeakMap<object, number>();
  let last = 0;
  const numberOf = (hook: object): number => {
    const known = numbers.get(hook) ?? ++last;
    numbers.set(hook, known);
    return known;
  };
  return {
    command: async ({ hook, handler, stdin, fire, timeoutMs, signal }) => {
      const takesEnv = 'envFile' in hookEvents[hook.event];
      const envFile = takesEnv ? `${ports.folder}/hook-env/${hook.event}-${numberOf(hook)}.sh` : undefined;
      const run = await runCommandHook({ hook, handler, stdin, cwd: fire.place.cwd, effort: fire.place.effort, envFile, timeoutMs, signal }, { processes, env: childEnv, projectRoot: kit.projectRoot });
      const written = envFile === undefined ? undefined : commandEnvFile(envFile);
      if (written !== undefined) ports.wroteEnv(written);
      return run;
    },
    http: (call) => {
      const { allowedUrls, allowedEnvVars } = kit.hooks.rules;
      return postHook(call, { web, env: childEnv(), allowedUrls, allowedEnvVars });
    },
    prompt: ({ handler, input, signal, spent }) => askSmallModel(kit.models, { prompt: promptCheck(handler.prompt, input), signal, model: modelFor(handler.model, kit), spent }),
    agent: async ({ handler, input, fire, signal, spent }): Promise<Result<string, string>> => {
      const place = ports.agentPlace(fire.place.agentId, signal);
      if (!place) return err('the agent it would look over the shoulder of is gone');
      const { runHookAgent } = await import('./hookAgent');
      return runHookAgent({ prompt: agentCheckPrompt(handler.prompt, input), model: modelFor(handler.model, kit), spent }, place);
    },
  };
}

function modelFor(written: string | undefined, kit: SessionKit): string | undefined {
  if (written === undefined) return undefined;
  const fallback = kit.models.smallModel();
  return fallback === undefined ? undefined : resolveModel(written, { fallback, env: kit.options.env });
}
