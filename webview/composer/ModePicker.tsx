import { useRef, useState } from 'react';
import type { PermissionMode } from '../../extension/protocol/permission';
import { Icon } from '../ui/Icon';
import { Menu } from '../ui/Menu';
import { modeWords, offeredModes } from './modes';

interface ModePickerProps {
  readonly mode: PermissionMode;
  readonly onPick: (mode: PermissionMode) => void;
}

export function ModePicker({ mode, onPick }: ModePickerProps) {
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const modes = offeredModes.includes(mode) ? offeredModes : [...offeredModes, mode];
  const close = (): void => {
    setOpen(false);
    button.current?.focus();
  };
  const pick = (id: string): void => {
    const picked = modes.find((m) => m === id);
    if (picked && picked !== mode) onPick(picked);
    close();
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        className="pick"
        aria-haspopup="menu"
        aria-expanded={open}
        aria-label={`Mode: ${modeWords[mode].label}`}
        title={modeWords[mode].detail}
        onClick={() => setOpen(!open)}
      >
        <span className="cut">{modeWords[mode].label}</span>
        <Icon name="chevron-down" />
      </button>
      {open ? <Menu className="pop" label="Mode" items={modes.map((id) => ({ id, ...modeWords[id], checked: id === mode }))} onPick={pick} onClose={close} /> : null}
    </>
  );
}
