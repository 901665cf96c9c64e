import type { GitRunner } from '../platform/gitRunner';
import type { ModelStatus } from '../protocol/view';
import type { LocalPage, PageRow } from '../protocol/localCommand';

export interface DoctorPorts {
  readonly version: string;
  readonly git: Pick<GitRunner, 'run'>;
  /** Absolute path of a program on PATH; undefined where there is none. */
  readonly which: (name: string) => string | undefined;
  readonly shell: string;
  readonly ripgrep: string | undefined;
  /** Why commands can't be confined; undefined when they can. */
  readonly sandboxMissing: string | undefined;
  readonly isSandboxOn: boolean;
  readonly model: ModelStatus;
  readonly isTrusted: boolean;
  readonly places: Readonly<Record<string, string>>;
  /** Groups of problems that the loaders found, by what they are about. */
  readonly problems: () => Promise<readonly (readonly [string, readonly PageRow[]])[]>;
  readonly servers: () => Promise<readonly PageRow[]>;
}

const good = (name: string, detail: string): PageRow => ({ name, detail, badge: 'ok', tone: 'good' });
const bad = (name: string, detail: string, tone: 'warning' | 'error' = 'warning'): PageRow => ({ name, detail, badge: tone === 'error' ? 'missing' : 'look at it', tone });

/** What the work here rests on, whether it is there, and what to do where it is not. */
export async function doctorPage(ports: DoctorPorts, cwd: string): Promise<LocalPage> {
  const version = await ports.git.run(['--version'], { cwd });
  const inside = version.exitCode === 0 && (await ports.git.run(['rev-parse', '--is-inside-work-tree'], { cwd })).exitCode === 0;
  const programs = [
    version.exitCode === 0 ? good('git', version.stdout.trim().replace(/^git version /, '')) : bad('git', 'not found: install git; without it there are no worktrees and no undo', 'error'),
    inside ? good('repository', 'worktrees and undo are available') : bad('repository', 'this folder is no git repository: worktrees are off; run git init for them'),
    good('shell', ports.shell),
    ports.ripgrep === undefined && ports.which('rg') === undefined ? bad('ripgrep', 'not found: searching is slower; install ripgrep') : good('ripgrep', ports.ripgrep ?? ports.which('rg') ?? ''),
    ports.which('tmux') === undefined ? bad('tmux', 'not found: only needed for teammates in tmux') : good('tmux', ports.which('tmux') ?? ''),
    ports.sandboxMissing === undefined ? good('sandbox', ports.isSandboxOn ? 'commands are confined' : 'available; "sandbox": {"enabled": true} in a settings file turns it on') : bad('sandbox', ports.sandboxMissing, ports.isSandboxOn ? 'error' : 'warning'),
  ];
  const { model } = ports;
  const set = [
    model.state === 'ready' ? good('model', `${model.label} (${model.provider})`) : bad('model', `none is set up${model.problem === undefined ? '' : `: ${model.problem}`}; say /model`, 'error'),
    ports.isTrusted ? good('trust', 'this folder is trusted') : bad('trust', 'this folder is not trusted: nothing of the repository’s runs, and its allow rules don’t count'),
  ];
  const groups = [
    { title: 'Programs', rows: programs },
    { title: 'Set-up', rows: set },
    { title: 'MCP servers', rows: [...(await ports.servers())] },
    ...(await ports.problems()).map(([title, rows]) => ({ title: `Problems: ${title}`, rows: [...rows] })),
    { title: 'Places', rows: Object.entries(ports.places).map(([name, path]) => ({ name, detail: path })) },
  ].filter(({ rows }) => rows.length > 0);
  const wrong = groups.flatMap(({ rows }) => rows).filter(({ tone }: PageRow) => tone === 'warning' || tone === 'error').length;
  return { title: 'Doctor', intro: `Troupe ${ports.version}. ${wrong === 0 ? 'Everything is in order.' : `${wrong} ${wrong === 1 ? 'thing deserves' : 'things deserve'} a look.`}`, groups };
}
