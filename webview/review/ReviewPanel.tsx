import { useRef, useState } from 'react';
import type { SessionSummary } from '../../extension/protocol/view';
import type { MergeConflictView, TrashView, WorktreesView, WorktreeView } from '../../extension/protocol/worktree';
import { useApp, useAppState, useUi, useView } from '../store/appContext';
import { compose } from '../store/commands';
import { Button } from '../ui/Button';
import { plural } from '../ui/format';
import { IconButton } from '../ui/IconButton';
import { Spinner } from '../ui/Spinner';
import type { TakeOutcome } from './MergeSheet';
import { ReviewToast, type ToastInfo } from './ReviewToast';
import { fileKey, resolveRequest, tickKey } from './reviewWords';
import { TrashList } from './TrashList';
import { type Owner, WorktreeCard } from './WorktreeCard';

const noSessions: readonly SessionSummary[] = [];
const none: WorktreesView = { worktrees: [], trash: [] };

/** Agents' work that waits to be read and taken in, and what was thrown away. */
export function ReviewPanel({ onOpenAgent }: { readonly onOpenAgent: (agentId: string) => void }) {
  const { worktrees, trash, off } = useAppState((state) => state.workspace?.worktrees ?? none);
  const [toast, setToast] = useState<ToastInfo | undefined>();
  const panel = useRef<HTMLDivElement>(null);
  const todo = useReviewActions(setToast, panel);
  const owners = useOwners(onOpenAgent);
  const nothing = worktrees.length === 0 && trash.length === 0;
  return (
    <div ref={panel} className="panel review" tabIndex={0} role="group" aria-label="Changes to review">
      {off === undefined ? <ReviewHead worktrees={worktrees} /> : <Off reason={off} />}
      {off === undefined && worktrees.length === 0 ? <Nothing hasTrash={!nothing} /> : null}
      {owners.sorted(worktrees).map((worktree) => {
        const owner = owners.of(worktree);
        return (
          <WorktreeCard
            key={`${worktree.name}@${worktree.createdAtMs}`}
            worktree={worktree}
            owner={owner}
            onShowOwner={() => void owners.show(worktree)}
            onTaken={(kind, outcome, branch) => todo.taken(worktree, { kind, outcome, branch })}
            onAskAgent={(into, conflicts) => void todo.askAgent(worktree, { owner, into, conflicts })}
            onDiscard={() => void todo.discard(worktree)}
          />
        );
      })}
      {trash.length > 0 ? <TrashList trash={trash} onRestore={(entry) => void todo.restore(entry)} /> : null}
      {toast ? <ReviewToast toast={toast} onClose={() => setToast(undefined)} /> : null}
    </div>
  );
}

function ReviewHead({ worktrees }: { readonly worktrees: readonly WorktreeView[] }) {
  const { actions } = useApp();
  const reviewed = useUi((state) => state.reviewed);
  const [busy, setBusy] = useState(false);
  const files = worktrees.flatMap((worktree) => worktree.files.map((file) => reviewed[tickKey(worktree)]?.includes(fileKey(file)) ?? false));
  const refresh = async (): Promise<void> => {
    setBusy(true);
    await actions.call('worktree/refresh', {});
    setBusy(false);
  };
  return (
    <div className="scope">
      <span className="cut">{worktrees.length === 0 ? 'No worktrees' : plural(worktrees.length, 'worktree')}</span>
      <span className="grow" />
      {files.length > 0 ? <span className="muted small num cut">{`${files.filter((done) => done).length} of ${files.length} reviewed`}</span> : null}
      {busy ? <Spinner word="Looking" /> : <IconButton icon="refresh" label="Look again" onClick={() => void refresh()} />}
    </div>
  );
}

function Off({ reason }: { readonly reason: string }) {
  return (
    <div className="empty">
      <div>
        <h3>Worktrees are off here</h3>
        <p className="muted">{reason}</p>
      </div>
      <p className="muted">Agents work in your files directly meanwhile, and ask before they change them.</p>
    </div>
  );
}

function Nothing({ hasTrash }: { readonly hasTrash: boolean }) {
  const app = useApp();
  const text = 'Do these in parallel, each by an agent in a worktree of its own:\n1. ';
  return (
    <div className="empty">
      <div>
        <h3>Nothing to review</h3>
        <p className="muted">
          {hasTrash
            ? 'No agent has changes waiting. What you discarded is below.'
            : 'An agent in a worktree of its own leaves your files alone; what it changed waits here until you merge or discard it.'}
        </p>
      </div>
      {hasTrash ? null : <Button onClick={() => void compose({ text, submit: false }, app)}>Ask for work in worktrees…</Button>}
    </div>
  );
}

