import { pathToFileURL } from 'node:url';
import { basketTotal, lineTotal } from './basket.js';
import { formatMoney } from './money.js';

const WIDTH = 32;

/** @param {string} left @param {string} right */
const row = (left, right) => left.padEnd(WIDTH - right.length) + right;

/**
 * @param {readonly import('./basket.js').Line[]} lines
 * @returns {string} one row per line, then the total
 */
export function printReceipt(lines) {
  const rows = lines.map((line) => row(`${line.count} x ${line.tea}`, formatMoney(lineTotal(line))));
  return [...rows, '-'.repeat(WIDTH), row('Total', formatMoney(basketTotal(lines)))].join('\n');
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  console.log(printReceipt([
    { tea: 'Assam', cents: 899, count: 2 },
    { tea: 'Sencha', cents: 1245, count: 1, reducedBy: 10 },
  ]));
}
