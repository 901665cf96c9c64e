import { Icon } from '../ui/Icon';

type Scope = 'project' | 'local' | 'user';

const scopes: readonly { readonly scope: Scope; readonly label: string; readonly title: string }[] = [
  { scope: 'project', label: 'This project', title: 'In the project’s CLAUDE.md (or AGENTS.md), shared with whoever works on it' },
  { scope: 'local', label: 'Only me, here', title: 'In CLAUDE.local.md of this project' },
  { scope: 'user', label: 'All my projects', title: 'In CLAUDE.md of your own configuration folder' },
];

/** The note in a message that starts with `#` and is one line, else undefined. */
export function noteIn(text: string): string | undefined {
  return /^#[ \t]*([^#\s][^\n]*)$/.exec(text.trim())?.[1];
}

/** A line that starts with `#` can be remembered instead of sent. */
export function NoteBar({ onRemember }: { readonly onRemember: (scope: Scope) => void }) {
  return (
    <div className="queue" role="group" aria-label="Remember this note">
      <div className="sec">
        <Icon name="note" tone="off" />
        Remember this in
      </div>
      <div className="ctx-f">
        {scopes.map(({ scope, label, title }) => (
          <button key={scope} type="button" className="btn flat" title={title} onClick={() => onRemember(scope)}>
            {label}
          </button>
        ))}
      </div>
    </div>
  );
}

export function Remembered({ path, onOpen }: { readonly path: string; readonly onOpen: () => void }) {
  return (
    <div className="queue">
      <div className="sec">
        <Icon name="check" tone="ok" />
        <span role="status">{`Remembered in ${path.split(/[\\/]/).at(-1)}`}</span>
        <span className="grow" />
        <button type="button" className="btn flat" title={path} onClick={onOpen}>
          Open
        </button>
      </div>
    </div>
  );
}
