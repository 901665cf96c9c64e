import { Composer } from '../composer/Composer';
import { PermissionDock } from '../permissions/PermissionDock';
import { useAppState, useView } from '../store/appContext';
import { Icon } from '../ui/Icon';
import { CallProblem, CommandSaid } from './CallProblem';
import { ModeLines } from './ModeLines';

interface BottomProps {
  /** Whose cards are on screen now. */
  readonly shownAgentId: string | undefined;
  readonly onShowAgent: (agentId: string) => void;
}

/** Requests and the message box: the same on every tab. */
export function Bottom({ shownAgentId, onShowAgent }: BottomProps) {
  const sessionId = useView((view) => view.session.sessionId);
  const readOnly = useAppState((state) => state.workspace?.sessions.some((s) => s.sessionId === sessionId && s.readOnly) ?? false);
  const noModel = useAppState((state) => state.workspace?.model.state === 'none');
  if (readOnly) {
    return (
      <div className="toast" role="note">
        <Icon name="eye" />
        <span>Another window works on this session. Here you can follow it; to go on, use that window.</span>
      </div>
    );
  }
  return (
    <>
      <CallProblem />
      <CommandSaid />
      <ModeLines />
      <PermissionDock shownAgentId={shownAgentId} onShowAgent={onShowAgent} />
      {noModel ? null : <Composer />}
    </>
  );
}
