import type { SessionSummary } from '../../extension/protocol/view';

type Group = SessionSummary['group'];

export const sessionGroups: readonly Group[] = ['needsYou', 'working', 'done'];

export const sessionGroupTitle: Readonly<Record<Group, string>> = { needsYou: 'Needs you', working: 'Working', done: 'Done' };

export const sessionIcon: Readonly<Record<Group, { readonly name: string; readonly tone: 'warn' | 'run' | 'ok'; readonly spin?: boolean }>> = {
  needsYou: { name: 'bell-dot', tone: 'warn' },
  working: { name: 'loading', tone: 'run', spin: true },
  done: { name: 'pass', tone: 'ok' },
};
