import { useEffect, useState } from 'react';
import type { ModelChoice, ModelSetup } from '../../extension/protocol/methods';
import { useApp } from '../store/appContext';
import { Button } from '../ui/Button';
import { Spinner } from '../ui/Spinner';
import { TextField } from '../ui/TextField';

interface FormProps {
  readonly busy: boolean;
  readonly onSave: (setup: ModelSetup) => void;
}

export function ApiKeyForm({ busy, onSave }: FormProps) {
  const [key, setKey] = useState('');
  const save = (): void => {
    if (key.trim() !== '') onSave({ way: 'apiKey', key: key.trim() });
  };
  return (
    <div className="form">
      <TextField label="API key" type="password" value={key} onChange={setKey} placeholder="sk-ant-…" onEnter={save} />
      <Save busy={busy} ready={key.trim() !== ''} onSave={save} />
    </div>
  );
}

type Found = { readonly models: readonly ModelChoice[]; readonly problem?: string | undefined } | 'asking' | undefined;

/** The server is asked for its models, so that nobody has to know their names; a name can be typed all the same. */
export function BaseUrlForm({ busy, onSave }: FormProps) {
  const { actions } = useApp();
  const [baseUrl, setBaseUrl] = useState('');
  const [key, setKey] = useState('');
  const [model, setModel] = useState('');
  const [found, setFound] = useState<Found>();
  const isUrl = URL.canParse(baseUrl.trim()) && /^https?:/.test(baseUrl.trim());
  const secret = key.trim() === '' ? {} : { key: key.trim() };
  const probe = async (): Promise<void> => {
    if (!isUrl) return;
    setFound('asking');
    const reply = await actions.call('model/probe', { baseUrl: baseUrl.trim(), ...secret });
    setFound(reply ?? { models: [], problem: 'The server could not be asked.' });
    if (reply?.models[0] && model === '') setModel(reply.models[0].id);
  };
  const save = (): void => {
    if (isUrl && model.trim() !== '') onSave({ way: 'baseUrl', baseUrl: baseUrl.trim(), model: model.trim(), ...secret });
  };
  return (
    <div className="form">
      <TextField label="Address" type="url" value={baseUrl} onChange={setBaseUrl} placeholder="http://localhost:11434" onEnter={() => void probe()} />
      <TextField label="Key, if it needs one" type="password" value={key} onChange={setKey} onEnter={() => void probe()} />
      <div className="acts">
        <Button disabled={!isUrl || found === 'asking'} onClick={() => void probe()}>
          Find its models
        </Button>
        {found === 'asking' ? <Spinner word="Asking the server" /> : null}
      </div>
      {found && found !== 'asking' && found.problem ? <p className="quiet-line">{found.problem} You can type the model’s name below.</p> : null}
      {found && found !== 'asking' && found.models.length > 0 ? (
        <ModelPicker models={found.models} value={model} onChange={setModel} />
      ) : (
        <TextField label="Model" value={model} onChange={setModel} placeholder="name of the model" onEnter={save} />
      )}
      <Save busy={busy} ready={isUrl && model.trim() !== ''} onSave={save} />
    </div>
  );
}

export function VsCodeModelForm({ busy, onSave }: FormProps) {
  const { actions } = useApp();
  const [found, setFound] = useState<Found>('asking');
  const [model, setModel] = useState('');
  useEffect(() => {
    let gone = false;
    void actions.call('model/list', {}).then((reply) => {
      if (gone) return;
      const models = reply?.models.filter((m) => m.provider === 'vscode') ?? [];
      setFound({ models, problem: reply?.problem });
      setModel(models[0]?.id ?? '');
    });
    return () => {
      gone = true;
    };
  }, [actions]);
  if (found === 'asking' || !found) {
    return (
      <div className="form">
        <Spinner word="Looking for models" />
      </div>
    );
  }
  if (found.models.length === 0) {
    return (
      <div className="form">
        <p className="quiet-line">VS Code offers no models. Sign in to GitHub Copilot or install an extension that brings a model, then come back here.</p>
      </div>
    );
  }
  return (
    <div className="form">
      <ModelPicker models={found.models} value={model} onChange={setModel} />
      <Save busy={busy} ready={model !== ''} onSave={() => onSave({ way: 'vscodeModel', model })} />
    </div>
  );
}

function ModelPicker({ models, value, onChange }: { readonly models: readonly ModelChoice[]; readonly value: string; readonly onChange: (id: string) => void }) {
  return (
    <label className="picker">
      Model
      <select className="field" value={value} onChange={(event) => onChange(event.target.value)}>
        {models.map((model) => (
          <option key={model.id} value={model.id}>
            {model.label}
          </option>
        ))}
      </select>
    </label>
  );
}

function Save({ busy, ready, onSave }: { readonly busy: boolean; readonly ready: boolean; readonly onSave: () => void }) {
  return (
    <div className="acts">
      <Button kind="primary" disabled={!ready || busy} onClick={onSave}>
        Use this model
      </Button>
      {busy ? <Spinner word="Trying it" /> : null}
    </div>
  );
}
