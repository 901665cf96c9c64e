import { useApp, useAppState, useUi } from '../store/appContext';
import { Icon } from '../ui/Icon';
import { IconButton } from '../ui/IconButton';

/** What a command of the person's has done. */
export function CommandSaid() {
  const { ui } = useApp();
  const said = useUi((state) => state.said);
  if (said === undefined) return null;
  return (
    <div className="toast" role="status">
      <Icon name="check" />
      <span className="grow">{said}</span>
      <IconButton icon="close" label="Dismiss" onClick={() => ui.change({ said: undefined })} />
    </div>
  );
}

/** What the person asked for and did not get. */
export function CallProblem() {
  const { actions } = useApp();
  const problem = useAppState((state) => state.callProblem);
  if (!problem) return null;
  return (
    <div className="toast" role="alert">
      <Icon name="error" tone="err" />
      <span className="grow">{problem}</span>
      <IconButton icon="close" label="Dismiss" onClick={actions.dismissProblem} />
    </div>
  );
}
