import './theme/theme.css';
import './theme/code.css';
import './shell/shell.css';
import './chat/chat.css';
import './permissions/dock.css';
import './permissions/grants.css';
import './composer/composer.css';
import './agents/agents.css';
import './review/review.css';
import './theme/last.css';
import { createRoot } from 'react-dom/client';
import { App } from './App';
import { createActions } from './store/actions';
import { type App as AppParts, AppContext } from './store/appContext';
import { runCommand } from './store/commands';
import { UiStateStore } from './store/uiState';
import { ViewStore } from './store/viewStore';
import { demoHost } from './transport/fakeTransport';
import type { PageHost } from './transport/pageHost';
import { vscodeHost } from './transport/vscodeTransport';
import { registerToolkit } from './ui/toolkitElements';

/** How long a page that draws no frames (it is hidden) may keep what it knows to itself. */
const hiddenNotifyMs = 250;

function mount(root: HTMLElement, host: PageHost): void {
  const ui = new UiStateStore(host.loadState(), host.saveState);
  const store = new ViewStore({ transport: host.transport, schedule: oncePerFrame, onCommand: (command) => void runCommand(command, parts) });
  const parts: AppParts = { store, ui, actions: createActions(store, ui), focus: { dock: undefined, composer: undefined } };
  const { layout, session } = root.dataset;
  createRoot(root).render(
    <AppContext value={parts}>
      <App layout={layout === 'wide' ? 'wide' : 'sidebar'} />
    </AppContext>,
  );
  void store.start({ fixed: session || undefined, last: ui.get().sessionId }).then(() => ui.change({ sessionId: store.get().view?.session.sessionId }));
}

function oncePerFrame(run: () => void): void {
  let done = false;
  const once = (): void => {
    if (done) return;
    done = true;
    run();
  };
  requestAnimationFrame(once);
  setTimeout(once, hiddenNotifyMs);
}

const root = document.getElementById('root');
const host = vscodeHost() ?? (process.env['NODE_ENV'] === 'production' ? undefined : demoHost());
if (root && host) {
  registerToolkit();
  mount(root, host);
} else if (root) root.textContent = 'This page is the side bar of Troupe; it works inside VS Code.';
