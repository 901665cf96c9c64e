import type { ToolEntry } from '../../extension/protocol/view';
import { ToolBody } from '../chat/ToolBody';
import { toolWords } from '../chat/toolWords';
import { useApp, useAppState, useView } from '../store/appContext';
import { agentName } from '../store/selectors';
import { clock, duration } from '../ui/format';
import { IconButton } from '../ui/IconButton';

/** The selected tool call, whole. */
export function CallDetail({ entry, onClose }: { readonly entry: ToolEntry; readonly onClose: () => void }) {
  const { actions } = useApp();
  const agentId = useAppState((state) => state.agentId);
  const agent = useView((view) => view.agents[agentId]);
  const agents = useView((view) => view.agents);
  const root = useView((view) => view.session.cwd);
  const words = toolWords(entry, root);
  const took = 'durationMs' in entry.call ? `, ${duration(entry.call.durationMs)}` : '';
  const facts: readonly (readonly [string, string])[] = [
    ['Agent', agentName(agents, agentId)],
    ...(agent?.worktree ? [['Worktree', agent.worktree] as const] : []),
    ['Tool', entry.name],
    ['Time', `${clock(entry.atMs)}${took}`],
  ];
  return (
    <section className="detail" aria-label="Selected tool call">
      <header>
        <h3 className="cut">{`${words.verb} ${words.object}`}</h3>
        <IconButton icon="close" label="Close" onClick={onClose} />
      </header>
      <dl className="kv">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <ToolBody entry={entry} root={root} onOpenFile={(path) => void actions.openFile(path)} onOpenDiff={(id) => void actions.openDiff(id)} />
    </section>
  );
}
