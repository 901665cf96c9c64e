import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatMoney } from '../src/money.js';
import { printReceipt } from '../src/receipt.js';

test('cents are printed with two digits', () => {
  assert.equal(formatMoney(5), '0.05');
  assert.equal(formatMoney(-1250), '-12.50');
});

test('the total stands in the last row', () => {
  const rows = printReceipt([{ tea: 'Assam', cents: 899, count: 2 }]).split('\n');
  assert.match(rows.at(-1), /^Total +17\.98$/);
});
