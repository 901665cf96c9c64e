import { basename } from 'node:path';
import type { Problem } from '../base/problem';
import type { Notice } from '../protocol/events';
import type { View } from '../protocol/view';

/** One notice for each kind of settings file that is not used as written, with its place and what counts instead. */
export function settingsNotices(problems: readonly Problem[]): readonly Omit<Notice, 'noticeId'>[] {
  const broken = problems.filter((problem) => problem.severity === 'error');
  const managed = broken.filter((problem) => isManaged(problem.path));
  const own = broken.filter((problem) => !isManaged(problem.path));
  const sandbox = problems.find((problem) => problem.code === 'sandbox-absent');
  return [
    ...(sandbox ? [{ level: 'warning' as const, code: 'sandboxAbsent', title: 'Commands are not confined.', detail: sandbox.message }] : []),
    ...(managed.length > 0
      ? [{ level: 'error' as const, code: 'managedSettings', title: 'Your organisation’s settings can’t be read.', detail: `${lines(managed)}\nUntil they are mended the strictest meaning of what they may hold counts: only their own rules allow, only their hooks and servers run.` }]
      : []),
    ...(own.length > 0
      ? [{ level: 'warning' as const, code: 'settingsFiles', title: own.length === 1 ? 'A settings file is not used.' : `${own.length} settings files are not used.`, detail: lines(own), actions: own.flatMap(({ path }) => (path === undefined ? [] : [{ id: `openFile:${path}`, label: `Open ${basename(path)}` }])) }]
      : []),
  ];
}

function isManaged(path: string | undefined): boolean {
  return path !== undefined && /[\\/]managed-settings(\.json|\.d[\\/][^\\/]+)$/.test(path);
}

function lines(problems: readonly Problem[]): string {
  return problems.map(({ path, line, message }) => `${path ?? 'settings'}${line === undefined ? '' : `:${line}`}: ${message}`).join('\n');
}

interface NamedIn {
  readonly kit: { readonly options: { readonly interactive: boolean }; readonly settingsProblems: () => readonly Problem[] };
  readonly log: { readonly view: View };
  readonly raise: (notice: Omit<Notice, 'noticeId'>) => void;
}

/** Tells the person of a session, once for the same files. @returns the session */
export function nameBrokenSettings<T extends NamedIn>(session: T): T {
  if (!session.kit.options.interactive) return session;
  for (const notice of settingsNotices(session.kit.settingsProblems())) {
    if (!session.log.view.notices.some((one) => one.code === notice.code && one.detail === notice.detail)) session.raise(notice);
  }
  return session;
}
