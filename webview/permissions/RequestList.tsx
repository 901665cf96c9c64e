import type { View } from '../../extension/protocol/view';
import { agentName } from '../store/selectors';
import { elapsed } from '../ui/format';
import { Icon } from '../ui/Icon';
import { useNow } from '../ui/useNow';
import type { PermissionAsk } from './permissionAsk';
import { requestIcon, requestShort } from './requestWords';

interface RequestListProps {
  readonly requests: readonly PermissionAsk[];
  readonly current: number;
  readonly agents: View['agents'];
  readonly onPick: (index: number) => void;
}

/** All that wait, in one look, with how long they have waited. */
export function RequestList({ requests, current, agents, onPick }: RequestListProps) {
  const now = useNow(true);
  return (
    <div className="queue" role="group" aria-label="Waiting requests">
      {requests.map(({ request }, i) => (
        <button key={request.requestId} type="button" className="row" aria-current={i === current ? 'true' : undefined} onClick={() => onPick(i)}>
          <Icon name={requestIcon(request)} />
          <span className="name">{agentName(agents, request.agentPath.at(-1) ?? '')}</span>
          <span className="desc">{requestShort(request)}</span>
          <span className="meta">{elapsed(now - request.askedAtMs)}</span>
        </button>
      ))}
    </div>
  );
}
