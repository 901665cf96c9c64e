import { useRef, useState } from 'react';
import type { MethodResult } from '../../extension/protocol/methods';
import { Icon } from '../ui/Icon';
import { Menu } from '../ui/Menu';

interface ModelPickerProps {
  /** Its id; the label is looked up where it is known. */
  readonly model: string;
  readonly label: string;
  readonly onList: () => Promise<MethodResult<'model/list'> | undefined>;
  readonly onPick: (model: string) => void;
  readonly onSetUp: () => void;
}

const setUpId = ' set-up';

export function ModelPicker({ model, label, onList, onPick, onSetUp }: ModelPickerProps) {
  const [open, setOpen] = useState(false);
  const [list, setList] = useState<MethodResult<'model/list'> | undefined>();
  const button = useRef<HTMLButtonElement>(null);
  const toggle = (): void => {
    setOpen(!open);
    if (!open) void onList().then(setList);
  };
  const close = (): void => {
    setOpen(false);
    button.current?.focus();
  };
  const models = list?.models ?? [];
  const known = models.some((m) => m.id === model) ? models : [{ id: model, label, provider: '' }, ...models];
  const items = [
    ...known.map((m) => ({ id: m.id, label: m.label, detail: m.provider || undefined, checked: m.id === model })),
    { id: setUpId, label: 'Set up…', icon: 'settings-gear', separated: true },
  ];
  return (
    <>
      <button ref={button} type="button" className="pick model" aria-haspopup="menu" aria-expanded={open} aria-label={`Model: ${label}`} title={label} onClick={toggle}>
        <span className="cut">{label}</span>
        <Icon name="chevron-down" />
      </button>
      {open ? (
        <Menu
          className="pop"
          label="Model"
          items={items}
          note={list?.problem}
          onClose={close}
          onPick={(id) => {
            close();
            if (id === setUpId) onSetUp();
            else if (id !== model) onPick(id);
          }}
        />
      ) : null}
    </>
  );
}
