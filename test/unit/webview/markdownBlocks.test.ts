import * as fc from 'fast-check';
import { expect } from 'vitest';
import { isClosedFence, MarkdownBlocks, safeLink } from '../../../webview/ui/markdownBlocks';
import { verifies } from '../../support/verifies';

const pieces = [
  '# Title\n\n',
  'A paragraph with `code`.\n',
  'more of it\n\n',
  '- one\n- two\n',
  '  - nested\n\n',
  '1. first\n2. second\n\n',
  '```ts\nconst a = 1;\n\nconst b = 2;\n```\n\n',
  '> quoted\n\n',
  '| a | b |\n|---|---|\n| 1 | 2 |\n\n',
  '---\n\n',
  '<div>raw</div>\n\n',
  'Setext\n===\n\n',
  '    indented\n\n',
  '***\n',
  '**bold** and [a](https://b.c)\n\n',
];
const kinds = (source: string, blocks: MarkdownBlocks) =>
  blocks
    .update(source)
    .filter((b) => b.token.type !== 'space')
    .map((b) => [b.token.type, b.raw.trimEnd()]);

verifies(
  'webview:markdown:incremental',
  () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 12 }), fc.integer({ min: 1, max: 9 }), (parts, step) => {
        const source = parts.join('');
        const growing = new MarkdownBlocks();
        for (let end = step; end < source.length; end += step) growing.update(source.slice(0, end));
        expect(kinds(source, growing)).toEqual(kinds(source, new MarkdownBlocks()));
      }),
      { numRuns: 150 },
    );
  },
  { case: 'any text, cut anywhere' },
);

verifies(
  'webview:markdown:incremental',
  () => {
    const blocks = new MarkdownBlocks();
    const before = blocks.update('# One\n\nTwo\n\nThree\n\nFour\n\nFive\n\n');
    const after = blocks.update('# One\n\nTwo\n\nThree\n\nFour\n\nFive\n\nSix');
    expect(after.slice(0, 5).every((block, i) => block === before[i])).toBe(true);
  },
  { case: 'settled blocks are the same objects' },
);

verifies(
  'webview:markdown:safe',
  () => {
    const links = [
      'https://a.b/c',
      'HTTP://a.b',
      'mailto:a@b.c',
      'javascript:alert(1)',
      'java\nscript:alert(1)',
      'data:text/html,x',
      'file:///etc/passwd',
      'command:workbench.action',
      '#top',
      '/relative',
      'https:no-slashes',
    ];
    expect(links.map(safeLink)).toEqual(['https://a.b/c', 'HTTP://a.b', 'mailto:a@b.c', undefined, undefined, undefined, undefined, undefined, undefined, undefined, undefined]);
  },
  { case: 'which links are links' },
);

verifies(
  'webview:markdown:incremental',
  () => {
    expect(['```ts\ncode\n```', '```ts\ncode', '~~~\na\n~~~\n', '```', '    indented'].map(isClosedFence)).toEqual([true, false, true, false, true]);
  },
  { case: 'a fence is closed by its own mark' },
);
