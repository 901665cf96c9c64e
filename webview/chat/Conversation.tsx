import { type ReactNode, useCallback, useMemo } from 'react';
import type { Entry, ToolEntry, UserEntry } from '../../extension/protocol/view';
import { useApp, useUi, useView } from '../store/appContext';
import { agentName } from '../store/selectors';
import { draftKey } from '../store/uiState';
import { Spinner } from '../ui/Spinner';
import { Icon } from '../ui/Icon';
import { AssistantText } from './AssistantText';
import { ChatList } from './ChatList';
import { ChatNotice } from './ChatNotice';
import { Compacted } from './Compacted';
import { PlanCard } from './PlanCard';
import { QuestionCard } from './QuestionCard';
import { Reads } from './Reads';
import { liveRows, type Row, settledRows } from './rows';
import { SubAgents } from './SubAgents';
import { Thinking } from './Thinking';
import { ToolLine, type ToolLineProps } from './ToolLine';
import { TurnEnd } from './TurnEnd';
import { UserMessage } from './UserMessage';
import { Waiting } from './Waiting';

const nothing: readonly Entry[] = [];

interface ConversationProps {
  readonly agentId: string;
  /** In the wide layout a tool call opens beside the chat, not in it. */
  readonly detailBeside: boolean;
}

export function Conversation({ agentId, detailBeside }: ConversationProps) {
  const { ui, actions } = useApp();
  const entries = useView((view) => view.conversations[agentId] ?? nothing);
  const agents = useView((view) => view.agents);
  const notices = useView((view) => view.notices);
  const reply = useView((view) => view.streaming[agentId]);
  const session = useView((view) => view.session);
  const openRows = useUi((state) => state.openRows);
  const selected = useUi((state) => (detailBeside ? state.selectedCallId : undefined));
  const anchors = useUi((state) => state.anchors);
  const key = draftKey(session.sessionId, agentId);
  const agent = agents[agentId];
  const name = agentName(agents, agentId);

  const parent = agent?.parentId === undefined ? undefined : agentName(agents, agent.parentId);
  const firstId = entries[0]?.id;
  const senderOf = ({ id }: UserEntry): string => (parent === undefined ? 'Another agent' : id === firstId ? `Brief from ${parent}` : parent);
  const isBusy = agent?.status === 'working' || agent?.status === 'waiting';
  const calls = useCallsOf(agents);
  // Agents change with every token that is counted; only what the rows need of them may remake 10,000 rows.
  const settled = useMemo(() => settledRows({ entries, agents: calls, notices }), [entries, calls, notices]);
  const rows = useMemo(() => [...settled.rows, ...liveRows(settled, agent, reply)], [settled, agent, reply]);

  const toggle = useCallback((rowId: string, open: boolean) => ui.setRowOpen(rowId, open), [ui]);
  const select = useCallback((callId: string) => ui.change({ selectedCallId: ui.get().selectedCallId === callId ? undefined : callId }), [ui]);
  const onAnchor = useCallback((anchor: Parameters<typeof ui.setAnchor>[1]) => ui.setAnchor(key, anchor), [ui, key]);
  const openAgent = useCallback((id: string) => void actions.showAgent(id), [actions]);
  const openFile = useCallback((path: string) => void actions.openFile(path), [actions]);
  const openDiff = useCallback((callId: string) => void actions.openDiff(callId), [actions]);
  const openLink = useCallback((url: string) => void actions.openLink(url), [actions]);
  const isOpen = (id: string): boolean => openRows.get(id) ?? false;

  const lineProps = (entry: ToolEntry): ToolLineProps => ({
    entry,
    root: session.cwd,
    open: detailBeside && entry.call.status !== 'failed' ? false : openRows.get(entry.id),
    selected: selected === entry.id,
    onToggle: detailBeside ? select : toggle,
    onOpenFile: openFile,
    onOpenDiff: openDiff,
  });

  const renderRow = (row: Row): ReactNode => {
    switch (row.kind) {
      case 'user':
        return <UserMessage entry={row.entry} sender={senderOf(row.entry)} isWorking={isBusy} />;
      case 'text':
        return <AssistantText text={row.text} live={row.live} headed={row.headed} name={name} model={row.model} atMs={row.atMs} onLink={openLink} />;
      case 'thinking':
        return <Thinking id={row.id} text={row.text} live={row.live} open={isOpen(row.id)} onToggle={toggle} onLink={openLink} />;
      case 'writing':
        return <Writing tool={row.tool} chars={row.chars} />;
      case 'tool':
        return <ToolLine {...lineProps(row.entry)} />;
      case 'reads':
        return <Reads entries={row.entries} open={isOpen(`group:${row.id}`)} onToggle={(open) => toggle(`group:${row.id}`, open)} lineProps={lineProps} />;
      case 'agents':
        return <SubAgents agentIds={row.agentIds} onOpen={openAgent} />;
      case 'turnEnd':
        return (
          <TurnEnd
            entry={row.entry}
            name={name}
            last={row.last && agent?.status !== 'working'}
            onResume={() => void actions.resume()}
            onSwitchModel={() => actions.openSetup(true)}
          />
        );
      case 'plan':
        return <PlanCard entry={row.entry} name={name} open={isOpen(row.id)} onToggle={toggle} onReply={actions.replyToPlan} onOpenFile={openFile} onLink={openLink} />;
      case 'question':
        return <QuestionCard entry={row.entry} name={name} onReply={actions.answer} />;
      case 'notice':
        return <ChatNotice notice={row.entry.notice} />;
      case 'compaction':
        return <Compacted entry={row.entry} onLink={openLink} />;
      case 'working':
        return (
          <div className="turn">
            <Spinner word="Thinking" />
          </div>
        );
      case 'waiting':
        return <Waiting waiting={row.waiting} onSwitchModel={() => actions.openSetup(true)} />;
    }
  };

  return <ChatList key={key} rows={rows} label={`Conversation with ${name}`} busy={reply !== undefined} renderRow={renderRow} anchor={anchors[key]} onAnchor={onAnchor} />;
}

/** The same object as long as no agent was started. */
function useCallsOf(agents: Parameters<typeof settledRows>[0]['agents']): Parameters<typeof settledRows>[0]['agents'] {
  const count = Object.keys(agents).length;
  // biome-ignore lint/correctness/useExhaustiveDependencies: an agent's call id never changes; only new agents matter
  return useMemo(() => agents, [count]);
}

function Writing({ tool, chars }: { readonly tool: string; readonly chars: number }) {
  return (
    <div className="tool">
      <div className="row still">
        <Icon name="loading" tone="run" spin />
        <span className="name">{`Writing ${tool}`}</span>
        <span className="desc" />
        <span className="meta">{chars > 0 ? `${chars} characters` : ''}</span>
      </div>
    </div>
  );
}
