import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { FileIndex, rankFiles } from '../../../extension/engine/fileIndex';
import { createProcessRunner } from '../../../extension/platform/processRunner';
import { createRipgrepRunner } from '../../../extension/platform/ripgrepRunner';
import { createManualClock } from '../../support/manualClock';
import { verifies } from '../../support/verifies';

const files = ['src/core/retry.ts', 'src/core/retry.test.ts', 'docs/how-to-retry.md', 'retry/index.ts', 'src/Tree.ts', 'README.md', 'lib/retrying/a.ts'];

verifies('engine:files:ranked', () => {
  const rows: readonly (readonly [string, readonly string[]])[] = [
    ['retry', ['src/core/retry.ts', 'src/core/retry.test.ts', 'docs/how-to-retry.md', 'retry/index.ts', 'lib/retrying/a.ts']],
    ['retry.ts', ['src/core/retry.ts', 'retry/index.ts', 'lib/retrying/a.ts', 'src/core/retry.test.ts']],
    ['RETRY/', ['retry/index.ts', 'lib/retrying/a.ts']],
    ['core/re', ['src/core/retry.ts', 'src/core/retry.test.ts']],
    ['tree', ['src/Tree.ts']],
    ['readme.md', ['README.md']],
    ['zzz', []],
  ];
  for (const [query, expected] of rows) expect(rankFiles(files, query), query).toEqual(expected);
  expect(rankFiles(files, '')).toEqual(['README.md', 'retry/index.ts', 'src/Tree.ts', 'docs/how-to-retry.md', 'lib/retrying/a.ts', 'src/core/retry.test.ts', 'src/core/retry.ts'].sort((a, b) => a.split('/').length - b.split('/').length || (a < b ? -1 : 1)));
});

verifies('engine:files:listed', async () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'troupe-files-')));
  const processes = createProcessRunner();
  try {
    for (const path of ['.git/HEAD', '.gitignore', 'a.ts', 'src/b.ts', 'out/c.ts', '.claude/worktrees/x/a.ts', '.claude/skills/s/SKILL.md']) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), path === '.gitignore' ? 'out/\n' : 'x');
    }
    const clock = createManualClock();
    const warned: string[] = [];
    const quiet = (): void => undefined;
    const env = { PATH: process.env['PATH'] ?? '' };
    const index = new FileIndex({ ripgrep: createRipgrepRunner({ processes, path: undefined, env }), root, clock, log: { debug: quiet, info: quiet, warn: (message) => warned.push(message), error: quiet } });
    expect(await index.search('', 50)).toEqual({ files: ['.gitignore', 'a.ts', 'src/b.ts', '.claude/skills/s/SKILL.md'], cut: false });
    writeFileSync(join(root, 'new.ts'), '');
    expect(await index.search('new', 50)).toEqual({ files: [], cut: false });
    await clock.advance(5_001);
    expect(await Promise.all([index.search('new', 50), index.search('.ts', 2)])).toEqual([{ files: ['new.ts'], cut: false }, { files: ['a.ts', 'new.ts'], cut: true }]);
    expect(warned).toEqual([]);
  } finally {
    await processes.close();
    rmSync(root, { recursive: true, force: true });
  }
});
