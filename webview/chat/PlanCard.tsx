import { useState } from 'react';
import type { PlanReply } from '../../extension/protocol/interaction';
import type { PlanEntry } from '../../extension/protocol/view';
import { Button } from '../ui/Button';
import { CopyButton } from '../ui/CopyButton';
import { Icon } from '../ui/Icon';
import { IconButton } from '../ui/IconButton';
import { Markdown } from '../ui/Markdown';
import { TextArea } from '../ui/TextArea';

interface PlanCardProps {
  readonly entry: PlanEntry;
  readonly name: string;
  readonly open: boolean;
  readonly onToggle: (rowId: string, open: boolean) => void;
  /** Resolves to false or undefined when the answer did not count. */
  readonly onReply: (requestId: string, reply: PlanReply) => Promise<boolean | undefined>;
  readonly onOpenFile: (path: string) => void;
  readonly onLink: (url: string) => void;
}

export function PlanCard(props: PlanCardProps) {
  return props.entry.reply ? <Decided {...props} /> : <Waiting {...props} />;
}

/** A plan that waits: read it, change it in place, then say how the work goes on. */
function Waiting({ entry, name, onReply, onOpenFile, onLink }: PlanCardProps) {
  const { request } = entry;
  const [edited, setEdited] = useState<string | undefined>();
  const [editing, setEditing] = useState(false);
  const [feedback, setFeedback] = useState<string | undefined>();
  const [sent, setSent] = useState(false);
  const plan = edited ?? request.plan;
  const reply = async (answer: PlanReply): Promise<void> => {
    setSent(true);
    if ((await onReply(request.requestId, answer)) === undefined) setSent(false);
  };
  const approve = (mode: 'default' | 'acceptEdits') => () =>
    void reply({ behavior: 'approve', mode, ...(edited !== undefined && edited !== request.plan ? { plan: edited } : {}) });
  return (
    <section className="card" aria-label={`Plan of ${name}`}>
      <header>
        <Icon name="checklist" tone="warn" />
        <h3 className="cut">{`${name} proposes a plan`}</h3>
        <IconButton icon={editing ? 'check' : 'edit'} label={editing ? 'Finish editing' : 'Edit the plan here'} onClick={() => setEditing(!editing)} />
        <IconButton icon="go-to-file" label="Open the plan in the editor" onClick={() => onOpenFile(request.path)} />
        <CopyButton text={plan} label="Copy the plan" />
      </header>
      <div className="plan-text">
        {editing ? (
          <textarea className="field mono" aria-label="Plan" rows={Math.min(24, plan.split('\n').length + 1)} value={plan} onChange={(event) => setEdited(event.target.value)} />
        ) : (
          <Markdown text={plan} onLink={onLink} />
        )}
      </div>
      {edited !== undefined && edited !== request.plan ? <p className="quiet-line">You changed this plan. It is approved as it stands here.</p> : null}
      {feedback === undefined ? (
        <div className="acts">
          <Button kind="primary" disabled={sent} onClick={approve('default')}>
            Approve
          </Button>
          <Button disabled={sent} onClick={approve('acceptEdits')}>
            Approve and accept edits
          </Button>
          <Button disabled={sent} onClick={() => setFeedback('')}>
            Send back…
          </Button>
        </div>
      ) : (
        <>
          <div className="inset">
            <TextArea label={`What should ${name} change?`} value={feedback} onChange={setFeedback} rows={3} />
          </div>
          <div className="acts">
            <Button kind="primary" disabled={sent || feedback.trim() === ''} onClick={() => void reply({ behavior: 'sendBack', feedback: feedback.trim() })}>
              Send back
            </Button>
            <Button disabled={sent} onClick={() => setFeedback(undefined)}>
              Back
            </Button>
          </div>
        </>
      )}
    </section>
  );
}

function Decided({ entry, name, open, onToggle, onLink }: PlanCardProps) {
  const { reply, request } = entry;
  const approved = reply?.behavior === 'approve';
  const word = approved ? 'Plan approved' : reply?.behavior === 'sendBack' ? 'Plan sent back' : 'Plan withdrawn';
  const detail = reply?.behavior === 'sendBack' ? reply.feedback : approved && reply.mode === 'acceptEdits' ? 'edits accepted' : '';
  return (
    <div className="tool">
      <button type="button" className="row" aria-expanded={open} onClick={() => onToggle(entry.id, !open)} title={`Plan of ${name}`}>
        <Icon name={approved ? 'pass' : 'checklist'} tone={approved ? 'ok' : 'off'} />
        <span className="name">{word}</span>
        <span className="desc keep">{detail}</span>
        <Icon name={open ? 'chevron-down' : 'chevron-right'} className="go" />
      </button>
      {open ? (
        <div className="body">
          <Markdown text={(approved ? reply.plan : undefined) ?? request.plan} onLink={onLink} />
        </div>
      ) : null}
    </div>
  );
}
