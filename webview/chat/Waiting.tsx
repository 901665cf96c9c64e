import type { AgentView } from '../../extension/protocol/view';
import { useNow } from '../ui/useNow';
import { Button } from '../ui/Button';
import { NoticeBox } from './NoticeBox';

interface WaitingProps {
  readonly waiting: NonNullable<AgentView['waiting']>;
  readonly onSwitchModel: () => void;
}

/** The service asked to be called later; the engine calls again by itself. */
export function Waiting({ waiting, onSwitchModel }: WaitingProps) {
  const now = useNow(true);
  const seconds = Math.max(0, Math.ceil((waiting.untilMs - now) / 1000));
  return (
    <NoticeBox
      icon="watch"
      tone="warn"
      title={waiting.reason}
      detail={`${seconds > 0 ? `Retrying in ${seconds} s` : 'Retrying now'}, attempt ${waiting.attempt}. Nothing is lost.`}
    >
      <Button onClick={onSwitchModel}>Switch model…</Button>
    </NoticeBox>
  );
}
