const cli = 'the command page: the engine without an editor';
const badInput = 'the main job: bad input';
const endings = 'the command page: endings';
const crash = 'the main job: reload in mid-work; pitfalls: processes';
const rules = 'the main job, point 3; permission rules';
const skills = 'the main job, point 4; skills and commands';

export const scenarios = {
  'scenarios:print:formats': { behaviour: 'a prompt is worked on with tools and rules and printed as text, one result line or a stream of lines', source: cli },
  'scenarios:print:exit-codes': { behaviour: 'exit codes tell done, failed, bad arguments and interrupted apart', source: cli },
  'scenarios:resume:known-files': { behaviour: 'a session taken up again still knows the files it had read, unless they were changed since', source: 'issue 2 reload: goes on where it was' },
  'scenarios:print:sessions': { behaviour: 'sessions are continued, resumed and named by id', source: cli },
  'scenarios:print:input': { behaviour: 'prompts come as a word, on stdin, or as JSON lines one after the other', source: cli },
  'scenarios:print:max-turns': { behaviour: 'a run ends at --max-turns', source: cli },

  'scenarios:fails:no-model': { behaviour: 'without a model the run ends with one clear error that names the ways to set one', source: cli },
  'scenarios:fails:wrong-key': { behaviour: 'a refused key is said once, not retried and never printed', source: badInput },
  'scenarios:fails:unknown-model': { behaviour: 'a model the server does not know is named', source: badInput },
  'scenarios:fails:no-network': { behaviour: 'an address where nothing answers is named', source: badInput },
  'scenarios:ends:refusal': { behaviour: 'a refusal is a failed run and says so', source: endings },
  'scenarios:ends:max-tokens': { behaviour: 'a text cut at the output limit goes on', source: endings },
  'scenarios:ends:cut-call': { behaviour: 'a call cut at the output limit never runs and the model is told', source: endings },
  'scenarios:retries:rate-limit': { behaviour: '429 waits for Retry-After, 529 is tried again', source: endings },
  'scenarios:retries:broken-streams': { behaviour: 'dropped and silent streams are sent again, once in effect', source: endings },

  'scenarios:stdio:ask': { behaviour: 'a front end over --stdio starts a session, is asked, answers once and sees the tool run', source: cli },
  'scenarios:crash:mid-call': { behaviour: 'after a kill no finished message is lost, the call that ran says so and is never run again, and no process is left', source: crash },
  'scenarios:crash:pending-ask': { behaviour: 'an ask open at a kill is there again, and its answer lets the work go on', source: crash },
  'scenarios:crash:torn-line': { behaviour: 'a transcript whose last line is torn is resumed', source: 'pitfalls: files' },

  'scenarios:rules:settings-files': { behaviour: 'allow, ask and deny rules of the settings files decide calls, and an ask names its rule and file', source: rules },
  'scenarios:asks:once': { behaviour: '"Allow once" allows one call', source: rules },
  'scenarios:asks:always-session': { behaviour: '"Always" for the session allows what it says until the session ends, and writes nothing', source: rules },
  'scenarios:asks:always-saved': { behaviour: '"Always" in a file is there for the next run', source: rules },
  'scenarios:asks:deny-feedback': { behaviour: 'a refusal carries the words of the person to the model', source: rules },
  'scenarios:asks:four-at-once': { behaviour: 'asks of parallel calls wait together and are answered in any order, once each, with results in source order', source: 'pitfalls: permissions' },
  'scenarios:asks:interrupt': { behaviour: 'stopping takes an open ask away and leaves a session that goes on', source: 'pitfalls: permissions' },
  'scenarios:modes:accept-edits': { behaviour: 'acceptEdits edits in the workspace without asking and asks for the rest', source: rules },
  'scenarios:modes:plan': { behaviour: 'plan mode writes only the plan; it is sent back, edited and approved, and then the work begins', source: 'the main job, point 3' },
  'scenarios:paths:outside': { behaviour: 'a path outside the workspace asks, however it is reached', source: badInput },

  'scenarios:skills:typed': { behaviour: '/name args runs the skill with its arguments, and an unknown name is not sent but named with its nearest', source: skills },
  'scenarios:skills:model-calls': { behaviour: 'the model runs a listed skill; one for people only, and an unknown one, are refused', source: skills },
  'scenarios:skills:allowed-tools': { behaviour: 'the allowed-tools of a skill hold for its turn only', source: skills },
  'scenarios:skills:inspect': { behaviour: '`inspect skills --json` shows every skill and command with its place, and names the broken one', source: cli },
  'scenarios:skills:broken': { behaviour: 'a broken SKILL.md does not keep the others from loading', source: badInput },
  'scenarios:skills:render': { behaviour: '`skill render` prints what would enter the conversation', source: cli },
  'scenarios:permission:explain': { behaviour: '`permission explain` says the decision, the rule, its file and the parts', source: cli },

  'scenarios:requests:prefix': { behaviour: 'each next request extends the one before byte for byte, thinking included, and is read from the cache', source: 'decisions page: stable prompts' },
  'scenarios:requests:first-message': { behaviour: 'the first message holds memory files, listings, date, folder and git state, then the words of the person, in this order', source: 'decisions page: stable prompts' },
  'scenarios:secrets:no-leak': { behaviour: 'no door of a session lets a model key out: not shells, hooks, skills, servers, sub-agents, files, events, views or the log, nor what a server says of it', source: 'issue 4, secrets' },
  'scenarios:requests:no-key-leaks': { behaviour: 'a key reaches the model server and nothing else: no child process, transcript, output or log', source: 'decisions page: endpoint and keys' },

  'scenarios:bad:files': { behaviour: 'a binary file, a huge one, a folder and a missing one are clear errors, and the rest is read', source: badInput },
  'scenarios:bad:tool-input': { behaviour: 'input that does not fit a tool says what is wrong, and an unknown tool names the nearest', source: badInput },
  'scenarios:bad:endless-tool': { behaviour: 'a tool that never ends is stopped with all it started, what it said stays, and the session goes on', source: badInput },
  'scenarios:bad:huge-output': { behaviour: '100 MB of output are capped for model, log and views, and the cap is said', source: badInput },
  'scenarios:bad:full-disk': { behaviour: 'when the transcript can not be written the person is told and the work goes on', source: badInput },

  'scenarios:log:golden': { behaviour: 'the event log of the main flows stays as it is on record', source: 'own decision: the log is what every front end and every later version reads' },
  'scenarios:rules:rows': { behaviour: 'rows of the permission table end the same through a whole engine with a real call, and are explained the same', source: rules },
  'scenarios:policy:provenance': { behaviour: 'each call keeps who decided, by which rule of which file, for whom and when', source: 'provenance of decisions' },
  'scenarios:policy:revoke': { behaviour: 'live grants are listed, tried on past calls, and taken back at once: the next call asks', source: 'provenance of decisions' },
  'scenarios:policy:refused-road': { behaviour: 'an edit denied is not then done by a command, and the model is told it was refused', source: 'pitfalls: a denial covers the same act by another tool' },
  'scenarios:policy:auto': { behaviour: 'auto asks the small model, counts its cost, and asks the person when the answer is unclear', source: 'permission modes: auto' },
  'scenarios:policy:managed': { behaviour: 'managed policies hold against every other file', source: 'managed settings' },
  'sandbox:files:confined': { behaviour: 'a confined command writes to the working folders only, reads nothing that is denied, and runs outside only after an ask', source: 'issue 4 Sandbox' },
  'sandbox:network:asked': { behaviour: 'a host that is not listed is asked about while the command runs, and the answer can be remembered by host', source: 'issue 4 Sandbox' },
  'sandbox:agents:own-place': { behaviour: 'a sub-agent’s commands are confined to its own folder, and their asks come up with its path', source: 'issue 4 Sandbox' },
  'sandbox:stop:ends-all': { behaviour: 'a stopped command ends with all it started, in the sandbox too', source: 'issue 4 Sandbox' },
  'sandbox:settings:choices': { behaviour: 'excluded commands, added folders, no free pass and no way out are as the settings say', source: 'issue 4 Sandbox' },
  'powershell:tool:runs': { behaviour: 'PowerShell commands run as they were written, under their own rule family, and end with their exit code', source: 'spec 15, spec 06' },
  'powershell:tool:offered': { behaviour: 'PowerShell is offered on Windows or where the person wants it, and only when it is there', source: 'spec 15' },
  'powershell:tool:sandbox': { behaviour: 'where commands are confined PowerShell is asked about, or refused when nothing may run outside', source: 'issue 4 Sandbox' },
  'scenarios:policy:models': { behaviour: 'where the settings list the models, no other is offered, asked or taken by an agent', source: 'spec 07, spec 04.4' },
  'scenarios:policy:sandbox': { behaviour: 'settings that ask for a sandbox are told that there is none, and where they require it no command runs', source: 'issue 4 sandbox' },
  'scenarios:policy:broken-files': { behaviour: 'settings files that can not be used are named with a reason, and the rest counts', source: 'settings errors' },
} as const;
