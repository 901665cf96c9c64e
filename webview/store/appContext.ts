import { createContext, useContext, useSyncExternalStore } from 'react';
import type { View } from '../../extension/protocol/view';
import type { Actions } from './actions';
import type { UiState, UiStateStore } from './uiState';
import type { AppState, ViewStore } from './viewStore';

export interface App {
  readonly store: ViewStore;
  readonly ui: UiStateStore;
  readonly actions: Actions;
  /** Moves the keyboard to the request card or the message box; only ever called for something the person did. */
  readonly focus: { dock: (() => void) | undefined; composer: (() => void) | undefined };
}

export const AppContext = createContext<App | undefined>(undefined);

export function useApp(): App {
  const app = useContext(AppContext);
  if (!app) throw new Error('a component was rendered outside AppContext');
  return app;
}

/** `select` must return the same object for the same state: pick fields, build nothing. */
export function useAppState<T>(select: (state: AppState) => T): T {
  const { store } = useApp();
  return useSyncExternalStore(store.subscribe, () => select(store.get()));
}

export function useUi<T>(select: (state: UiState) => T): T {
  const { ui } = useApp();
  return useSyncExternalStore(ui.subscribe, () => select(ui.get()));
}

/** For what is only rendered while a session is open. */
export function useView<T>(select: (view: View) => T): T {
  return useAppState((state) => {
    if (!state.view) throw new Error('a session component was rendered without a session');
    return select(state.view);
  });
}
