import { expect } from 'vitest';
import { droppedFiles } from '../../../webview/composer/dropped';
import { fuzzyMatch, marked, replaceTrigger, triggerAt } from '../../../webview/composer/suggest';
import { count, duration, elapsed, money, pathParts } from '../../../webview/ui/format';
import { verifies } from '../../support/verifies';

verifies('webview:suggest:fuzzy', () => {
  const ranked = (query: string, names: readonly string[]) =>
    names.flatMap((n) => (fuzzyMatch(query, n) ? [n] : [])).sort((a, b) => (fuzzyMatch(query, b)?.score ?? 0) - (fuzzyMatch(query, a)?.score ?? 0));
  expect(ranked('rev', ['a-preview', 'review-diff', 'reserve', 'deploy'])).toEqual(['review-diff', 'a-preview', 'reserve']);
  expect(ranked('rd', ['ordinary', 'review-diff'])).toEqual(['ordinary', 'review-diff']);
  expect(fuzzyMatch('zz', 'review')).toBeUndefined();
  expect(
    marked('review-diff', fuzzyMatch('rvd', 'review-diff')?.at ?? [])
      .map((part) => (part.hit ? `[${part.text}]` : part.text))
      .join(''),
  ).toBe('[r]e[v]iew-[d]iff');
});

verifies(
  'webview:slash:menu',
  () => {
    expect(['/', '/re', 'no /re', '/re x', ' /re'].map((t) => triggerAt(t, t.length)?.kind)).toEqual(['skill', 'skill', undefined, undefined, undefined]);
  },
  { case: 'only at the start of a message' },
);

verifies(
  'webview:at:menu',
  () => {
    expect(['@', 'see @sr', 'mail a@b', '@a b'].map((t) => triggerAt(t, t.length)?.query)).toEqual(['', 'sr', undefined, undefined]);
    const trigger = triggerAt('see @sr now', 7);
    expect(trigger && replaceTrigger('see @sr now', trigger, '@src/a.ts')).toEqual({ text: 'see @src/a.ts now', caret: 14 });
  },
  { case: 'at the start of a word, in the middle of a text' },
);

verifies(
  'webview:context:off',
  () => {
    expect(droppedFiles('file:///repo/a%20b.ts\r\n# a comment\r\nhttps://x.y/z\nfile:///c:/w/d.ts')).toEqual([
      { kind: 'file', path: '/repo/a b.ts' },
      { kind: 'file', path: 'c:/w/d.ts' },
    ]);
  },
  { case: 'dropped files become paths; nothing else does' },
);

verifies('webview:format:plain', () => {
  expect([duration(400), duration(6200), duration(64_000), elapsed(42_900), elapsed(7_390_000)]).toEqual(['0.4s', '6.2s', '1:04', '0:42', '2:03:10']);
  expect([950, 1200, 9960, 42_000, 999_600].map(count)).toEqual(['950', '1.2k', '10k', '42k', '1.0M']);
  expect([0.84, 0.001, 0, null].map(money)).toEqual(['$0.84', '<$0.01', '$0.00', 'cost unknown']);
  expect([pathParts('/repo/src/a.ts', '/repo'), pathParts('/other/a.ts', '/repo'), pathParts('a.ts', '')]).toEqual([
    { name: 'a.ts', folder: 'src' },
    { name: 'a.ts', folder: '/other' },
    { name: 'a.ts', folder: '' },
  ]);
});
