import type { ReactNode } from 'react';
import type { PermissionProvenance } from '../../extension/protocol/permission';
import type { ToolDisplay } from '../../extension/protocol/toolDisplay';
import type { ToolEntry } from '../../extension/protocol/view';
import { DiffView } from '../ui/DiffView';
import { Icon } from '../ui/Icon';
import { Output } from '../ui/Output';
import { pathParts } from '../ui/format';
import { HookRuns } from './HookRuns';

export interface ToolBodyProps {
  readonly entry: ToolEntry;
  readonly root: string;
  readonly onOpenFile: (path: string) => void;
  readonly onOpenDiff: (callId: string) => void;
}

/** What an opened tool line shows: what was asked for where the line can't say it, and what came back. */
export function ToolBody({ entry, root, onOpenFile, onOpenDiff }: ToolBodyProps) {
  return (
    <div className="body">
      <Asked entry={entry} />
      <Came entry={entry} root={root} onOpenFile={onOpenFile} onOpenDiff={onOpenDiff} />
      {entry.decision ? <Decided decision={entry.decision} onOpenFile={onOpenFile} /> : null}
      {entry.hooks && entry.hooks.length > 0 ? <HookRuns runs={entry.hooks} /> : null}
    </div>
  );
}

/** Who let it run, or did not, and where that is written. */
function Decided({ decision, onOpenFile }: { readonly decision: PermissionProvenance; readonly onOpenFile: (path: string) => void }) {
  const { path, behavior, reason, atMs } = decision;
  return (
    <p className="quiet-line" title={new Date(atMs).toLocaleString()}>
      {`${behavior === 'allow' ? 'Allowed' : 'Denied'}: ${reason}`}
      {path === undefined ? null : (
        <>
          {', in '}
          <button type="button" className="link" onClick={() => onOpenFile(path)}>
            {path}
          </button>
        </>
      )}
    </p>
  );
}

function Asked({ entry }: { readonly entry: ToolEntry }): ReactNode {
  const command = entry.input['command'];
  if (typeof command === 'string')
    return command.length > 40 || command.includes('\n') ? <Output text={command} label="Command" keep="start" lines={12} title={<span>Command</span>} /> : null;
  if (entry.toolKind === 'edit' || entry.toolKind === 'read' || Object.keys(entry.input).length === 0) return null;
  return <Output text={JSON.stringify(entry.input, undefined, 2)} label="Input" keep="start" lines={12} title={<span>Input</span>} />;
}

function Came({ entry, root, onOpenFile, onOpenDiff }: ToolBodyProps): ReactNode {
  const { call } = entry;
  switch (call.status) {
    case 'validating':
      return <p className="quiet-line">Not started yet.</p>;
    case 'awaitingPermission':
      return <p className="quiet-line">Waits for your answer in the card above the message box.</p>;
    case 'running':
      return call.output.trim() === '' ? (
        <p className="quiet-line">No output so far.</p>
      ) : (
        <Output text={call.output} label="Output so far" keep="end" lines={20} title={<span>Output so far</span>} />
      );
    case 'completed':
    case 'failed':
      if (call.display) return <Display display={call.display} root={root} onOpenFile={onOpenFile} onOpenDiff={() => onOpenDiff(entry.id)} />;
      return call.text.trim() === '' ? (
        <p className="quiet-line">It returned nothing.</p>
      ) : (
        <Output text={call.text} label="Result" keep={call.status === 'failed' ? 'end' : 'start'} title={<span>Result</span>} />
      );
    case 'denied':
      return <p className="quiet-line">{`Denied${call.decidedBy ? ` by ${call.decidedBy}` : ''}. ${call.text}`}</p>;
    case 'cancelled':
    case 'interrupted':
      return <p className="quiet-line">{call.text || 'It did not finish. What it had done until then is kept.'}</p>;
  }
}

interface DisplayProps {
  readonly display: ToolDisplay;
  readonly root: string;
  readonly onOpenFile: (path: string) => void;
  readonly onOpenDiff: () => void;
}

function Display({ display, root, onOpenFile, onOpenDiff }: DisplayProps): ReactNode {
  switch (display.kind) {
    case 'diff':
      return <DiffView diff={display.diff} root={root} onOpen={onOpenDiff} />;
    case 'output':
      return (
        <>
          <Output text={display.text || '(no output)'} label="Output" keep="end" title={<span>{display.exitCode ? `Output · exit code ${display.exitCode}` : 'Output'}</span>} />
          <FullText path={display.fullPath} onOpenFile={onOpenFile} />
        </>
      );
    case 'files':
      return <Files paths={display.paths} total={display.total} root={root} onOpenFile={onOpenFile} />;
    case 'text':
      return <Output text={display.text} label="Result" keep="start" title={<span>{display.cut ? 'Result, cut' : 'Result'}</span>} />;
    case 'image':
      return <img className="shot" src={`data:${display.mediaType};base64,${display.data}`} alt="What this call returned" />;
  }
}

function FullText({ path, onOpenFile }: { readonly path: string | undefined; readonly onOpenFile: (path: string) => void }): ReactNode {
  if (!path) return null;
  return (
    <div className="under">
      <button type="button" className="btn flat" onClick={() => onOpenFile(path)}>
        Open the whole output
      </button>
    </div>
  );
}

function Files({
  paths,
  total,
  root,
  onOpenFile,
}: {
  readonly paths: readonly string[];
  readonly total: number;
  readonly root: string;
  readonly onOpenFile: (path: string) => void;
}) {
  return (
    <>
      <ul className="sub">
        {paths.map((path) => {
          const { name, folder } = pathParts(path, root);
          return (
            <li key={path}>
              <button type="button" className="row" title={path} onClick={() => onOpenFile(path)}>
                <Icon name="file" />
                <span className="name">{name}</span>
                <span className="desc">{folder}</span>
              </button>
            </li>
          );
        })}
      </ul>
      {total > paths.length ? <p className="quiet-line">{`${total - paths.length} more are not listed here.`}</p> : null}
    </>
  );
}
