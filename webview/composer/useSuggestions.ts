import { useEffect, useMemo, useState } from 'react';
import type { SkillListing } from '../../extension/protocol/methods';
import { useApp, useAppState } from '../store/appContext';
import { pathParts } from '../ui/format';
import { fuzzyMatch, type Trigger } from './suggest';

export interface Suggestion {
  readonly id: string;
  readonly icon: string;
  readonly name: string;
  readonly at: readonly number[];
  readonly detail: string;
  readonly tag: string | undefined;
  /** The line below the list, for the one that is current. */
  readonly about: string;
  /** What takes the place of the typed word. */
  readonly insert: string;
  /** Set for files: attached beside the message. */
  readonly path: string | undefined;
}

const shown = 12;

export function useSuggestions(trigger: Trigger | undefined): readonly Suggestion[] {
  const skills = useSkills(trigger?.kind === 'skill');
  const files = useFiles(trigger?.kind === 'file' ? trigger.query : undefined);
  const query = trigger?.query ?? '';
  const skillRows = useMemo(() => skillSuggestions(skills, query), [skills, query]);
  if (!trigger) return [];
  return trigger.kind === 'skill' ? skillRows : files;
}

function skillSuggestions(skills: readonly SkillListing[], query: string): readonly Suggestion[] {
  const names = new Map<string, number>();
  for (const skill of skills) names.set(skill.name, (names.get(skill.name) ?? 0) + 1);
  return skills
    .flatMap((skill) => {
      const match = fuzzyMatch(query, skill.name) ?? (fuzzyMatch(query, skill.qualified) ? { score: -1, at: [] } : undefined);
      return match ? [{ skill, match }] : [];
    })
    .sort((a, b) => b.match.score - a.match.score || a.skill.name.localeCompare(b.skill.name))
    .slice(0, 50)
    .map(({ skill, match }) => ({
      id: skill.qualified,
      icon: skill.kind === 'local' ? 'symbol-event' : skill.kind === 'command' ? 'terminal' : 'lightbulb',
      name: skill.name,
      at: match.at,
      detail: skill.argumentHint ?? '',
      tag: skill.source,
      about: skill.description,
      insert: `/${(names.get(skill.name) ?? 0) > 1 ? skill.qualified : skill.name}`,
      path: undefined,
    }));
}

/** Asked for each time the list opens, so that a skill just written is there. */
function useSkills(open: boolean): readonly SkillListing[] {
  const { actions } = useApp();
  const [skills, setSkills] = useState<readonly SkillListing[]>([]);
  useEffect(() => {
    let gone = false;
    if (open) void actions.call('skill/list', {}).then((reply) => reply && !gone && setSkills(reply.skills));
    return () => {
      gone = true;
    };
  }, [open, actions]);
  return skills;
}

function useFiles(query: string | undefined): readonly Suggestion[] {
  const { actions } = useApp();
  // The engine reads `@path` from the session's folder.
  const root = useAppState((state) => state.view?.session.cwd ?? '');
  const [files, setFiles] = useState<readonly Suggestion[]>([]);
  useEffect(() => {
    let gone = false;
    if (query === undefined) return;
    void actions.call('file/search', { query, limit: shown }).then((reply) => {
      if (reply && !gone) setFiles(reply.files.map((path) => fileSuggestion(path, root, query)));
    });
    return () => {
      gone = true;
    };
  }, [query, root, actions]);
  return query === undefined ? [] : files;
}

function fileSuggestion(path: string, root: string, query: string): Suggestion {
  const { name, folder } = pathParts(path, root);
  const relative = folder === '' ? name : `${folder}/${name}`;
  return { id: path, icon: 'file-code', name, at: fuzzyMatch(query, name)?.at ?? [], detail: folder, tag: undefined, about: relative, insert: /\s/.test(relative) ? `@"${relative}"` : `@${relative}`, path };
}
