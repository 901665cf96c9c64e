/**
 * Take a percentage off an amount.
 * @param {number} cents
 * @param {number} percent 0 to 100
 * @returns {number} whole cents, half a cent rounded up
 */
export function reduceBy(cents, percent) {
  return Math.floor((cents * (100 - percent)) / 100);
}

/**
 * @param {number} cents
 * @returns {string} for example `12.50`
 */
export function formatMoney(cents) {
  const sign = cents < 0 ? '-' : '';
  const whole = Math.abs(cents);
  return `${sign}${Math.floor(whole / 100)}.${String(whole % 100).padStart(2, '0')}`;
}
