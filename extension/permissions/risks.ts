import type { PermissionSubject } from '../protocol/permission';
import { fileTargets, operands } from './commandPaths';
import type { SimpleCommand, Word } from './commandTypes';
import { commandName, innerCommands } from './commandWrappers';
import { expandHome, isInside, normalPath } from './pathForms';
import type { PermissionPolicy } from './permissionTypes';
import { protectedReason } from './protectedPaths';

/** What could go wrong, in words, worst first. Hints for a person: never the ground of a decision. */
export function risksOf(call: { readonly subject: PermissionSubject; readonly policy: PermissionPolicy; readonly parts: readonly SimpleCommand[]; readonly unparsable: boolean }): readonly string[] {
  const { subject, policy, parts } = call;
  const found = new Set<string>(call.unparsable ? ['Could not be checked: the shell syntax is not understood'] : []);
  const forms = parts.flatMap((part) => innerCommands(part.words).forms);
  if (piped(subject.command ?? '', forms)) found.add('Runs code from the internet');
  for (const [risk, matches] of commandRisks) if (forms.some(matches)) found.add(risk);
  if (parts.some((p) => p.kind === 'evaluation' || p.words[0]?.dynamic)) found.add('What it runs is only known when it runs');
  for (const path of touched(subject, policy, forms)) {
    const guard = protectedReason(path);
    if (guard && subject.kind !== 'read' && subject.kind !== 'search') found.add(`Changes a protected file: ${guard}`);
    if (!policy.workingDirs.some((dir) => isInside(path, normalPath(dir)))) found.add('Outside the workspace');
  }
  if (subject.kind === 'fetch') found.add('Sends a request to the network');
  return [...found];
}

type Matches = (words: readonly Word[]) => boolean;

function has(words: readonly Word[], pattern: RegExp): boolean {
  return words.slice(1).some((w) => pattern.test(w.text));
}

function verb(words: readonly Word[]): string {
  return `${commandName(words)} ${operands(words.slice(1))[0]?.text ?? ''}`;
}

const commandRisks: readonly (readonly [string, Matches])[] = [
  ['Runs with administrator rights', (w) => /^(sudo|doas|pkexec|su)$/.test(commandName(w))],
  ['Changes git history', (w) => /^git (rebase|filter-branch|filter-repo|reflog|gc)$/.test(verb(w)) || (/^git reset$/.test(verb(w)) && has(w, /^--hard$/)) || (/^git commit$/.test(verb(w)) && has(w, /^--amend$/)) || (/^git push$/.test(verb(w)) && has(w, /^(-f|--force.*|\+.*|--mirror|--delete|-d)$/)) || (/^git branch$/.test(verb(w)) && has(w, /^-D$/))],
  ['Discards uncommitted work', (w) => /^git (checkout|restore|clean|stash)$/.test(verb(w)) || (/^git reset$/.test(verb(w)) && has(w, /^--hard$/))],
  ['Deletes files', (w) => /^(rm|rmdir|unlink|shred)$/.test(commandName(w)) || (commandName(w) === 'find' && has(w, /^-delete$/)) || /^git (clean|rm)$/.test(verb(w))],
  ['Publishes outside this machine', (w) => /^git push$/.test(verb(w)) || /^(npm|pnpm|yarn|cargo|twine|gem|docker) (publish|upload|push)$/.test(verb(w)) || /^gh (pr|release|issue|repo)$/.test(verb(w))],
  ['Downloads from the network and runs package scripts', (w) => /^(npm|pnpm|yarn|bun|pip3?|poetry|uv|gem|cargo|go|brew|apt|apt-get|dnf|composer) (i|install|add|ci|update|upgrade|get|sync|require)$/.test(verb(w)) || /^(npx|bunx|pnpx|uvx|pipx)$/.test(commandName(w)) || (commandName(w) === 'yarn' && w.length === 1)],
  ['Sends requests to the network', (w) => /^(curl|wget|ssh|scp|sftp|rsync|nc|ncat|telnet|ftp|http|https)$/.test(commandName(w)) || /^git (clone|fetch|pull|push)$/.test(verb(w))],
  ['Ends other processes', (w) => /^(kill|killall|pkill)$/.test(commandName(w))],
  ['Changes permissions of files', (w) => /^(chmod|chown|chgrp|setfacl)$/.test(commandName(w))],
];

function piped(command: string, forms: readonly (readonly Word[])[]): boolean {
  const fetches = forms.some((w) => /^(curl|wget)$/.test(commandName(w)));
  return fetches && (/(\||<\()\s*(sudo\s+)?(ba|z|k|da)?sh\b|\|\s*(sudo\s+)?(python\d?|node|perl|ruby)\b/.test(command) || forms.some((w) => /^(eval|source|\.|bash|sh|zsh)$/.test(commandName(w))));
}

function touched(subject: PermissionSubject, policy: PermissionPolicy, forms: readonly (readonly Word[])[]): readonly string[] {
  const words = forms.flatMap((form) => {
    const { reads, edits } = fileTargets(form);
    return [...reads, ...edits].filter((w) => !w.dynamic).map((w) => w.text);
  });
  return [...(subject.paths ?? []), ...words].map((path) => normalPath(expandHome(path, policy.homeDir), subject.cwd));
}
