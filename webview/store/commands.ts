import { mainAgentId } from '../../extension/base/ids';
import type { UiCommand } from '../../extension/protocol/envelope';
import type { App } from './appContext';
import { draftKey, emptyDraft } from './uiState';

/** Does what the host asks for on the person's behalf (a command, a click on the status bar). */
export async function runCommand(command: UiCommand, app: App): Promise<void> {
  const { actions, ui, focus } = app;
  switch (command.name) {
    case 'showSession':
      return actions.openSession(command.sessionId);
    case 'newSession':
      await actions.newSession();
      return soon(() => focus.composer?.());
    case 'showSessions':
      ui.change({ tab: 'agents' });
      return soon(() => document.querySelector<HTMLElement>('.sessions button')?.focus());
    case 'focusAsk':
      return soon(() => focus.dock?.());
    case 'compose':
      return compose(command, app);
  }
}

/** Also what a suggestion of the empty chat does. */
export async function compose(
  command: { readonly text: string; readonly submit: boolean; readonly attach?: 'file' | 'selection' | 'problems' | undefined },
  app: App,
): Promise<void> {
  const { actions, ui, store, focus } = app;
  const sessionId = store.get().view?.session.sessionId;
  if (!sessionId) return;
  await actions.showAgent(mainAgentId);
  ui.change({ tab: 'chat' });
  const attachment = command.attach ? (await actions.call('editor/attachment', { kind: command.attach }))?.attachment : undefined;
  const attachments = attachment ? [attachment] : [];
  if (command.submit) {
    await actions.submit({ text: command.text, attachments, steer: false });
    return;
  }
  const key = draftKey(sessionId, mainAgentId);
  const draft = ui.get().drafts[key] ?? emptyDraft;
  ui.setDraft(key, { text: [draft.text, command.text].filter((t) => t !== '').join('\n'), attachments: [...draft.attachments, ...attachments] });
  soon(() => focus.composer?.());
}

/** After the frame in which what should get the keyboard is drawn. */
function soon(run: () => void): void {
  requestAnimationFrame(() => requestAnimationFrame(run));
}
