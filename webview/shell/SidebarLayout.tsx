import { AgentsPanel } from '../agents/AgentsPanel';
import { useApp, useAppState, useUi, useView } from '../store/appContext';
import { Bottom } from './Bottom';
import { ChatPanel } from './ChatPanel';
import { StatusStrip } from './StatusStrip';
import { Tabs } from './Tabs';

/** One column, from 220 px. Tasks and Review get their tabs when there is something in them. */
export function SidebarLayout() {
  const { ui, actions } = useApp();
  const tab = useUi((state) => state.tab);
  const shownId = useAppState((state) => state.agentId);
  const agents = useView((view) => Object.keys(view.agents).length);
  const isBlank = useView((view) => Object.values(view.conversations).every((entries) => entries.length === 0));
  const showAgent = (agentId: string): void => {
    ui.change({ tab: 'chat' });
    void actions.showAgent(agentId);
  };
  return (
    <>
      <Tabs
        tabs={[
          { id: 'chat', label: 'Chat', badge: undefined },
          { id: 'agents', label: 'Agents', badge: agents > 1 ? String(agents) : undefined },
        ]}
        selected={tab}
        onSelect={(next) => ui.change({ tab: next })}
      />
      {isBlank ? null : <StatusStrip onShowAgent={showAgent} onShowAgents={() => ui.change({ tab: 'agents' })} />}
      <div className="tabpanel" role="tabpanel" id="tabpanel" aria-labelledby={`tab-${tab}`}>
        <h2 className="sr">{tab === 'chat' ? 'Chat' : 'Agents and sessions'}</h2>
        {tab === 'chat' ? (
          <ChatPanel detailBeside={false} />
        ) : (
          <div className="panel" tabIndex={0} role="group" aria-label="Agents and sessions">
            <AgentsPanel onOpenAgent={showAgent} />
          </div>
        )}
      </div>
      <Bottom shownAgentId={tab === 'chat' ? shownId : undefined} onShowAgent={showAgent} />
    </>
  );
}
