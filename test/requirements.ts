import { agents } from './requirements/agents';
import { cli } from './requirements/cli';
import { context } from './requirements/context';
import { demoRequirements } from './requirements/demo';
import { engine } from './requirements/engine';
import { hooks } from './requirements/hooks';
import { mcp } from './requirements/mcp';
import { model } from './requirements/model';
import { permissions } from './requirements/permissions';
import { plugins } from './requirements/plugins';
import { protocol } from './requirements/protocol';
import { scenarios } from './requirements/scenarios';
import { session } from './requirements/session';
import { skills } from './requirements/skills';
import { subagents } from './requirements/subagents';
import { tools } from './requirements/tools';
import { webview } from './requirements/webview';
import { workbench } from './requirements/workbench';
import { worktree } from './requirements/worktree';

/** A behaviour people rely on. `id` is `area:thing:claim`; tests cite it with `verifies`, a gate lists ids without a test. */
export interface Requirement {
  readonly behaviour: string;
  /** Where the claim comes from: a spec page, a public document, an issue, our own decision. */
  readonly source: string;
}

export const requirements = { ...agents, ...cli, ...context, ...demoRequirements, ...engine, ...hooks, ...mcp, ...model, ...permissions, ...plugins, ...protocol, ...scenarios, ...session, ...skills, ...subagents, ...tools, ...webview, ...workbench, ...worktree } as const;

export type RequirementId = keyof typeof requirements;