interface Taken {
  readonly kind: 'merge' | 'apply';
  readonly outcome: TakeOutcome;
  readonly branch: string;
}

interface Asked {
  readonly owner: Owner;
  readonly into: string;
  readonly conflicts: readonly MergeConflictView[];
}

/** The decisions, each with what to say afterwards and the way back. */
function useReviewActions(setToast: (toast: ToastInfo | undefined) => void, panel: React.RefObject<HTMLElement | null>) {
  const { actions, ui } = useApp();
  const say = (toast: ToastInfo): void => {
    setToast(toast);
    ui.change({ announcement: toast.title });
  };
  /** The button that had the keyboard goes with its card. */
  const keepFocus = (): void => panel.current?.focus();
  const failed = (title: string, detail: string): void => say({ icon: 'error', tone: 'err', title, detail });
  const restore = async (entry: Pick<TrashView, 'id' | 'name'>): Promise<void> => {
    const reply = await actions.call('worktree/restore', { trashId: entry.id });
    if (reply?.problem !== undefined) failed(`${entry.name} could not be restored`, reply.problem);
    else if (reply) {
      keepFocus();
      say({ icon: 'discard', title: `${reply.name ?? entry.name} is back`, detail: 'Its branch and its uncommitted files are as they were.' });
    }
  };
  return {
    restore,
    discard: async ({ name }: WorktreeView): Promise<void> => {
      const reply = await actions.call('worktree/discard', { name });
      if (reply?.problem !== undefined) return failed(`${name} was not discarded`, reply.problem);
      if (!reply) return;
      keepFocus();
      const { trashId } = reply;
      say({
        icon: 'trash',
        title: `Discarded ${name}`,
        detail: trashId === undefined ? 'It held no changes.' : 'Kept in Trash below.',
        action: trashId === undefined ? undefined : { label: 'Undo', run: () => void restore({ id: trashId, name }) },
      });
    },
    taken: ({ name }: WorktreeView, { kind, outcome, branch }: Taken): void => {
      keepFocus();
      const gone = outcome.removed ? ' Its worktree is gone.' : '';
      const files = plural(outcome.files.length, 'file');
      const backup = outcome.backupRef ? ` Your own uncommitted files as they were: ${outcome.backupRef}.` : '';
      if (kind === 'apply') say({ icon: 'check', tone: 'ok', title: `Applied ${name} to your files`, detail: `${files}, not committed.${gone}${backup}` });
      else
        say({
          icon: 'git-merge',
          tone: 'ok',
          title: `Merged ${name} into ${branch}`,
          detail: `${files}${outcome.commit ? `, now at ${outcome.commit.slice(0, 7)}` : ''}.${gone}${backup}`,
        });
    },
    askAgent: async (worktree: WorktreeView, { owner, into, conflicts }: Asked): Promise<void> => {
      const reply = await actions.call('turn/submit', {
        sessionId: worktree.sessionId,
        agentId: worktree.ownerAgentId,
        text: resolveRequest(worktree, into, conflicts),
        attachments: [],
      });
      if (reply) say({ icon: 'comment', title: `Asked ${owner.name} to resolve`, detail: 'Merge again when it is done.' });
    },
  };
}

/** Whose work it is, also when that session is not the one shown. */
function useOwners(onOpenAgent: (agentId: string) => void) {
  const { actions } = useApp();
  const agents = useView((view) => view.agents);
  const sessionId = useView((view) => view.session.sessionId);
  const sessions = useAppState((state) => state.workspace?.sessions ?? noSessions);
  return {
    of: (worktree: WorktreeView): Owner => {
      const agent = worktree.sessionId === sessionId ? agents[worktree.ownerAgentId] : undefined;
      const elsewhere = sessions.find((session) => session.sessionId === worktree.sessionId)?.title;
      return { name: agent?.name ?? 'its agent', label: agent?.name ?? (elsewhere || 'its agent'), isWorking: agent?.status === 'working' || agent?.status === 'waiting' };
    },
    /** What this session made comes first, and the newest of it. */
    sorted: (worktrees: readonly WorktreeView[]): readonly WorktreeView[] => {
      const rank = (worktree: WorktreeView): number => (worktree.sessionId === sessionId ? 0 : 1);
      return [...worktrees].sort((a, b) => rank(a) - rank(b) || b.createdAtMs - a.createdAtMs);
    },
    show: async (worktree: WorktreeView): Promise<void> => {
      if (worktree.sessionId !== sessionId) await actions.openSession(worktree.sessionId);
      onOpenAgent(worktree.ownerAgentId);
    },
  };
}
