import type { CommandPart, PermissionExplanation, PermissionRequest, PermissionScope } from '../../extension/protocol/permission';

const iconByKind: Readonly<Record<PermissionRequest['subject']['kind'], string>> = {
  command: 'shield',
  edit: 'edit',
  read: 'book',
  fetch: 'globe',
  search: 'search',
  mcp: 'plug',
  skill: 'lightbulb',
  agent: 'organization',
  plan: 'checklist',
  other: 'shield',
};

export function requestIcon(request: PermissionRequest): string {
  return iconByKind[request.subject.kind];
}

/** The whole of what is asked for: never shortened, the card wraps and scrolls. */
export function requestText(request: PermissionRequest): { readonly label: string; readonly text: string } | undefined {
  const { subject } = request;
  if (subject.command !== undefined) return { label: 'Command', text: subject.command };
  if (subject.diff) return undefined;
  if (subject.url !== undefined) return { label: 'Address', text: subject.url };
  if (subject.paths?.length) return { label: subject.paths.length === 1 ? 'File' : 'Files', text: subject.paths.join('\n') };
  return Object.keys(subject.input).length > 0 ? { label: 'Arguments', text: JSON.stringify(subject.input, undefined, 2) } : undefined;
}

/** One short line for the list of waiting requests. */
export function requestShort(request: PermissionRequest): string {
  const { subject } = request;
  return subject.command?.split('\n')[0] ?? subject.diff?.path.split('/').at(-1) ?? subject.url ?? subject.paths?.[0]?.split('/').at(-1) ?? subject.title;
}

export function whyAsked(explanation: PermissionExplanation): string {
  const rule = explanation.rule ? ` Rule ${explanation.rule}${explanation.source ? ` from ${explanation.source}` : ''}.` : '';
  return `${explanation.reason}${/[.!?]$/.test(explanation.reason) ? '' : '.'}${rule}`;
}

export function partWords(part: CommandPart): string {
  if (part.decision === 'allow') return part.rule ? `allowed by ${part.rule}` : 'allowed';
  if (part.decision === 'deny') return part.rule ? `denied by ${part.rule}` : 'denied';
  return part.reason ?? (part.rule ? `asked for by ${part.rule}` : 'new');
}

export interface ScopeWords {
  readonly title: string;
  /** Where it is saved and how long it holds. */
  readonly detail: string;
}

export function scopeWords(scope: Exclude<PermissionScope, 'once'>, agent: string): ScopeWords {
  switch (scope) {
    case 'agent':
      return { title: 'This agent', detail: `${agent}, until it ends. Saved nowhere` };
    case 'session':
      return { title: 'This session', detail: 'every agent here, until the session ends. Saved nowhere' };
    case 'local':
      return { title: 'This project, only you', detail: 'saved in .claude/settings.local.json, not shared' };
    case 'project':
      return { title: 'This project, everybody', detail: 'saved in .claude/settings.json, shared through git' };
    case 'user':
      return { title: 'You', detail: 'all projects on this machine, saved in your own settings.json' };
  }
}
