import assert from 'node:assert/strict';
import { test } from 'node:test';
import { basketTotal, lineTotal } from '../src/basket.js';

test('a line costs its price times its count', () => {
  assert.equal(lineTotal({ tea: 'Assam', cents: 899, count: 2 }), 1798);
});

test('half a cent is rounded up', () => {
  assert.equal(lineTotal({ tea: 'Sencha', cents: 1245, count: 1, reducedBy: 10 }), 1121);
});

test('an empty basket costs nothing', () => {
  assert.equal(basketTotal([]), 0);
});
