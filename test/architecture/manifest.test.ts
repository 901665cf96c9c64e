import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { listFiles, PackageManager } from '@vscode/vsce';
import { expect, test } from 'vitest';
import { engineSettings } from '../../extension/vscode/flagSettings';
import { verifies } from '../support/verifies';

interface Command {
  readonly command: string;
  readonly title?: string;
  readonly category?: string;
}
interface Manifest {
  readonly main: string;
  readonly icon: string;
  readonly activationEvents: readonly string[];
  readonly capabilities: { readonly untrustedWorkspaces: { readonly restrictedConfigurations: readonly string[] } };
  readonly contributes: {
    readonly commands: readonly Command[];
    readonly menus: Readonly<Record<string, readonly { readonly command: string }[]>>;
    readonly keybindings: readonly { readonly command: string }[];
    readonly views: Readonly<Record<string, readonly { readonly id: string; readonly icon: string }[]>>;
    readonly viewsContainers: { readonly activitybar: readonly { readonly id: string; readonly icon: string }[] };
    readonly configuration: { readonly properties: Readonly<Record<string, { readonly scope: string; readonly markdownDescription: string }>> };
    readonly walkthroughs: readonly { readonly icon: string; readonly steps: readonly { readonly description: string; readonly media: { readonly svg: string; readonly altText: string } }[] }[];
  };
}

const root = process.cwd();
const manifest: Manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const { contributes } = manifest;
const source = [
  join(root, 'extension/extension.ts'),
  ...readdirSync(join(root, 'extension/vscode'))
    .filter((file) => file.endsWith('.ts'))
    .map((file) => join(root, 'extension/vscode', file)),
]
  .map((file) => readFileSync(file, 'utf8'))
  .join('\n');

const declared = contributes.commands.map((entry) => entry.command).sort();
const settings = Object.keys(contributes.configuration.properties);

function found(pattern: RegExp): readonly string[] {
  return [...new Set([...source.matchAll(pattern)].map((match) => match[1] ?? ''))].sort();
}

verifies('workbench:commands:declared-and-registered', () => {
  expect(found(/\bregister(?:Command)?\(\s*'(troupe\.[\w.]+)'/g)).toEqual(declared);
});

test('every command has a title and the category Troupe', () => {
  expect(contributes.commands.filter((entry) => !entry.title || entry.category !== 'Troupe')).toEqual([]);
});

test('menus, keybindings, walkthroughs and code name only commands that exist', () => {
  const viewCommands = Object.values(contributes.views).flatMap((views) => views.map((view) => `${view.id}.focus`));
  const named = [
    ...Object.values(contributes.menus).flatMap((entries) => entries.map((entry) => entry.command)),
    ...contributes.keybindings.map((entry) => entry.command),
    ...contributes.walkthroughs.flatMap((walkthrough) => walkthrough.steps.flatMap((step) => [...step.description.matchAll(/\(command:(troupe\.[\w.]+)/g)].map((match) => match[1] ?? ''))),
    ...found(/command(?:: |\s*=\s*(?:waits \? )?)'(troupe\.[\w.]+)'/g),
    ...found(/executeCommand\('(troupe\.[\w.]+)'/g),
  ];
  expect(named.filter((command) => !declared.includes(command) && !viewCommands.includes(command))).toEqual([]);
});

verifies('workbench:settings:declared-are-used', () => {
  expect(engineSettings.map((key) => `troupe.${key}`).sort()).toEqual([...settings].sort());
});

verifies('workbench:settings:repository-cannot-set-policy', () => {
  const open = settings.filter((key) => contributes.configuration.properties[key]?.scope !== 'machine' && !manifest.capabilities.untrustedWorkspaces.restrictedConfigurations.includes(key));
  expect(open).toEqual([]);
  expect(contributes.configuration.properties['troupe.permissions.allowBypass']?.scope).toBe('machine');
  expect(contributes.configuration.properties['troupe.baseUrl']?.scope).toBe('machine');
});

test('views and panels of the code are declared', () => {
  expect(Object.values(contributes.views).flatMap((views) => views.map((view) => view.id))).toEqual(found(/chatViewId = '([^']+)'/g));
  expect(manifest.activationEvents).toContain(`onWebviewPanel:${found(/wideViewId = '([^']+)'/g)[0]}`);
  expect(manifest.activationEvents).toContain(`onFileSystem:${found(/baseScheme = '([^']+)'/g)[0]}`);
  expect(Object.keys(contributes.views)).toEqual(contributes.viewsContainers.activitybar.map((container) => container.id));
});

test('pictures exist, the marketplace icon is a PNG of at least 128 by 128', () => {
  const pictures = [
    manifest.icon,
    ...contributes.viewsContainers.activitybar.map((container) => container.icon),
    ...Object.values(contributes.views).flatMap((views) => views.map((view) => view.icon)),
    ...contributes.walkthroughs.flatMap((walkthrough) => [walkthrough.icon, ...walkthrough.steps.map((step) => step.media.svg)]),
  ];
  expect(pictures.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  const png = readFileSync(join(root, manifest.icon));
  expect(png.subarray(1, 4).toString()).toBe('PNG');
  expect(Math.min(png.readUInt32BE(16), png.readUInt32BE(20))).toBeGreaterThanOrEqual(128);
});

verifies('workbench:package:only-what-runs', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'troupe-package-'));
  try {
    const ships = ['LICENSE', 'README.md', 'dist/extension.js', 'dist/tree-sitter.wasm', 'dist/webview.css', 'media/icon.png', 'media/walkthrough/ask.svg', 'package.json'];
    const stays = ['.gitignore', '.ci/run.sh', 'dist/extension.js.map', 'dist/webview.meta.json', 'esbuild.mjs', 'extension/engine.ts', 'node_modules/zod/index.js', 'package-lock.json', 'test/.out/log', 'tsconfig.json', 'webview/main.tsx', 'secrets.env'];
    for (const path of [...ships, ...stays]) {
      mkdirSync(dirname(join(dir, path)), { recursive: true });
      writeFileSync(join(dir, path), '');
    }
    for (const path of ['.vscodeignore', 'package.json']) cpSync(join(root, path), join(dir, path));
    expect((await listFiles({ cwd: dir, packageManager: PackageManager.None })).sort()).toEqual(ships);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
});
