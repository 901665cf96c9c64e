import { useEffect, useId, useRef, useState } from 'react';
import type { PermissionRequest, PermissionScope, RuleSuggestion } from '../../extension/protocol/permission';
import { Button } from '../ui/Button';
import { Icon } from '../ui/Icon';
import { requestShort, scopeWords } from './requestWords';

type SavedScope = Exclude<PermissionScope, 'once'>;

interface AlwaysSheetProps {
  readonly request: PermissionRequest;
  readonly agent: string;
  readonly onSave: (scope: SavedScope, rules: readonly string[]) => void;
  readonly onCancel: () => void;
}

/** The exact rule, what else it allows and where it is kept: all said before it is saved. */
export function AlwaysSheet({ request, agent, onSave, onCancel }: AlwaysSheetProps) {
  const [picked, setPicked] = useState(0);
  const [edits, setEdits] = useState<ReadonlyMap<string, string>>(new Map());
  const [scope, setScope] = useState<SavedScope | undefined>();
  const first = useRef<HTMLInputElement>(null);
  const group = useId();
  useEffect(() => first.current?.focus(), []);
  const suggestion = request.suggestions[picked];
  if (!suggestion) return null;
  const scopes = suggestion.scopes.filter((s) => s !== 'once');
  const chosenScope = scope && scopes.includes(scope) ? scope : scopes[0];
  const ruleAt = (i: number): string => edits.get(`${picked}:${i}`) ?? suggestion.rules[i] ?? '';
  const rules = suggestion.rules.map((_, i) => ruleAt(i).trim());
  const changed = rules.some((rule, i) => rule !== suggestion.rules[i]);
  const ready = chosenScope !== undefined && rules.every((rule) => rule !== '');
  const save = (): void => {
    if (chosenScope && ready) onSave(chosenScope, rules);
  };
  return (
    <div className="always" role="dialog" aria-label="Always allow">
      {request.suggestions.length > 1 ? <Suggestions suggestions={request.suggestions} picked={picked} onPick={setPicked} /> : null}
      <div className="lab" id={`${group}-rule`}>
        {rules.length > 1 ? 'Rules' : 'Rule'}
      </div>
      {suggestion.rules.map((rule, i) => (
        <div className="inset" key={rule}>
          <input
            ref={i === 0 ? first : undefined}
            className="field mono"
            aria-labelledby={`${group}-rule`}
            value={ruleAt(i)}
            onChange={(event) => setEdits(new Map([...edits, [`${picked}:${i}`, event.target.value]]))}
            onKeyDown={(event) => {
              if (event.key === 'Enter') save();
            }}
          />
        </div>
      ))}
      <Effect request={request} suggestion={suggestion} changed={changed} />
      <fieldset>
        <legend>Applies to</legend>
        {scopes.map((s) => {
          const words = scopeWords(s, agent);
          return (
            <label className="opt" key={s}>
              <input type="radio" name={group} checked={s === chosenScope} onChange={() => setScope(s)} />
              <span>
                {words.title}
                <small>{words.detail}</small>
              </span>
            </label>
          );
        })}
      </fieldset>
      <div className="acts">
        <Button kind="primary" disabled={!ready} onClick={save}>
          Save rule and allow
        </Button>
        <Button onClick={onCancel}>Cancel</Button>
      </div>
    </div>
  );
}

function Suggestions({ suggestions, picked, onPick }: { readonly suggestions: readonly RuleSuggestion[]; readonly picked: number; readonly onPick: (index: number) => void }) {
  const group = useId();
  return (
    <fieldset>
      <legend>How wide</legend>
      {suggestions.map((suggestion, i) => (
        <label className="opt" key={suggestion.rules.join()}>
          <input type="radio" name={group} checked={i === picked} onChange={() => onPick(i)} />
          <code className="rule-text">{suggestion.rules.join(', ')}</code>
        </label>
      ))}
    </fieldset>
  );
}

function Effect({ request, suggestion, changed }: { readonly request: PermissionRequest; readonly suggestion: RuleSuggestion; readonly changed: boolean }) {
  if (changed) return <p className="quiet-line">You changed the rule. It is saved exactly as it stands here.</p>;
  return (
    <>
      <div className="lab">What it allows</div>
      <ul className="allow" aria-label="What the rule allows">
        <Allowed icon="pass" tone="ok" text={requestShort(request)} word="this request" />
        {suggestion.also?.map((text) => (
          <Allowed key={text} icon="warning" tone="warn" text={text} word="also allowed" />
        ))}
        {suggestion.not?.map((text) => (
          <Allowed key={text} icon="circle-slash" text={text} word="still asks" />
        ))}
      </ul>
    </>
  );
}

function Allowed({ icon, tone, text, word }: { readonly icon: string; readonly tone?: 'ok' | 'warn'; readonly text: string; readonly word: string }) {
  return (
    <li>
      <Icon name={icon} tone={tone} />
      <code title={text}>{text}</code>
      <span>{word}</span>
    </li>
  );
}
