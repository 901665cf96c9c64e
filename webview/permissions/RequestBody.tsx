import { Fragment, type ReactNode } from 'react';
import type { PermissionRequest } from '../../extension/protocol/permission';
import type { View } from '../../extension/protocol/view';
import { useApp } from '../store/appContext';
import { agentName } from '../store/selectors';
import { DiffView } from '../ui/DiffView';
import { pathParts } from '../ui/format';
import { Icon } from '../ui/Icon';
import { partWords, requestText, whyAsked } from './requestWords';

interface RequestBodyProps {
  readonly request: PermissionRequest;
  readonly agents: View['agents'];
  readonly onShowAgent: (agentId: string) => void;
}

/** Who, what, where, and the risk in words. */
export function RequestBody({ request, agents, onShowAgent }: RequestBodyProps) {
  const { actions } = useApp();
  const { subject } = request;
  const text = requestText(request);
  return (
    <>
      {request.agentPath.length > 1 || request.worktree ? (
        <div className="path">
          {request.agentPath.map((id, i) => (
            <Fragment key={id}>
              {i > 0 ? <Icon name="chevron-right" /> : null}
              <button type="button" title={`Show the conversation of ${agentName(agents, id)}`} onClick={() => onShowAgent(id)}>
                {agentName(agents, id)}
              </button>
            </Fragment>
          ))}
          {request.worktree ? (
            <span className="tag" title={`Worktree ${request.worktree}`}>
              <Icon name="worktree" />
              <span className="cut">{pathParts(request.worktree, '').name}</span>
            </span>
          ) : null}
        </div>
      ) : null}
      {text ? (
        <div className="code">
          <pre tabIndex={0} role="group" aria-label={text.label} className="wrap">
            {text.text}
          </pre>
        </div>
      ) : null}
      {subject.diff ? <DiffView diff={subject.diff} root={subject.cwd} onOpen={() => void actions.openDiff(request.callId)} /> : null}
      <ul className="facts">
        {subject.risks?.map((risk) => (
          <Fact key={risk} icon="warning" tone="warn" risk>
            {risk}
          </Fact>
        ))}
        {request.explanation.parts && request.explanation.parts.length > 1
          ? request.explanation.parts.map((part) => (
              <Fact key={part.command} icon={part.decision === 'allow' ? 'pass' : part.decision === 'deny' ? 'circle-slash' : 'question'}>
                <code>{part.command}</code> {partWords(part)}
              </Fact>
            ))
          : null}
        {subject.cwd ? (
          <Fact icon="folder">
            <span title={subject.cwd}>In {pathParts(subject.cwd, '').name || subject.cwd}</span>
          </Fact>
        ) : null}
        {request.explanation.reason ? <Fact icon="info">{whyAsked(request.explanation)}</Fact> : null}
      </ul>
    </>
  );
}

function Fact({ icon, tone, risk = false, children }: { readonly icon: string; readonly tone?: 'warn'; readonly risk?: boolean; readonly children: ReactNode }) {
  return (
    <li className={risk ? 'risk' : undefined}>
      <Icon name={icon} tone={tone} />
      <span>{children}</span>
    </li>
  );
}
