import { expect } from 'vitest';
import { formQuestions, readForm } from '../../../extension/mcp/elicitForm';
import { idOf, LineFeed } from '../../../extension/mcp/lineFeed';
import { readTool } from '../../../extension/mcp/mcpLists';
import type { Tool } from '../../../extension/tools/defineTool';
import { ToolShelf } from '../../../extension/tools/toolShelf';
import { verifies } from '../../support/verifies';

verifies('mcp:lines:limit', () => {
  const lines: string[] = [];
  const dropped: [string, number][] = [];
  const feed = new LineFeed({ onLine: (line) => lines.push(line), onTooLong: (head, bytes) => dropped.push([head, bytes]), maxBytes: 20 });
  const bytes = Buffer.from('{"a":"ä"}\r\n\n{"id": 7,"result":"much too long for this"}\nlast\n');
  for (let at = 0; at < bytes.length; at += 3) feed.take(bytes.subarray(at, at + 3));
  expect(lines).toEqual(['{"a":"ä"}', 'last']);
  expect(dropped).toEqual([['{"id": 7,"result":"m', 43]]);
  expect(idOf('{"jsonrpc":"2.0","id":12,"result"')).toBe(12);
  expect(idOf('{"method":"x"')).toBeUndefined();
});

const schema = {
  type: 'object',
  properties: {
    city: { type: 'string', title: 'City', minLength: 2 },
    nights: { type: 'integer', minimum: 1, default: 2 },
    smoking: { type: 'boolean', title: 'Smoking' },
    size: { type: 'string', enum: ['s', 'l'], enumNames: ['Small', 'Large'] },
    days: { type: 'array', items: { anyOf: [{ const: 'mo', title: 'Monday' }, { const: 'tu', title: 'Tuesday' }] } },
    mail: { type: 'string', format: 'email' },
  },
  required: ['city', 'smoking'],
};

verifies('mcp:elicit:form', () => {
  const questions = formQuestions(schema);
  expect(questions.map(({ question, multiSelect, options }) => [question, multiSelect, options.map(({ label }) => label)])).toEqual([
    ['City', false, []],
    ['nights', false, ['2']],
    ['Smoking', false, ['Yes', 'No']],
    ['size', false, ['Small', 'Large', 'Leave empty']],
    ['days', true, ['Monday', 'Tuesday', 'Leave empty']],
    ['mail', false, ['Leave empty']],
  ]);
  expect(readForm(schema, { City: 'Rome', nights: '3', Smoking: 'No', size: 'Large', days: 'Monday, Tuesday', mail: 'Leave empty' })).toEqual({ answer: { action: 'accept', content: { city: 'Rome', nights: 3, smoking: false, size: 'l', days: ['mo', 'tu'] } } });
  const wrong = readForm(schema, { City: 'R', nights: '0', size: 'Huge', mail: 'nobody' });
  expect('problems' in wrong && [...wrong.problems]).toEqual([['city', 'At least 2 characters'], ['nights', '1 or more'], ['smoking', 'Needed'], ['size', 'One of Small, Large'], ['mail', 'An e-mail address']]);
});

const tool = (name: string, more: Partial<Tool> = {}): Tool => ({ name, aliases: [], description: `does ${name}`, kind: 'mcp', inputSchema: () => ({ type: 'object' }), maxResultChars: 100, prepare: () => ({ ok: false, problem: '' }), late: { group: 's', mayDefer: true }, ...more });
const shelfOf = (late: () => readonly Tool[], defersTools: boolean, contextTokens = 100_000) => new ToolShelf([{ ...tool('Read'), late: undefined }], { current: late, expected: () => undefined }, () => ({ defersTools, contextTokens }));
const names = (shelf: ToolShelf) => shelf.schemas().map(({ name, deferred }) => `${name}${deferred ? '?' : ''}`);

verifies('mcp:tools:shelf', () => {
  let late: Tool[] = [tool('a')];
  const shelf = shelfOf(() => late, false);
  shelf.beginTurn();
  expect(names(shelf)).toEqual(['Read', 'a']);
  late = [tool('b'), tool('a', { description: 'changed' })];
  expect(names(shelf)).toEqual(['Read', 'a']);
  shelf.beginTurn();
  expect(names(shelf)).toEqual(['Read', 'a', 'b']);
  late = [tool('c')];
  expect(shelf.load(shelf.search('c', 5))).toBe('schemas');
  expect(names(shelf)).toEqual(['Read', 'a', 'b']);
  expect(shelf.schemas()[1]?.description).toBe('does a');
  expect(shelf.find('a')?.name).toBe('a');
  expect(shelf.find('c')?.name).toBe('c');
}, { case: 'a model that can’t defer' });

verifies('mcp:tools:shelf', () => {
  let late: readonly Tool[] = [tool('a'), tool('always', { late: { group: 's', mayDefer: false } })];
  const full = shelfOf(() => late, true, 10);
  expect(full.beginTurn().map(({ name }) => name)).toEqual(['a']);
  expect(names(full)).toEqual(['Read', 'always', 'a?']);
  const shelf = shelfOf(() => late, true);
  shelf.beginTurn();
  late = [...late, tool('b')];
  expect(shelf.beginTurn().map(({ name }) => name)).toEqual(['b']);
  expect(shelf.beginTurn()).toEqual([]);
  expect(shelf.load(shelf.search('select:b', 5))).toBe('references');
  expect(names(shelf)).toEqual(['Read', 'a', 'always', 'b?']);
  expect(names(shelf.copy())).toEqual(names(shelf));
}, { case: 'a model that takes deferred tools' });

verifies('mcp:config:entries', () => {
  expect(readTool({ name: 't', inputSchema: { anyOf: [{ properties: { a: {}, c: {} }, required: ['a', 'c'] }, { properties: { b: {}, c: {} }, required: ['c'] }] } })?.inputSchema).toEqual({ type: 'object', properties: { a: {}, b: {}, c: {} }, required: ['c'] });
  expect(readTool({ name: 't', inputSchema: { properties: { 'not a name': {} } } })).toBeUndefined();
  expect(readTool({ name: 't', description: 'd'.repeat(9_000) })?.description).toHaveLength(2_048);
}, { case: 'schemas as the API takes them' });
