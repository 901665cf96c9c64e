import { expect } from 'vitest';
import { AwaitingReminder, awaitingText, statusText } from '../../../extension/vscode/awaitingText';
import { verifies } from '../../support/verifies';

verifies('workbench:awaiting:status-words', () => {
  const cases = [
    [2, 3, '2 awaiting you · 3 running'],
    [1, 0, '1 awaiting you'],
    [0, 1, '1 running'],
    [0, 0, undefined],
  ] as const;
  expect(cases.map(([awaiting, working]) => statusText({ awaiting, working }))).toEqual(cases.map(([, , text]) => text));
  expect([awaitingText(1), awaitingText(4)]).toEqual(['1 request is waiting for you', '4 requests are waiting for you']);
});

verifies('workbench:awaiting:one-notification', () => {
  const reminder = new AwaitingReminder();
  const hidden = (awaiting: number): number | undefined => reminder.next({ awaiting, isLooking: false });
  expect(reminder.next({ awaiting: 1, isLooking: true })).toBeUndefined(); // seen on screen
  expect(hidden(1)).toBeUndefined(); // and not told again when the view is hidden
  expect(hidden(3)).toBe(3);
  expect(hidden(4)).toBeUndefined(); // one is open already
  reminder.closed();
  expect(hidden(4)).toBe(4);
  reminder.closed();
  expect(hidden(4)).toBeUndefined();
  expect(hidden(1)).toBeUndefined(); // three were answered
  expect(hidden(2)).toBe(2); // and a new one came
});
