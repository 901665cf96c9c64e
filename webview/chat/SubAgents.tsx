import { memo } from 'react';
import { useAppState, useView } from '../store/appContext';
import { agentState, askOf, askTitle } from '../store/selectors';
import { AgentIcon, agentWord } from '../agents/AgentIcon';
import { count, elapsed, money } from '../ui/format';
import { Icon } from '../ui/Icon';
import { useNow } from '../ui/useNow';

interface SubAgentsProps {
  readonly agentIds: readonly string[];
  readonly onOpen: (agentId: string) => void;
}

/** Agents started here. One that works or waits has a second line; one that ended has one. */
export const SubAgents = memo(function SubAgents({ agentIds, onOpen }: SubAgentsProps) {
  return (
    <div className="subs">
      {agentIds.map((id) => (
        <SubAgent key={id} agentId={id} onOpen={onOpen} />
      ))}
    </div>
  );
});

function SubAgent({ agentId, onOpen }: { readonly agentId: string; readonly onOpen: (agentId: string) => void }) {
  const agent = useView((view) => view.agents[agentId]);
  const view = useAppState((state) => state.view);
  const running = agent?.finishedAtMs === undefined && agent?.status === 'working';
  const now = useNow(running);
  if (!agent || !view) return null;
  const ask = askOf(view, agentId);
  const state = agentState(view, agent);
  const tokens = (agent.usage.outputTokens ?? 0) + agent.liveTokens;
  const figures = [tokens > 0 ? count(tokens) : '', agent.costUsd ? money(agent.costUsd) : '', elapsed((agent.finishedAtMs ?? now) - agent.startedAtMs)].filter((f) => f !== '');
  const line = ask ? askTitle(ask) : running ? agent.activity : '';
  return (
    <div className="sub-agent">
      <button type="button" className="row" onClick={() => onOpen(agentId)} title={agent.description}>
        <AgentIcon state={state} />
        <span className="name">{agent.name}</span>
        <span className="desc">
          <span className="sr">{`${agentWord[state]}, `}</span>
          {agent.summary ? agent.summary.split('\n')[0] : agent.description}
        </span>
        <span className="meta">{figures.join(' · ')}</span>
        <Icon name="chevron-right" className="go" />
      </button>
      {line !== '' ? (
        <div className="live">
          <span className="cut grow">{line}</span>
        </div>
      ) : null}
    </div>
  );
}
