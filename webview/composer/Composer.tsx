import { type DragEvent, useCallback, useEffect, useRef, useState } from 'react';
import type { Attachment } from '../../extension/protocol/interaction';
import type { ModelChoice } from '../../extension/protocol/methods';
import type { EditorContext, QueuedMessage } from '../../extension/protocol/view';
import { useApp, useAppState, useUi, useView } from '../store/appContext';
import { agentName } from '../store/selectors';
import { type Draft, draftKey, emptyDraft } from '../store/uiState';
import { IconButton } from '../ui/IconButton';
import { ContextChips, type EditorPart } from './ContextChips';
import { ContextGauge } from './ContextGauge';
import { droppedFiles, picturesOf } from './dropped';
import { MessageBox } from './MessageBox';
import { NoteBar, noteIn, Remembered } from './NoteBar';
import { ModelPicker } from './ModelPicker';
import { ModePicker } from './ModePicker';
import { QueueList } from './QueueList';

const noEditor: EditorContext = { file: undefined, selection: undefined, problemCount: 0 };

export function Composer() {
  const { actions, focus } = useApp();
  const agentId = useAppState((state) => state.agentId);
  const editor = useAppState((state) => state.workspace?.editor ?? noEditor);
  const model = useAppState((state) => state.workspace?.model);
  const session = useView((view) => view.session);
  const agent = useView((view) => view.agents[agentId]);
  const name = useView((view) => agentName(view.agents, agentId));
  const costUsd = useView((view) => view.costUsd);
  const queue = useView((view) => view.queue).filter((message) => message.agentId === agentId);
  const working = agent?.status === 'working';
  const { draft, setDraft, attach } = useDraft(draftKey(session.sessionId, agentId));
  const box = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    focus.composer = () => box.current?.focus();
    return () => {
      focus.composer = undefined;
    };
  }, [focus]);

  const hasDraft = draft.text.trim() !== '' || draft.attachments.length > 0;
  const send = async (message: Draft, steer: boolean): Promise<void> => {
    setDraft(emptyDraft);
    if (!(await actions.submit({ ...message, steer }))) setDraft(message);
  };
  const sendNow = async (message: QueuedMessage): Promise<void> => {
    const text = await actions.unqueue(message.queueId);
    if (text !== undefined) await actions.submit({ text, attachments: message.attachments, steer: true });
  };
  const edit = async (message: QueuedMessage): Promise<void> => {
    const text = await actions.unqueue(message.queueId);
    if (text === undefined) return;
    setDraft({ text: draft.text === '' ? text : `${text}\n${draft.text}`, attachments: [...draft.attachments, ...message.attachments] });
    box.current?.focus();
  };
  const onSend = (): void => {
    const [first] = queue;
    if (hasDraft) void send(draft, queue.length > 0);
    else if (first) void sendNow(first);
  };
  const addEditorPart = async (kind: EditorPart): Promise<void> => {
    const attachment = (await actions.call('editor/attachment', { kind }))?.attachment;
    if (attachment) attach([attachment]);
    box.current?.focus();
  };
  const [remembered, setRemembered] = useState<string | undefined>();
  const note = draft.attachments.length === 0 ? noteIn(draft.text) : undefined;
  const remember = async (text: string, scope: 'project' | 'local' | 'user'): Promise<void> => {
    const saved = await actions.call('memory/add', { sessionId: session.sessionId, scope, text });
    if (!saved) return;
    setDraft(emptyDraft);
    setRemembered(saved.path);
    box.current?.focus();
  };
  const placeholder = working ? (queue.length > 0 ? 'Enter again sends it now' : `Enter queues for ${name}`) : `Message ${name}, @ files, / skills`;

  return (
    <>
      <QueueList queue={queue} onEdit={(m) => void edit(m)} onRemove={(m) => void actions.unqueue(m.queueId)} onSendNow={(m) => void sendNow(m)} />
      {remembered !== undefined && draft.text === '' ? <Remembered path={remembered} onOpen={() => void actions.openFile(remembered)} /> : null}
      {note === undefined ? null : <NoteBar onRemember={(scope) => void remember(note, scope)} />}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: files can be dropped anywhere on it; there is `@` for the keyboard */}
      <div className="composer" onDragOver={(event) => event.preventDefault()} onDrop={(event) => dropped(event, attach)}>
        <div className="box">
          <ContextChips
            attachments={draft.attachments}
            editor={editor}
            onRemove={(attachment) => setDraft({ ...draft, attachments: draft.attachments.filter((a) => a !== attachment) })}
            onAdd={(part) => void addEditorPart(part)}
          />
          <MessageBox
            ref={box}
            draft={draft}
            placeholder={placeholder}
            onChange={setDraft}
            onAttach={attach}
            onSend={onSend}
            onEscape={() => {
              if (working) void actions.interrupt();
            }}
            onUp={() => {
              const last = queue.at(-1);
              if (last) void edit(last);
              return last !== undefined;
            }}
          />
          <div className="bar">
            <ModePicker mode={session.mode} onPick={(mode) => void actions.setMode(mode)} />
            {model?.state === 'ready' ? (
              <ModelPicker
                model={session.model ?? model.model}
                label={session.model && session.model !== model.model && model.provider !== 'demo' ? session.model : model.label}
                onList={() => actions.call('model/list', {}).then((list) => list && { ...list, models: sameAccess(list.models, model.provider) })}
                onPick={(id) => void actions.setModel(id)}
                onSetUp={() => actions.openSetup(true)}
              />
            ) : null}
            <span className="grow" />
            {agent && model?.state === 'ready' ? <ContextGauge agent={agent} limitTokens={model.contextTokens} sessionCostUsd={costUsd} onReport={() => actions.call('context/report', { sessionId: session.sessionId, agentId })} onCompact={async () => (await actions.call('context/compact', { sessionId: session.sessionId, agentId }))?.problem} /> : null}
            {working ? <IconButton icon="debug-stop" label={`Stop ${name} (Esc)`} onClick={() => void actions.interrupt()} /> : null}
            {working && !hasDraft ? null : (
              <IconButton icon="arrow-up" className="send" label={working ? 'Queue message (Enter)' : 'Send (Enter)'} disabled={!hasDraft} onClick={onSend} />
            )}
          </div>
        </div>
      </div>
    </>
  );
}

function useDraft(key: string): { readonly draft: Draft; readonly setDraft: (draft: Draft) => void; readonly attach: (attachments: readonly Attachment[]) => void } {
  const { ui } = useApp();
  const draft = useUi((state) => state.drafts[key] ?? emptyDraft);
  const setDraft = useCallback((next: Draft) => ui.setDraft(key, next), [ui, key]);
  const attach = useCallback(
    (attachments: readonly Attachment[]) => {
      const now = ui.get().drafts[key] ?? emptyDraft;
      ui.setDraft(key, { ...now, attachments: [...now.attachments, ...attachments] });
    },
    [ui, key],
  );
  return { draft, setDraft, attach };
}

function dropped(event: DragEvent, attach: (attachments: readonly Attachment[]) => void): void {
  event.preventDefault();
  const files = droppedFiles(event.dataTransfer.getData('text/uri-list'));
  if (files.length > 0) attach(files);
  else void picturesOf(event.dataTransfer.files).then(attach);
}

/** A session switches between models of one access; another access is chosen under "Set up…". */
function sameAccess(models: readonly ModelChoice[], provider: string): ModelChoice[] {
  return models.filter((choice) => (choice.provider === 'vscode') === (provider === 'vscode'));
}
