/** What the script knows of the sample repository; anywhere else it only reads, and writes below `ownFolder`. */
export const teaShop = {
  money: 'src/money.js',
  receipt: 'src/receipt.js',
  rounding: { wrong: 'Math.floor((cents * (100 - percent)) / 100)', right: 'Math.round((cents * (100 - percent)) / 100)' },
  /** The last line of `printReceipt`, and what says the saved amount. */
  total: "  return [...rows, '-'.repeat(WIDTH), row('Total', formatMoney(basketTotal(lines)))].join('\\n');",
  totalAndSaved: `  const saved = lines.reduce((sum, { cents, count }) => sum + cents * count, 0) - basketTotal(lines);
  const footer = [row('Total', formatMoney(basketTotal(lines))), ...(saved > 0 ? [row('You saved', formatMoney(saved))] : [])];
  return [...rows, '-'.repeat(WIDTH), ...footer].join('\\n');`,
  saved: "row('You saved'",
  savingTest: 'test/saving.test.js',
  savingTestText: `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { printReceipt } from '../src/receipt.js';

test('a receipt says what a discount saved', () => {
  const rows = printReceipt([{ tea: 'Sencha', cents: 1000, count: 2, reducedBy: 10 }]).split('\\n');
  assert.match(rows.at(-1), /^You saved +2\\.00$/);
});

test('without a discount it says nothing of it', () => {
  assert.doesNotMatch(printReceipt([{ tea: 'Assam', cents: 899, count: 1 }]), /You saved/);
});
`,
  emptyTest: 'test/empty.test.js',
  emptyTestText: `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { printReceipt } from '../src/receipt.js';

test('an empty receipt has a total of nothing', () => {
  assert.match(printReceipt([]), /Total +0\\.00$/);
});
`,
} as const;

export const ownFolder = 'troupe-demo';
