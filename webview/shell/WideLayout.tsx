import { AgentsPanel } from '../agents/AgentsPanel';
import { useApp, useAppState, useUi, useView } from '../store/appContext';
import { Bottom } from './Bottom';
import { CallDetail } from './CallDetail';
import { ChatPanel } from './ChatPanel';
import { StatusStrip } from './StatusStrip';

/** The same app as an editor tab: who, what is said, and what is selected, side by side. */
export function WideLayout() {
  const { ui, actions } = useApp();
  const shownId = useAppState((state) => state.agentId);
  const title = useView((view) => view.session.title);
  const selected = useUi((state) => state.selectedCallId);
  const entry = useView((view) => view.conversations[shownId]?.find((e) => e.kind === 'tool' && e.id === selected));
  const detail = entry?.kind === 'tool' ? entry : undefined;
  const showAgent = (agentId: string): void => void actions.showAgent(agentId);
  return (
    <>
      <div className="bar-top">
        <h2 className="cut">{title || 'New session'}</h2>
        <span className="grow" />
        <StatusStrip onShowAgent={showAgent} onShowAgents={() => document.querySelector<HTMLElement>('[role=treeitem][tabindex="0"]')?.focus()} />
      </div>
      <div className={detail ? 'cols three' : 'cols two'}>
        <div className="side" tabIndex={0} role="group" aria-label="Agents and sessions">
          <AgentsPanel onOpenAgent={showAgent} />
        </div>
        <div className="mid">
          <ChatPanel detailBeside />
          <div className="read">
            <Bottom shownAgentId={shownId} onShowAgent={showAgent} />
          </div>
        </div>
        {detail ? <CallDetail entry={detail} onClose={() => ui.change({ selectedCallId: undefined })} /> : null}
      </div>
    </>
  );
}
