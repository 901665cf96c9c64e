import { useState } from 'react';
import type { ModelSetup } from '../../extension/protocol/methods';
import type { SetupWay } from '../../extension/protocol/view';
import { useApp } from '../store/appContext';
import { Icon } from '../ui/Icon';
import { IconButton } from '../ui/IconButton';
import { ApiKeyForm, BaseUrlForm, VsCodeModelForm } from './SetUpForms';

interface SetUpProps {
  readonly ways: readonly SetupWay[];
  readonly problem: string | undefined;
  /** Set when a model is ready already, so that the person can go back. */
  readonly onBack?: () => void;
  readonly onDone: () => void;
}

const wayWords: Readonly<Record<SetupWay, { readonly icon: string; readonly title: string; readonly detail: string }>> = {
  vscodeModel: { icon: 'vscode', title: 'Use VS Code’s models', detail: 'The models you are signed in to; nothing to enter' },
  apiKey: { icon: 'key', title: 'Anthropic API key', detail: 'Kept in VS Code’s secret storage' },
  baseUrl: { icon: 'server-environment', title: 'Another server', detail: 'Any compatible address, a local model too' },
  demo: { icon: 'beaker', title: 'Try the demo', detail: 'Scripted: no model, no key, no network' },
};

/** The first thing to do: choose a model. Says what each way means before it is chosen. */
export function SetUp({ ways, problem, onBack, onDone }: SetUpProps) {
  const { actions } = useApp();
  const [chosen, setChosen] = useState<SetupWay | undefined>();
  const [failure, setFailure] = useState<string | undefined>();
  const [busy, setBusy] = useState(false);
  const save = async (setup: ModelSetup): Promise<void> => {
    setBusy(true);
    setFailure(undefined);
    const reply = await actions.call('model/setup', setup);
    setBusy(false);
    if (reply?.problem) setFailure(reply.problem);
    else if (reply) onDone();
  };
  const pick = (way: SetupWay): void => {
    setFailure(undefined);
    if (way === 'demo') void save({ way });
    else setChosen(way === chosen ? undefined : way);
  };
  return (
    <div className="panel" role="group" aria-label="Set up a model">
      <div className="empty">
        <div>
          <div className="set-up-head">
            <h3>{onBack ? 'Set up another model' : 'Choose a model to start'}</h3>
            {onBack ? <IconButton icon="close" label="Back to the conversation" onClick={onBack} /> : null}
          </div>
          <p className="muted">You can change it any time.</p>
        </div>
        {(failure ?? problem) ? <Problem text={failure ?? problem ?? ''} /> : null}
        <ul className="choices">
          {ways.map((way) => (
            <li key={way}>
              <button type="button" className="row2 choice" aria-expanded={way === 'demo' ? undefined : chosen === way} disabled={busy} onClick={() => pick(way)}>
                <Icon name={wayWords[way].icon} />
                <span className="t">{wayWords[way].title}</span>
                {way === 'demo' ? null : <Icon name={chosen === way ? 'chevron-down' : 'chevron-right'} className="m go" />}
                <span className="t2">{wayWords[way].detail}</span>
              </button>
              {chosen === way && way === 'apiKey' ? <ApiKeyForm busy={busy} onSave={(setup) => void save(setup)} /> : null}
              {chosen === way && way === 'baseUrl' ? <BaseUrlForm busy={busy} onSave={(setup) => void save(setup)} /> : null}
              {chosen === way && way === 'vscodeModel' ? <VsCodeModelForm busy={busy} onSave={(setup) => void save(setup)} /> : null}
            </li>
          ))}
        </ul>
        <p className="small muted">Troupe sends your messages and the files agents read to the model you choose, and nothing to anybody else.</p>
      </div>
    </div>
  );
}

function Problem({ text }: { readonly text: string }) {
  return (
    <div className="notice flush" role="alert">
      <Icon name="error" tone="err" />
      <div>
        <p>{text}</p>
      </div>
    </div>
  );
}
