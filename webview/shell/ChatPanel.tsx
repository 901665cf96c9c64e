import { mainAgentId } from '../../extension/base/ids';
import type { SetupWay } from '../../extension/protocol/view';
import { Conversation } from '../chat/Conversation';
import { EmptyChat } from '../chat/EmptyChat';
import { SetUp } from '../chat/SetUp';
import { PermissionsPage } from '../permissions/PermissionsPage';
import { useApp, useAppState, useUi, useView } from '../store/appContext';
import { agentName } from '../store/selectors';
import { compose } from '../store/commands';
import { LocalPage } from './LocalPage';
import { IconButton } from '../ui/IconButton';

const allWays: readonly SetupWay[] = ['vscodeModel', 'apiKey', 'baseUrl'];

/** The chat of one agent, or what stands in its place before there is one. */
export function ChatPanel({ detailBeside }: { readonly detailBeside: boolean }) {
  const app = useApp();
  const { actions } = app;
  const agentId = useAppState((state) => state.agentId);
  const workspace = useAppState((state) => state.workspace);
  const setupOpen = useUi((state) => state.setupOpen);
  const name = useView((view) => agentName(view.agents, agentId));
  const isEmpty = useView((view) => (view.conversations[agentId]?.length ?? 0) === 0 && !view.streaming[agentId] && view.agents[agentId]?.status !== 'working');
  const page = useUi((state) => state.page);
  const model = workspace?.model;
  if (model?.state === 'none') return <SetUp ways={model.ways} problem={model.problem} onDone={() => actions.openSetup(false)} />;
  if (setupOpen) return <SetUp ways={allWays} problem={undefined} onBack={() => actions.openSetup(false)} onDone={() => actions.openSetup(false)} />;
  if (page === 'permissions') return <Permissions />;
  if (page) return <LocalPage page={page} onBack={() => app.ui.change({ page: undefined })} />;
  return (
    <>
      {agentId === mainAgentId ? null : (
        <div className="scope">
          <IconButton icon="arrow-left" label="Back to lead" onClick={() => void actions.showAgent(mainAgentId)} />
          <h3 className="cut">{name}</h3>
        </div>
      )}
      {isEmpty && agentId === mainAgentId && workspace ? (
        <EmptyChat
          workspace={workspace}
          onSuggest={(text, attach) => void compose({ text, submit: false, attach }, app)}
          onSend={(text) => void compose({ text, submit: true }, app)}
          onOpenSession={(id) => void actions.openSession(id)}
          onManageTrust={() => void actions.call('trust/manage', {})}
        />
      ) : (
        <Conversation key={agentId} agentId={agentId} detailBeside={detailBeside} />
      )}
    </>
  );
}

function Permissions() {
  const { actions, ui } = useApp();
  const sessionId = useView((view) => view.session.sessionId);
  const root = useView((view) => view.session.projectRoot);
  const agents = useView((view) => view.agents);
  return <PermissionsPage sessionId={sessionId} root={root} agentName={(id) => agentName(agents, id)} actions={actions} onBack={() => ui.change({ page: undefined })} />;
}
