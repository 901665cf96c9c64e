import { useSyncExternalStore } from 'react';
import { SidebarLayout } from './shell/SidebarLayout';
import { Announcer } from './shell/Announcer';
import { WideLayout } from './shell/WideLayout';
import { useApp, useAppState } from './store/appContext';
import { Button } from './ui/Button';
import { Spinner } from './ui/Spinner';

const wideFrom = '(min-width: 900px)';

/** @param layout what the host made the page for; an editor tab that is narrow is shown as the sidebar is */
export function App({ layout }: { readonly layout: 'sidebar' | 'wide' }) {
  const { actions } = useApp();
  const phase = useAppState((state) => state.phase);
  const problem = useAppState((state) => state.problem);
  const isWide = useIsWide() && layout === 'wide';
  if (phase === 'failed') {
    return (
      <main className="app">
        <h1 className="sr">Troupe</h1>
        <div className="empty" role="alert">
          <div>
            <h3>Troupe could not be reached</h3>
            <p className="muted">{problem}</p>
          </div>
          <Button kind="primary" onClick={() => void actions.reconnect()}>
            Try again
          </Button>
        </div>
      </main>
    );
  }
  return (
    <main className={isWide ? 'app page' : 'app'}>
      <h1 className="sr">Troupe</h1>
      {phase === 'connecting' ? (
        <div className="empty">
          <Spinner word="Starting" />
        </div>
      ) : isWide ? (
        <WideLayout />
      ) : (
        <SidebarLayout />
      )}
      <Announcer />
    </main>
  );
}

function useIsWide(): boolean {
  return useSyncExternalStore(
    (changed) => {
      const query = matchMedia(wideFrom);
      query.addEventListener('change', changed);
      return () => query.removeEventListener('change', changed);
    },
    () => matchMedia(wideFrom).matches,
  );
}
