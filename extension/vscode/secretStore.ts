import type * as vscode from 'vscode';
import type { Secrets } from '../ports';

/** VS Code's SecretStorage: the keychain of the machine the window runs on. */
export function createSecrets(storage: vscode.SecretStorage): Secrets {
  return {
    get: async (name) => storage.get(name),
    set: async (name, value) => storage.store(name, value),
    delete: async (name) => storage.delete(name),
  };
}
