import { join } from 'node:path';

/** Where VS Code, VSCodium and code-server of different ages keep the ripgrep they ship, likeliest first. */
export function ripgrepCandidates(appRoot: string, platform: string, arch: string): readonly string[] {
  const binary = platform === 'win32' ? 'rg.exe' : 'rg';
  const target = `${platform}-${arch}`;
  const packages = [
    ['@vscode', 'ripgrep', 'bin'],
    ['@vscode', 'ripgrep-universal', 'bin', target],
    ['@vscode', `ripgrep-${target}`, 'bin'],
    ['vscode-ripgrep', 'bin'],
  ];
  const roots = ['node_modules', 'node_modules.asar.unpacked'];
  return packages.flatMap((parts) => roots.map((root) => join(appRoot, root, ...parts, binary)));
}
