import type { SessionSummary, WorkspaceView } from '../../extension/protocol/view';
import { ago, plural } from '../ui/format';
import { Button } from '../ui/Button';
import { Icon } from '../ui/Icon';
import { sessionIcon } from './sessionWords';

interface EmptyChatProps {
  readonly workspace: WorkspaceView;
  readonly onSuggest: (text: string, attach?: 'problems') => void;
  /** Sends it at once. */
  readonly onSend: (text: string) => void;
  readonly onOpenSession: (sessionId: string) => void;
  readonly onManageTrust: () => void;
}

const recentShown = 4;

/** Before the first message: what can be done here, and the way back to what was done before. */
export function EmptyChat({ workspace, onSuggest, onSend, onOpenSession, onManageTrust }: EmptyChatProps) {
  const recent = [...workspace.sessions]
    .sort((a, b) => b.lastEventAtMs - a.lastEventAtMs)
    .filter((s) => s.title !== '')
    .slice(0, recentShown);
  const { problemCount } = workspace.editor;
  return (
    <div className="panel" role="group" aria-label="New conversation">
      <div className="empty">
        {workspace.trusted ? null : <Restricted onManage={onManageTrust} />}
        {workspace.model.state === 'ready' && workspace.model.provider === 'demo' ? <DemoStart onSend={onSend} /> : <Suggestions problemCount={problemCount} onSuggest={onSuggest} />}
        {recent.length > 0 ? <Recent sessions={recent} onOpen={onOpenSession} /> : null}
      </div>
    </div>
  );
}

function Suggestions({ problemCount, onSuggest }: Pick<EmptyChatProps, 'onSuggest'> & { readonly problemCount: number }) {
  return (
    <>
      <div>
        <h3>What should the troupe do?</h3>
        <p className="muted">It reads your project, plans, hands parts to other agents, and asks before it acts.</p>
      </div>
      <ul className="choices">
        {problemCount > 0 ? (
          <Suggestion
            icon="warning"
            title={`Fix ${plural(problemCount, 'problem')} in this file`}
            detail="From the Problems view"
            onPick={() => onSuggest('Fix these problems.', 'problems')}
          />
        ) : null}
        <Suggestion
          icon="book"
          title="Explain this repository"
          detail="Reads only"
          onPick={() => onSuggest('Explain this repository: what it does, how it is built, and where to start reading.')}
        />
        <Suggestion icon="beaker" title="Run the tests and fix what fails" detail="Asks before it runs them" onPick={() => onSuggest('Run the tests and fix what fails.')} />
      </ul>
    </>
  );
}

/** The demo knows its own words only, so they are one click each. */
function DemoStart({ onSend }: Pick<EmptyChatProps, 'onSend'>) {
  return (
    <>
      <div>
        <h3>See it work</h3>
        <p className="muted">A fixed script plays the model. What it does is real: it reads, changes and runs things in this folder, and asks before it does.</p>
      </div>
      <ul className="choices">
        <Suggestion icon="play" title="Start the demo" detail="A change, agents, review, undo" onPick={() => onSend('Start the demo')} />
        <Suggestion icon="list-tree" title="Straight to the agents" detail="Two at work, one in a worktree" onPick={() => onSend('agents')} />
      </ul>
    </>
  );
}

function Suggestion({ icon, title, detail, onPick }: { readonly icon: string; readonly title: string; readonly detail: string; readonly onPick: () => void }) {
  return (
    <li>
      <button type="button" className="row2 choice" onClick={onPick}>
        <Icon name={icon} />
        <span className="t">{title}</span>
        <span className="t2">{detail}</span>
      </button>
    </li>
  );
}

function Recent({ sessions, onOpen }: { readonly sessions: readonly SessionSummary[]; readonly onOpen: (sessionId: string) => void }) {
  return (
    <div className="block recent">
      <h3 className="sec">Recent</h3>
      <ul>
        {sessions.map((session) => (
          <li key={session.sessionId}>
            <button type="button" className="row" title={session.title} onClick={() => onOpen(session.sessionId)}>
              <Icon {...sessionIcon[session.group]} />
              <span className="name grow">{session.title}</span>
              <span className="meta">{ago(session.lastEventAtMs, Date.now())}</span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

function Restricted({ onManage }: { readonly onManage: () => void }) {
  return (
    <div>
      <h3>Restricted mode</h3>
      <p className="muted">You have not said that you trust the authors of this folder. Until you do:</p>
      <ul className="facts flush">
        <li>
          <Icon name="pass" tone="ok" />
          <span>You can chat, and allow single commands and edits</span>
        </li>
        <li>
          <Icon name="circle-slash" />
          <span>Its rules allow nothing: you are asked each time</span>
        </li>
        <li>
          <Icon name="circle-slash" />
          <span>No skills, hooks, agents or servers from this folder</span>
        </li>
      </ul>
      <Button onClick={onManage}>Manage trust</Button>
    </div>
  );
}
