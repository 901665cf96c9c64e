import type { SessionSummary } from '../../extension/protocol/view';
import { SessionList } from '../chat/SessionList';
import { useApp, useAppState, useView } from '../store/appContext';
import { plural } from '../ui/format';
import { AgentTree } from './AgentTree';

const noSessions: readonly SessionSummary[] = [];

/** The agents of this session, and below them the other sessions of the folder. */
export function AgentsPanel({ onOpenAgent }: { readonly onOpenAgent: (agentId: string) => void }) {
  const { actions } = useApp();
  const view = useView((v) => v);
  const shownId = useAppState((state) => state.agentId);
  const sessions = useAppState((state) => state.workspace?.sessions ?? noSessions);
  const agents = Object.keys(view.agents).length;
  return (
    <div className="agents-panel">
      <section className="block" aria-label="This session">
        <div className="sec head">
          <h3 className="cut">{view.session.title || 'This session'}</h3>
          <span className="grow" />
          <span className="muted">{plural(agents, 'agent')}</span>
        </div>
        <AgentTree view={view} shownId={shownId} onOpen={onOpenAgent} onStop={(id) => void actions.stopAgent(id)} />
        {agents === 1 ? <p className="quiet-line pad">lead starts agents when a task splits well. You can also ask for them.</p> : null}
      </section>
      <SessionList
        sessions={sessions}
        currentId={view.session.sessionId}
        onNew={() => void actions.newSession()}
        onOpen={(id) => void actions.openSession(id)}
        onRename={(sessionId, title) => void actions.call('session/rename', { sessionId, title })}
        onDelete={(id) => void actions.deleteSession(id)}
      />
    </div>
  );
}
