import { useApp, useView } from '../store/appContext';
import { askingAgentId, workingAgents } from '../store/selectors';
import { money } from '../ui/format';
import { Icon } from '../ui/Icon';
import { IconButton } from '../ui/IconButton';

interface StatusStripProps {
  readonly onShowAgent: (agentId: string) => void;
  readonly onShowAgents: () => void;
}

/** The whole session in one line: who works, who needs the person, what it cost. */
export function StatusStrip({ onShowAgent, onShowAgents }: StatusStripProps) {
  const { actions, focus } = useApp();
  const working = useView((view) => workingAgents(view).length);
  const asks = useView((view) => view.pendingAsks);
  const costUsd = useView((view) => view.costUsd);
  const oldest = asks[0];
  const rest = oldest ? 'Waiting' : 'Idle';
  const showOldest = (): void => {
    if (oldest?.kind === 'permission') focus.dock?.();
    else if (oldest) onShowAgent(askingAgentId(oldest));
  };
  return (
    <div className="strip">
      <button type="button" className="lnk" onClick={onShowAgents} title="Show the agents">
        {working > 0 ? <Icon name="loading" tone="run" spin /> : <Icon name={oldest ? 'watch' : 'circle-outline'} tone="off" />}
        {working > 0 ? working : rest}
        {working > 0 ? <span className="w"> working</span> : null}
      </button>
      {oldest ? (
        <button type="button" className="lnk" onClick={showOldest} title="Go to the oldest request">
          <Icon name="bell-dot" tone="warn" />
          {asks.length}
          <span className="w">{asks.length === 1 ? ' needs you' : ' need you'}</span>
        </button>
      ) : null}
      <span className="grow" />
      {costUsd === null || costUsd > 0 ? (
        <span className="lnk num" title="Spent this session">
          {costUsd === null ? '$ ?' : money(costUsd)}
        </span>
      ) : null}
      {working > 0 ? <IconButton icon="debug-stop" label="Stop all agents" onClick={() => void actions.stopAll()} /> : null}
    </div>
  );
}
