import { didYouMean } from '../base/nearest';
import { mainAgentId } from '../base/ids';
import type { LocalOutcome, LocalPage } from '../protocol/localCommand';
import type { SkillListing } from '../protocol/methods';
import type { LiveSession } from './liveSession';

/** One command of the composer that opens something or acts, without a word to the model. */
interface LocalCommand {
  readonly name: string;
  readonly description: string;
  readonly argumentHint?: string;
  readonly run: (call: LocalCall) => Promise<LocalOutcome> | LocalOutcome;
}

interface LocalCall {
  readonly session: LiveSession;
  readonly args: string;
  readonly ports: LocalPorts;
}

/** What the commands reach; each page is made anew when it is opened. */
export interface LocalPorts {
  readonly pages: Readonly<Record<'agents' | 'skills' | 'mcp' | 'hooks' | 'memory' | 'sessions' | 'doctor', (session: LiveSession) => Promise<LocalPage>>>;
  readonly context: (session: LiveSession) => Promise<LocalPage>;
  readonly cost: (session: LiveSession) => LocalPage;
  readonly addDir: (session: LiveSession, path: string) => Promise<LocalOutcome>;
  readonly exportTo: (session: LiveSession, path: string) => Promise<LocalOutcome>;
  /** Everything `/` can name: skills, commands, prompts of servers. */
  readonly skills: () => Promise<readonly SkillListing[]>;
  readonly isSkill: (name: string) => boolean;
}

const go = (to: Extract<LocalOutcome, { kind: 'go' }>['to']): LocalOutcome => ({ kind: 'go', to });
const done = (text: string): LocalOutcome => ({ kind: 'done', text });
const page = (name: keyof LocalPorts['pages']) => async ({ ports, session }: LocalCall): Promise<LocalOutcome> => ({ kind: 'page', page: await ports.pages[name](session) });

const commands: readonly LocalCommand[] = [
  { name: 'help', description: 'Commands, keys and where things are', run: async ({ ports }) => ({ kind: 'page', page: helpPage(await ports.skills()) }) },
  { name: 'clear', description: 'Begin with an empty context; this session stays in the list', run: () => go('newSession') },
  { name: 'compact', description: 'Replace the conversation by a summary of it', argumentHint: '[what the summary should keep]', run: compact },
  { name: 'context', description: 'What fills the context', run: async ({ ports, session }) => ({ kind: 'page', page: await ports.context(session) }) },
  { name: 'cost', description: 'Tokens and money of this session, by agent', run: ({ ports, session }) => ({ kind: 'page', page: ports.cost(session) }) },
  { name: 'model', description: 'Set up a model, or take another one for this session', argumentHint: '[model]', run: model },
  { name: 'resume', description: 'Earlier sessions', run: () => go('sessions') },
  { name: 'agents', description: 'Agents that can be started, and where they are defined', run: page('agents') },
  { name: 'skills', description: 'Skills and commands, and what is wrong with some', run: page('skills') },
  { name: 'mcp', description: 'MCP servers: state and tools', run: page('mcp') },
  { name: 'hooks', description: 'Hooks that run, and their files', run: page('hooks') },
  { name: 'permissions', description: 'Rules that count now; take one back, try one', run: () => go('permissions') },
  { name: 'memory', description: 'Memory files in use', run: page('memory') },
  { name: 'add-dir', description: 'Let this session work in another folder, too', argumentHint: '<folder>', run: ({ ports, session, args }) => (args === '' ? done('Name the folder: /add-dir ../other') : ports.addDir(session, args)) },
  { name: 'export', description: 'Write the conversation to a Markdown file', argumentHint: '[file]', run: ({ ports, session, args }) => ports.exportTo(session, args) },
  { name: 'doctor', description: 'Check programs, settings files, model and servers', run: page('doctor') },
  { name: 'undo', description: 'Take back what the last turn did to files', run: undo },
];

/** Rows for the `/` menu. */
export const localRows: readonly SkillListing[] = commands.map(({ name, description, argumentHint }) => ({ name, qualified: name, kind: 'local', source: 'Troupe', description, ...(argumentHint === undefined ? {} : { argumentHint }), path: '' }));

/** A skill of the same name comes first: people's own files win. @param name without its slash */
export async function runLocalCommand(call: { readonly name: string; readonly args: string; readonly session: LiveSession }, ports: LocalPorts): Promise<LocalOutcome> {
  const skills = await ports.skills();
  if (ports.isSkill(call.name) || skills.some((skill) => skill.qualified === call.name)) return { kind: 'prompt' };
  const command = commands.find(({ name }) => name === call.name.toLowerCase());
  if (command) return command.run({ session: call.session, args: call.args, ports });
  return { kind: 'unknown', near: [...didYouMean(call.name, [...commands.map(({ name }) => name), ...skills.map(({ qualified }) => qualified)])] };
}

async function compact({ session, args }: LocalCall): Promise<LocalOutcome> {
  const agent = await session.liveAgent(mainAgentId);
  const problem = await agent?.compact(args);
  return done(problem ?? (agent?.runner.isWorking ? 'The conversation is summarised with the next step.' : 'The conversation was summarised.'));
}

function model({ session, args }: LocalCall): LocalOutcome {
  if (args === '') return go('setUp');
  session.setModel(args);
  return done(`This session goes on with ${args}.`);
}

async function undo({ session }: LocalCall): Promise<LocalOutcome> {
  const { undo: kept } = session.log.view;
  const last = session.log.events.findLast((event) => event.type === 'turn/started' && event.agentId === mainAgentId && kept[event.turnId]?.state === 'ready');
  if (last?.type !== 'turn/started' || !session.undo) return done('There is no turn to take back: none has changed a file that is still as it left it.');
  const report = await session.undo.undo(last.turnId);
  if (report.problem !== undefined) return done(report.problem);
  const left = report.skipped.length === 0 ? '' : ` Left as they are: ${report.skipped.length}.`;
  return done(`Turn undone. Files put back: ${report.restored.join(', ')}.${left}`);
}

const keys: readonly (readonly [string, string])[] = [
  ['Enter', 'send; while an agent works: queue, and once more with an empty box to say it at the next step'],
  ['Shift+Enter', 'a new line'],
  ['Esc', 'stop the turn'],
  ['Up', 'in an empty box: take the last queued message back'],
  ['@', 'attach a file or folder'],
  ['/', 'commands and skills'],
  ['#', 'remember a line in a memory file'],
];

function helpPage(skills: readonly SkillListing[]): LocalPage {
  return {
    title: 'Help',
    intro: `Say what you want done; ${skills.length} skills and commands of yours stand in the / menu, too.`,
    groups: [
      { title: 'Commands', rows: commands.map(({ name, description, argumentHint }) => ({ name: `/${name}${argumentHint === undefined ? '' : ` ${argumentHint}`}`, detail: description, ...(argumentHint === undefined ? { command: `/${name}` } : {}) })) },
      { title: 'Keys', rows: keys.map(([name, detail]) => ({ name, detail })) },
      { title: 'Without an editor', rows: [{ name: 'troupe -p "…"', detail: 'one prompt; --help shows the rest' }] },
    ],
  };
}
