import { AgentsPanel } from '../agents/AgentsPanel';
import { ReviewPanel } from '../review/ReviewPanel';
import { useApp, useAppState, useUi, useView } from '../store/appContext';
import { openWorktrees } from '../store/selectors';
import type { Tab } from '../store/uiState';
import { Bottom } from './Bottom';
import { ChatPanel } from './ChatPanel';
import { StatusStrip } from './StatusStrip';
import { Tabs } from './Tabs';

const headings: Readonly<Record<Tab, string>> = { chat: 'Chat', agents: 'Agents and sessions', review: 'Review' };

/** One column, from 220 px. */
export function SidebarLayout() {
  const { ui, actions } = useApp();
  const tab = useUi((state) => state.tab);
  const shownId = useAppState((state) => state.agentId);
  const agents = useView((view) => Object.keys(view.agents).length);
  const isBlank = useView((view) => Object.values(view.conversations).every((entries) => entries.length === 0));
  const toReview = useAppState((state) => openWorktrees(state.workspace));
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
          { id: 'review', label: 'Review', badge: toReview > 0 ? String(toReview) : undefined },
        ]}
        selected={tab}
        onSelect={(next) => ui.change({ tab: next })}
      />
      {isBlank ? null : <StatusStrip onShowAgent={showAgent} onShowAgents={() => ui.change({ tab: 'agents' })} />}
      <div className="tabpanel" role="tabpanel" id="tabpanel" aria-labelledby={`tab-${tab}`}>
        <h2 className="sr">{headings[tab]}</h2>
        {tab === 'chat' ? (
          <ChatPanel detailBeside={false} />
        ) : tab === 'review' ? (
          <ReviewPanel onOpenAgent={showAgent} />
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
