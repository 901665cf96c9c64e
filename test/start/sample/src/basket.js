import { reduceBy } from './money.js';

/**
 * @typedef {object} Line
 * @property {string} tea
 * @property {number} cents price of one tin
 * @property {number} count
 * @property {number} [reducedBy] percent off this line
 */

/**
 * @param {Line} line
 * @returns {number} cents
 */
export function lineTotal({ cents, count, reducedBy = 0 }) {
  return reduceBy(cents * count, reducedBy);
}

/**
 * @param {readonly Line[]} lines
 * @returns {number} cents
 */
export function basketTotal(lines) {
  return lines.reduce((sum, line) => sum + lineTotal(line), 0);
}
