import { AgentsPanel } from '../agents/AgentsPanel';
import { ReviewPanel } from '../review/ReviewPanel';
import { useApp, useAppState, useUi, useView } from '../store/appContext';
import { openWorktrees } from '../store/selectors';
import { Icon } from '../ui/Icon';
import { IconButton } from '../ui/IconButton';
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
  const toReview = useAppState((state) => openWorktrees(state.workspace));
  const isReviewing = useUi((state) => state.tab === 'review');
  const review = (open: boolean): void => ui.change({ tab: open ? 'review' : 'chat', selectedCallId: undefined });
  const showAgent = (agentId: string): void => void actions.showAgent(agentId);
  return (
    <>
      <div className="bar-top">
        <h2 className="cut">{title || 'New session'}</h2>
        <span className="grow" />
        <StatusStrip onShowAgent={showAgent} onShowAgents={() => document.querySelector<HTMLElement>('[role=treeitem][tabindex="0"]')?.focus()} />
        <button type="button" className="lnk review-toggle" aria-expanded={isReviewing} onClick={() => review(!isReviewing)}>
          <Icon name="git-pull-request" />
          Review
          {toReview > 0 ? <span className="badge">{toReview}</span> : null}
        </button>
      </div>
      <div className={detail || isReviewing ? 'cols three' : 'cols two'}>
        <div className="side" tabIndex={0} role="group" aria-label="Agents and sessions">
          <AgentsPanel onOpenAgent={showAgent} />
        </div>
        <div className="mid">
          <ChatPanel detailBeside />
          <div className="read">
            <Bottom shownAgentId={shownId} onShowAgent={showAgent} />
          </div>
        </div>
        {detail ? (
          <CallDetail entry={detail} onClose={() => ui.change({ selectedCallId: undefined })} />
        ) : isReviewing ? (
          <ReviewColumn onOpenAgent={showAgent} onClose={() => review(false)} />
        ) : null}
      </div>
    </>
  );
}

function ReviewColumn({ onOpenAgent, onClose }: { readonly onOpenAgent: (agentId: string) => void; readonly onClose: () => void }) {
  return (
    <section className="review-column" aria-label="Review">
      <header>
        <h3>Review</h3>
        <span className="grow" />
        <IconButton icon="close" label="Close the review" onClick={onClose} />
      </header>
      <ReviewPanel onOpenAgent={onOpenAgent} />
    </section>
  );
}
