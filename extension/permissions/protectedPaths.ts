const folders = new Set(['.git', '.vscode', '.idea', '.husky', '.cargo', '.devcontainer', '.yarn', '.mvn', '.claude']);
const files = new Set(
  [
    '.bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .zlogout .kshrc .cshrc .tcshrc .inputrc .envrc',
    '.gitconfig .gitmodules .npmrc .yarnrc .yarnrc.yml .pnpmfile.cjs .mcp.json .claude.json .bazelrc bazelrc .bazeliskrc .ripgreprc',
    '.pre-commit-config.yaml .pre-commit-config.yml lefthook.yml lefthook.yaml .lefthook.yml .lefthook.yaml lefthook-local.yml',
    'gradle-wrapper.properties maven-wrapper.properties .pypirc .netrc',
  ]
    .join(' ')
    .split(' '),
);

/**
 * What a change to `path` could hijack, in words; undefined when it is an ordinary file. These are never changed
 * without a person's yes (only bypassPermissions skips it): they run code later, or widen what may run.
 * A file in an agent's worktree is judged by its place inside that worktree.
 * @param path normal form, absolute
 */
export function protectedReason(path: string): string | undefined {
  const segments = inWorktree(path.split('/').filter((s) => s !== '')).map((s) => s.toLowerCase());
  const folder = segments.find((s) => folders.has(s));
  if (folder) return `${folder} can change what runs on this machine`;
  if (segments.some((s, i) => s === '.config' && (segments[i + 1] === 'git' || segments[i + 1] === 'fish'))) return '.config/git can change what git runs';
  const name = segments.at(-1) ?? '';
  return files.has(name) ? `${name} can change what runs on this machine` : undefined;
}

function inWorktree(segments: readonly string[]): readonly string[] {
  for (let i = segments.length - 3; i >= 0; i--) {
    if (segments[i] === '.claude' && segments[i + 1] === 'worktrees') return segments.slice(i + 3);
  }
  return segments;
}
