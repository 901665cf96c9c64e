import { useApp, useAppState, useView } from '../store/appContext';
import { Icon } from '../ui/Icon';

/** What holds for everything that is done here, said plainly above the message box: a demo, a folder that is not trusted. */
export function ModeLines() {
  const { actions } = useApp();
  const isDemo = useAppState((state) => state.workspace?.model.state === 'ready' && state.workspace.model.provider === 'demo');
  const isTrusted = useAppState((state) => state.workspace?.trusted ?? true);
  const isBlank = useView((view) => Object.values(view.conversations).every((entries) => entries.length === 0));
  return (
    <>
      {isTrusted || isBlank ? null : (
        <p className="mode-line">
          <Icon name="shield" tone="warn" />
          <span className="grow">Restricted mode: nothing of this folder runs by itself</span>
          <button type="button" className="btn flat" onClick={() => void actions.call('trust/manage', {})}>
            Manage trust
          </button>
        </p>
      )}
      {isDemo ? (
        <p className="mode-line">
          <Icon name="beaker" tone="off" />
          <span className="grow">Demo: scripted, no model</span>
          <button type="button" className="btn flat" onClick={() => actions.openSetup(true)}>
            Set up…
          </button>
        </p>
      ) : null}
    </>
  );
}
