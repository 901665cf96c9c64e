import { useApp, useAppState } from '../store/appContext';
import { Icon } from '../ui/Icon';
import { IconButton } from '../ui/IconButton';

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
