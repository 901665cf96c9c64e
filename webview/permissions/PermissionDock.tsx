import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import type { PermissionDecision } from '../../extension/protocol/permission';
import { useApp, useView } from '../store/appContext';
import { agentName, askingAgentId } from '../store/selectors';
import { Button } from '../ui/Button';
import { Icon } from '../ui/Icon';
import { IconButton } from '../ui/IconButton';
import { AlwaysSheet } from './AlwaysSheet';
import { AskElsewhere } from './AskElsewhere';
import { DenySheet } from './DenySheet';
import type { PermissionAsk } from './permissionAsk';
import { RequestBody } from './RequestBody';
import { RequestList } from './RequestList';
import { requestIcon } from './requestWords';
import { useGuard } from './useGuard';

interface PermissionDockProps {
  /** Plans and questions whose card the person can see now are not said a second time here. */
  readonly shownAgentId: string | undefined;
  readonly onShowAgent: (agentId: string) => void;
}

/** Everything that waits for the person, from any depth, above the message box on every tab. */
export function PermissionDock({ shownAgentId, onShowAgent }: PermissionDockProps) {
  const asks = useView((view) => view.pendingAsks);
  const [answered, setAnswered] = useState<ReadonlySet<string>>(new Set());
  const open = asks.filter((ask) => !answered.has(ask.request.requestId));
  const requests = open.filter((ask) => ask.kind === 'permission');
  const elsewhere = open.filter((ask) => ask.kind !== 'permission' && askingAgentId(ask) !== shownAgentId);
  const mark = (requestId: string, isAnswered: boolean): void => setAnswered((old) => new Set(isAnswered ? [...old, requestId] : [...old].filter((id) => id !== requestId)));
  return (
    <>
      {elsewhere.map((ask) => (
        <AskElsewhere key={ask.request.requestId} ask={ask} onShow={onShowAgent} />
      ))}
      {requests.length > 0 ? <Requests requests={requests} onAnswered={mark} onShowAgent={onShowAgent} /> : null}
    </>
  );
}

interface RequestsProps {
  readonly requests: readonly PermissionAsk[];
  readonly onAnswered: (requestId: string, answered: boolean) => void;
  readonly onShowAgent: (agentId: string) => void;
}

function Requests({ requests, onAnswered, onShowAgent }: RequestsProps) {
  const { actions, focus } = useApp();
  const agents = useView((view) => view.agents);
  const [chosen, setChosen] = useState({ id: '', index: 0 });
  const [sheet, setSheet] = useState<{ readonly kind: 'always' | 'deny'; readonly id: string } | undefined>();
  const card = useRef<HTMLElement>(null);
  const found = requests.findIndex((ask) => ask.request.requestId === chosen.id);
  const index = found === -1 ? Math.min(chosen.index, requests.length - 1) : found;
  const request = requests[index]?.request;
  const isGuarded = useGuard(request?.requestId ?? '');
  useDockFocus(card, focus);
  if (!request) return null;

  const { requestId } = request;
  const who = agentName(agents, request.agentPath.at(-1) ?? '');
  const shownSheet = sheet?.id === requestId ? sheet.kind : undefined;
  const go = (to: number): void => {
    const target = requests[(to + requests.length) % requests.length];
    if (target) setChosen({ id: target.request.requestId, index: (to + requests.length) % requests.length });
  };
  const decide = async (decision: PermissionDecision): Promise<void> => {
    setChosen({ id: '', index });
    setSheet(undefined);
    onAnswered(requestId, true);
    if ((await actions.decide(requestId, decision)) === undefined) onAnswered(requestId, false);
  };
  const allow = (): void => void decide({ behavior: 'allow', scope: 'once' });
  const deny = (): void => void decide({ behavior: 'deny' });
  const onKeyDown = (event: KeyboardEvent): void => {
    const key = dockKey(event);
    if (!key) return;
    event.preventDefault();
    event.stopPropagation();
    if (key === 'previous' || key === 'next') go(index + (key === 'next' ? 1 : -1));
    else if (isGuarded()) return;
    else if (key === 'escape') shownSheet ? setSheet(undefined) : deny();
    else if (!shownSheet) allow();
  };

  return (
    <>
      {requests.length > 1 ? <RequestList requests={requests} current={index} agents={agents} onPick={go} /> : null}
      <section
        ref={card}
        className="dock"
        tabIndex={0}
        aria-label={`Permission${requests.length > 1 ? ` ${index + 1} of ${requests.length}` : ''}: ${who} wants to ${request.subject.title}`}
        onKeyDown={onKeyDown}
        onKeyDownCapture={(event) => {
          // A key meant for the card before this one, or typed in passing, must not answer this one.
          if (isGuarded() && (event.key === 'Enter' || event.key === ' ' || event.key === 'Escape')) {
            event.preventDefault();
            event.stopPropagation();
          }
        }}
      >
        <header>
          {shownSheet === 'always' ? (
            <IconButton icon="arrow-left" label="Back to the request" onClick={() => setSheet(undefined)} />
          ) : (
            <Icon name={requestIcon(request)} tone="warn" />
          )}
          <h3>{shownSheet === 'always' ? 'Always allow' : `${who} wants to ${request.subject.title}`}</h3>
          {requests.length > 1 ? <Stepper index={index} count={requests.length} onGo={go} /> : null}
        </header>
        {shownSheet === 'always' ? (
          <AlwaysSheet
            key={requestId}
            request={request}
            agent={who}
            onSave={(scope, rules) => void decide({ behavior: 'allow', scope, rules: [...rules] })}
            onCancel={() => setSheet(undefined)}
          />
        ) : (
          <>
            <RequestBody request={request} agents={agents} onShowAgent={onShowAgent} />
            {shownSheet === 'deny' ? (
              <DenySheet key={requestId} agent={who} onDeny={(feedback) => void decide({ behavior: 'deny', feedback })} onBack={() => setSheet(undefined)} />
            ) : (
              <Answers hasRules={request.suggestions.length > 0} onAllow={allow} onDeny={deny} onSheet={(kind) => setSheet({ kind, id: requestId })} />
            )}
          </>
        )}
      </section>
    </>
  );
}

