import type { TurnEndEntry } from '../../extension/protocol/view';
import { Button } from '../ui/Button';
import { NoticeBox } from './NoticeBox';

interface TurnEndProps {
  readonly entry: TurnEndEntry;
  readonly name: string;
  /** Only the last end can be gone on from. */
  readonly last: boolean;
  readonly onResume: () => void;
  readonly onSwitchModel: () => void;
}

/** Why a turn ended before its work was done, and the next step. */
export function TurnEnd({ entry, name, last, onResume, onSwitchModel }: TurnEndProps) {
  const resume = (word: string) =>
    last ? (
      <Button kind="primary" onClick={onResume}>
        {word}
      </Button>
    ) : null;
  const switchModel = last ? <Button onClick={onSwitchModel}>Switch model…</Button> : null;
  switch (entry.stop) {
    case 'done':
      return null;
    case 'interrupted':
      return (
        <NoticeBox
          icon="debug-pause"
          title={entry.problem?.code === 'reload' ? `The window was closed while ${name} worked` : `You stopped ${name}`}
          detail={last ? 'What it had finished is kept. Resume goes on from there, or write what to do instead.' : undefined}
        >
          {resume('Resume')}
        </NoticeBox>
      );
    case 'maxTurns':
      return (
        <NoticeBox icon="debug-pause" title={`${name} reached its limit of steps`} detail="Nothing is lost. Go on if the work looks right so far.">
          {resume('Go on')}
        </NoticeBox>
      );
    case 'refusal':
      return (
        <NoticeBox
          icon="circle-slash"
          tone="warn"
          title="The model declined to go on"
          detail={entry.problem?.message ?? 'Word the task differently, or try it with another model.'}
        >
          {switchModel}
        </NoticeBox>
      );
    case 'error':
      return (
        <NoticeBox
          icon="error"
          tone="err"
          title={entry.problem?.message ?? 'The reply could not be finished'}
          detail={last ? 'Nothing is lost: the conversation is kept up to here.' : undefined}
        >
          {resume('Retry')}
          {switchModel}
        </NoticeBox>
      );
  }
}
