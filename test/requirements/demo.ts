const demo = 'the main job, point 5: the demo without a key';
const headless = 'spec 20: --model demo';

export const demoRequirements = {
  'demo:script:stateless': { behaviour: 'the same request has the same reply, and ids of calls never repeat in a session', source: 'own decision: a demo that a reload cannot confuse' },
  'demo:script:labelled': { behaviour: 'whatever is said to it, the last words of a turn and the model\'s name say that it is a script', source: demo },
  'demo:script:any-words': { behaviour: 'any words go on, one word jumps to a part, and words it cannot understand are said not to be understood', source: demo },
  'demo:script:questions': { behaviour: 'a question or a no does nothing and shows the parts', source: demo },
  'demo:script:tools-missing': { behaviour: 'a part whose tool is turned off is left out and said so', source: demo },
  'demo:script:side-requests': { behaviour: 'a summary keeps the place in the script, and other side requests get an honest answer', source: 'own decision' },
  'demo:script:pace': { behaviour: 'words come one by one by the clock, and a stop ends them at once', source: demo },
  'demo:access:gives-way': { behaviour: 'a demo chosen for want of a model gives way to any that is set up; chosen beside one it stays', source: demo },
  'demo:access:goes-on': { behaviour: 'a conversation that began with the demo goes on with the model that is set up later', source: 'own decision' },
  'demo:access:lean': { behaviour: 'the script is not loaded before the first request to it', source: 'conventions: start-up' },
  'demo:sample:repository': { behaviour: 'npm start\'s sample is a git repository with one commit, one failing test, an agent, a skill and a memory file', source: demo },
  'demo:walk:sample': { behaviour: 'every part of the demo works on the sample repository with real tools, git and worktrees', source: demo },
  'demo:walk:depth': { behaviour: 'two agents at once, one in a worktree and one that starts a third: their asks come up with path and worktree, and the work waits for review', source: demo },
  'demo:walk:denied': { behaviour: 'whatever is refused is said, nothing of it happens, and the demo goes on', source: demo },
  'demo:walk:plan-mode': { behaviour: 'in plan mode it plans, takes words back into the plan, and then does it', source: demo },
  'demo:walk:elsewhere': { behaviour: 'in another repository, and in a folder without git, it writes below troupe-demo only', source: demo },
  'demo:walk:reload': { behaviour: 'after a reload an ask of the demo is answered and the script goes on where it was', source: demo },
  'demo:walk:again': { behaviour: 'played a second time in the same folder every part works again', source: 'own decision' },
  'demo:headless:no-key': { behaviour: '--model demo runs without a key and says that it is a script', source: headless },
} as const;
