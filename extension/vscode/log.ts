import * as vscode from 'vscode';
import type { Log } from '../ports';
import { redact } from './redact';

/** The "Troupe" output channel; its level is the person's to set there. */
export interface EditorLog extends Log, vscode.Disposable {
  readonly show: () => void;
}

export function createLog(): EditorLog {
  const channel = vscode.window.createOutputChannel('Troupe', { log: true });
  return {
    debug: (message) => channel.debug(redact(message)),
    info: (message) => channel.info(redact(message)),
    warn: (message) => channel.warn(redact(message)),
    error: (message) => channel.error(redact(message)),
    show: () => channel.show(),
    dispose: () => channel.dispose(),
  };
}
