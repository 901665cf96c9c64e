const agents = 'spec 04, 17 Agents';
const bubbling = 'architecture 4b';
const job = 'issue 3';

export const subagents = {
  'subagents:run:parallel': { behaviour: 'agents started in one reply work at the same time, each with its own context, and their reports come back in order', source: job },
  'subagents:run:nested': { behaviour: 'an agent starts another, and each one’s events carry its own id', source: job },
  'subagents:run:background': { behaviour: 'an agent in the background lets its parent go on and tells it when it is done', source: 'spec 14' },
  'subagents:run:stable-prompt': { behaviour: 'agents of a kind share every byte before their folder', source: 'spec 17 stable prompts' },
  'subagents:run:print': { behaviour: 'a script’s lines name the call that started an agent, and it waits for agents in the background', source: 'spec 20, 14' },
  'subagents:run:steered': { behaviour: 'a person speaks to one agent, while it works and after it has ended', source: job },
  'subagents:stop:one': { behaviour: 'one agent is stopped with all below it, and its parent goes on', source: job },
  'subagents:stop:all': { behaviour: 'all are stopped at once, in the background too', source: job },
  'subagents:ask:path': { behaviour: 'an ask from any depth arrives with its whole path, and its answer goes back', source: bubbling },
  'subagents:ask:queue': { behaviour: 'asks of many agents wait in one queue in order; a stopped agent’s ask is taken off', source: bubbling },
  'subagents:ask:own-grant': { behaviour: 'a grant for one agent holds for that agent alone', source: job },
  'subagents:ask:fold': { behaviour: 'a deny above wins over an allow below, an ask rule over both grants', source: bubbling },
  'subagents:reload:mid-ask': { behaviour: 'after a reload a nested ask waits again, its answer lets its agent and those above go on, and nothing runs twice', source: job },
  'subagents:reload:cut-off': { behaviour: 'agents cut off by a reload are marked interrupted and their parent is told', source: job },
  'subagents:definitions:files': { behaviour: 'agents of files have their own prompt, tools and model; a broken file is named and the rest loads', source: agents },
  'subagents:definitions:tools': { behaviour: 'an agent has the session’s tools without what sub-agents lose and what its file takes away', source: 'spec 04.3' },
  'subagents:definitions:no-tools': { behaviour: 'an agent none of whose tools exists is refused with their names', source: 'spec 04.3' },
  'subagents:definitions:mode': { behaviour: 'an agent’s permission mode may only be stricter than its parent’s', source: agents },
  'subagents:limits:depth': { behaviour: 'agents nest as deep as allowed, and then must work themselves', source: agents },
  'subagents:limits:width': { behaviour: 'over the width an agent queues and says so, and agents that wait for theirs take no place', source: agents },
  'subagents:report:scan': { behaviour: 'a report that imitates tags or speakers is escaped and flagged', source: 'spec 04.6' },
  'subagents:place:cwd': { behaviour: 'an agent’s folder lies in the workspace, and nothing runs once it leads elsewhere', source: agents },
  'subagents:place:worktree': { behaviour: 'an agent in a worktree changes files there without asking and nowhere else, and its end is told with the worktree', source: job },
  'subagents:place:no-worktree': { behaviour: 'where there can be no worktree the agent is not started and it is said why', source: job },
} as const;
