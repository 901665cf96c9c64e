import { type KeyboardEvent, memo, useRef, useState } from 'react';
import type { AgentView, View } from '../../extension/protocol/view';
import { agentState, agentTree, askOf, askTitle } from '../store/selectors';
import { money } from '../ui/format';
import { Icon } from '../ui/Icon';
import { IconButton } from '../ui/IconButton';
import { useRovingFocus } from '../ui/useRovingFocus';
import '../ui/cssVariables';
import { AgentIcon, agentWord } from './AgentIcon';

interface AgentTreeProps {
  readonly view: View;
  readonly shownId: string;
  readonly onOpen: (agentId: string) => void;
  readonly onStop: (agentId: string) => void;
}

/** Who does what now. Arrows move, Right and Left open and close, Enter opens the conversation. */
export const AgentTree = memo(function AgentTree({ view, shownId, onOpen, onStop }: AgentTreeProps) {
  const box = useRef<HTMLDivElement>(null);
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const [current, setCurrent] = useState(shownId);
  const move = useRovingFocus(box, { items: '[role=treeitem]', axis: 'vertical', typeAhead: true });
  const nodes = agentTree(view.agents).filter(({ agent }) => !isHidden(agent, view.agents, closed));
  const tabStop = nodes.some(({ agent }) => agent.agentId === current) ? current : nodes[0]?.agent.agentId;
  const fold = (agentId: string, close: boolean): void => setClosed(new Set(close ? [...closed, agentId] : [...closed].filter((id) => id !== agentId)));
  const onKeyDown = (event: KeyboardEvent, node: (typeof nodes)[number]): void => {
    const { agentId, parentId } = node.agent;
    if (event.target !== event.currentTarget) return;
    if (event.key === 'Enter') onOpen(agentId);
    else if (event.key === 'ArrowRight' && node.hasChildren && closed.has(agentId)) fold(agentId, false);
    else if (event.key === 'ArrowLeft' && node.hasChildren && !closed.has(agentId)) fold(agentId, true);
    else if (event.key === 'ArrowLeft' && parentId) box.current?.querySelector<HTMLElement>(`[data-agent="${CSS.escape(parentId)}"]`)?.focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div ref={box} className="tree" role="tree" aria-label="Agents in this session" onKeyDown={move}>
      {nodes.map((node) => (
        <Node
          key={node.agent.agentId}
          node={node}
          view={view}
          open={node.hasChildren ? !closed.has(node.agent.agentId) : undefined}
          shown={node.agent.agentId === shownId}
          tabStop={node.agent.agentId === tabStop}
          onFocus={() => setCurrent(node.agent.agentId)}
          onKeyDown={(event) => onKeyDown(event, node)}
          onFold={(close) => fold(node.agent.agentId, close)}
          onOpen={onOpen}
          onStop={onStop}
        />
      ))}
    </div>
  );
});

interface NodeProps {
  readonly node: ReturnType<typeof agentTree>[number];
  readonly view: View;
  readonly open: boolean | undefined;
  readonly shown: boolean;
  readonly tabStop: boolean;
  readonly onFocus: () => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
  readonly onFold: (close: boolean) => void;
  readonly onOpen: (agentId: string) => void;
  readonly onStop: (agentId: string) => void;
}

function Node({ node, view, open, shown, tabStop, onFocus, onKeyDown, onFold, onOpen, onStop }: NodeProps) {
  const { agent, level } = node;
  const state = agentState(view, agent);
  const ask = askOf(view, agent.agentId);
  const doing = ask ? askTitle(ask) : state === 'working' ? agent.activity || 'working' : agent.summary?.split('\n')[0] || agent.description || agentWord[state];
  const cost = agent.costUsd ? money(agent.costUsd) : '';
  return (
    <div
      className={level > 0 ? 'row kid' : 'row'}
      role="treeitem"
      data-agent={agent.agentId}
      aria-level={level + 1}
      aria-expanded={open}
      aria-selected={shown}
      tabIndex={tabStop ? 0 : -1}
      style={{ '--l': level }}
      onFocus={onFocus}
      onKeyDown={onKeyDown}
      onClick={() => onOpen(agent.agentId)}
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useKeyWithClickEvents: for the mouse; the keys are Left and Right on the item */}
      <span
        className="tw"
        onClick={(event) => {
          if (open === undefined) return;
          event.stopPropagation();
          onFold(open);
        }}
      >
        <Icon name={open === undefined ? 'blank' : open ? 'chevron-down' : 'chevron-right'} />
      </span>
      <AgentIcon state={state} />
      <span className="name">{agent.name}</span>
      <span className="sr">{`, ${agentWord[state]}, `}</span>
      <span className="desc">{doing}</span>
      <span className="meta">{cost}</span>
      {state === 'working' ? (
        <span className="acts" aria-hidden="true">
          <IconButton icon="debug-stop" label={`Stop ${agent.name}`} tabIndex={-1} onClick={() => onStop(agent.agentId)} />
        </span>
      ) : null}
    </div>
  );
}

function isHidden(agent: AgentView, agents: View['agents'], closed: ReadonlySet<string>): boolean {
  const parent = agent.parentId ? agents[agent.parentId] : undefined;
  return parent ? closed.has(parent.agentId) || isHidden(parent, agents, closed) : false;
}
