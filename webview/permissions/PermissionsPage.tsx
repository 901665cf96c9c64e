import { useCallback, useEffect, useState } from 'react';
import type { MethodResult } from '../../extension/protocol/methods';
import type { PermissionGrant } from '../../extension/protocol/permission';
import type { Actions } from '../store/actions';
import { Button } from '../ui/Button';
import { IconButton } from '../ui/IconButton';

interface PermissionsPageProps {
  readonly sessionId: string;
  readonly root: string;
  readonly agentName: (agentId: string) => string;
  readonly actions: Pick<Actions, 'call' | 'openFile'>;
  readonly onBack: () => void;
}

/** Every rule that counts now, where it stands, and a way to take it back or to try one on what has been. */
export function PermissionsPage({ sessionId, root, agentName, actions, onBack }: PermissionsPageProps) {
  const [grants, setGrants] = useState<readonly PermissionGrant[] | undefined>();
  const [problem, setProblem] = useState<string | undefined>();
  const load = useCallback(async () => {
    const reply = await actions.call('permission/grants', { sessionId });
    if (reply) setGrants(reply.grants);
  }, [actions, sessionId]);
  useEffect(() => void load(), [load]);
  const revoke = async (grant: PermissionGrant): Promise<void> => {
    const reply = await actions.call('permission/revoke', { sessionId, grantId: grant.id });
    setProblem(reply?.problem);
    await load();
  };
  return (
    <section className="grants" aria-label="Permissions">
      <div className="scope">
        <IconButton icon="arrow-left" label="Back to the chat" onClick={onBack} />
        <h3 className="cut">Permissions</h3>
      </div>
      {problem === undefined ? null : <p role="alert">{problem}</p>}
      {grants?.length === 0 ? <p className="quiet-line">No rules count here: what changes something is asked about.</p> : null}
      <ul className="grant-list" aria-label="Rules that count now">
        {grants?.map((grant) => (
          <li key={grant.id}>
            <span className={`verdict ${grant.behavior}`}>{grant.behavior}</span>
            <code title={grant.rule}>{grant.rule}</code>
            <span className="where">
              {grant.path === undefined ? (
                whereWords(grant, agentName)
              ) : (
                <button type="button" className="link" onClick={() => void actions.openFile(grant.path ?? '')}>
                  {shortPath(grant.path, root)}
                </button>
              )}
            </span>
            {grant.revocable ? <Button onClick={() => void revoke(grant)}>Revoke</Button> : null}
          </li>
        ))}
      </ul>
      <Replay sessionId={sessionId} actions={actions} />
    </section>
  );
}

type Replayed = MethodResult<'permission/replay'>;
type Behavior = 'allow' | 'ask' | 'deny';
const done: Readonly<Record<Behavior, string>> = { allow: 'would have allowed', ask: 'would have asked about', deny: 'would have denied' };

function Replay({ sessionId, actions }: Pick<PermissionsPageProps, 'sessionId' | 'actions'>) {
  const [rule, setRule] = useState('');
  const [behavior, setBehavior] = useState<Behavior>('allow');
  const [result, setResult] = useState<(Replayed & { readonly behavior: Behavior }) | undefined>();
  const run = async (): Promise<void> => {
    const reply = rule.trim() === '' ? undefined : await actions.call('permission/replay', { sessionId, rule: rule.trim(), behavior });
    setResult(reply && { ...reply, behavior });
  };
  return (
    <form
      className="replay"
      onSubmit={(event) => {
        event.preventDefault();
        void run();
      }}
    >
      <div className="lab">Try a rule on this session’s past calls</div>
      <div className="inset">
        <select className="field" aria-label="What the rule does" value={behavior} onChange={(event) => setBehavior(behaviorOf(event.target.value))}>
          <option value="allow">allow</option>
          <option value="ask">ask</option>
          <option value="deny">deny</option>
        </select>
        <input className="field mono" aria-label="Rule" placeholder="Bash(npm run *)" value={rule} onChange={(event) => setRule(event.target.value)} />
        <Button disabled={rule.trim() === ''} onClick={() => void run()}>
          Try
        </Button>
      </div>
      {result === undefined ? null : (
        <>
          <p role="status">{result.problem ?? `It ${done[result.behavior]} ${result.matched} of ${result.total} calls.`}</p>
          <ul className="grant-list" aria-label="Calls the rule speaks about">
            {result.calls
              .filter((call) => call.matched)
              .map((call) => (
                <li key={call.callId}>
                  <span>{call.name}</span>
                  <code title={call.title}>{call.title}</code>
                  <span className="where">{call.outcome}</span>
                </li>
              ))}
          </ul>
        </>
      )}
    </form>
  );
}

function behaviorOf(value: string): Behavior {
  return value === 'deny' || value === 'ask' ? value : 'allow';
}

function whereWords(grant: PermissionGrant, agentName: (agentId: string) => string): string {
  if (grant.scope === 'refused') return `until your next message: ${grant.why ?? 'you refused it'}`;
  if (grant.scope === 'turn') return `this turn of ${agentName(grant.agentId ?? '')}`;
  if (grant.scope === 'agent') return `only ${agentName(grant.agentId ?? '')}`;
  return grant.scope === 'session' ? 'this session' : grant.scope;
}

function shortPath(path: string, root: string): string {
  return path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path;
}