interface AnswersProps {
  readonly hasRules: boolean;
  readonly onAllow: () => void;
  readonly onDeny: () => void;
  readonly onSheet: (kind: 'always' | 'deny') => void;
}

function Answers({ hasRules, onAllow, onDeny, onSheet }: AnswersProps) {
  return (
    <>
      <div className="acts">
        <Button kind="primary" onClick={onAllow}>
          Allow once
        </Button>
        <Button onClick={onDeny}>Deny</Button>
        <IconButton icon="comment" label="Deny and say what to do instead" onClick={() => onSheet('deny')} />
        {hasRules ? (
          <button type="button" className="btn flat push" aria-haspopup="dialog" onClick={() => onSheet('always')}>
            Always…
          </button>
        ) : null}
      </div>
      <p className="hint">Enter allows, Esc denies.</p>
    </>
  );
}

function Stepper({ index, count, onGo }: { readonly index: number; readonly count: number; readonly onGo: (to: number) => void }) {
  return (
    <span className="stepper">
      <IconButton icon="chevron-up" label="Previous request (Alt+Up)" onClick={() => onGo(index - 1)} />
      <span>{`${index + 1} of ${count}`}</span>
      <IconButton icon="chevron-down" label="Next request (Alt+Down)" onClick={() => onGo(index + 1)} />
    </span>
  );
}

/** What a key means to the card. Enter on a control of the card belongs to that control. */
function dockKey(event: KeyboardEvent): 'allow' | 'escape' | 'previous' | 'next' | undefined {
  if (event.nativeEvent.isComposing) return undefined;
  if (event.altKey) return event.key === 'ArrowUp' ? 'previous' : event.key === 'ArrowDown' ? 'next' : undefined;
  if (event.key === 'Escape') return 'escape';
  return event.key === 'Enter' && event.target === event.currentTarget ? 'allow' : undefined;
}

/** "Show me what waits" moves the keyboard here; and when the last card goes while it has the keyboard, the message box gets it. */
function useDockFocus(card: React.RefObject<HTMLElement | null>, focus: ReturnType<typeof useApp>['focus']): void {
  useEffect(() => {
    const hadFocus = { value: false };
    const element = card.current;
    const note = (): void => {
      hadFocus.value = element?.contains(document.activeElement) ?? false;
    };
    focus.dock = () => element?.focus();
    document.addEventListener('focusin', note);
    return () => {
      document.removeEventListener('focusin', note);
      focus.dock = undefined;
      if (hadFocus.value && (document.activeElement === document.body || element?.contains(document.activeElement))) focus.composer?.();
    };
  }, [card, focus]);
}
