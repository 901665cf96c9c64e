import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { Envelope, UiCommandEnvelope } from '../../extension/protocol/envelope';
import { DurableBody, EphemeralEvent, parseDurableEvent } from '../../extension/protocol/events';
import { methods } from '../../extension/protocol/methods';
import { verifies } from '../support/verifies';

/**
 * What crosses the wire, one file per row: `methods/<name>.json` holds examples of params and results, `events/<type>.json`
 * whole events, `ui/<name>.json` commands to the front end. A file is changed only with the protocol version.
 */
const names = (dir: string): string[] => readdirSync(join(__dirname, dir)).map((file) => file.replace(/\.json$/, '')).sort();
const fixture = (dir: string, name: string): unknown => JSON.parse(readFileSync(join(__dirname, dir, `${name}.json`), 'utf8'));
const fileName = (row: string): string => row.replaceAll('/', '.');

const durable = DurableBody.options.map((body) => body.shape.type.value);
const ephemeral = EphemeralEvent.options.map((event) => event.shape.type.value);

verifies('protocol:wire:fixtures', () => {
  expect(names('methods')).toEqual(Object.keys(methods).map(fileName).sort());
  expect(names('events')).toEqual([...durable, ...ephemeral].map(fileName).sort());
  expect(names('ui')).toEqual(UiCommandEnvelope.shape.command.options.map((command) => command.shape.name.value).sort());
}, { case: 'no row without a file, no file without a row' });

verifies('protocol:wire:fixtures', () => {
  for (const [name, row] of Object.entries(methods)) {
    const examples = fixture('methods', fileName(name)) as { params: unknown[]; result: unknown[] };
    for (const params of examples.params) expect(row.params.parse(params), `params of ${name}`).toEqual(params);
    for (const result of examples.result) expect(row.result.parse(result), `result of ${name}`).toEqual(result);
  }
}, { case: 'params and results parse and nothing of them is lost' });

verifies('protocol:wire:fixtures', () => {
  for (const type of durable) for (const event of fixture('events', fileName(type)) as unknown[]) expect(parseDurableEvent(event), type).toEqual(event);
  for (const type of ephemeral) {
    for (const event of fixture('events', fileName(type)) as unknown[]) {
      expect(EphemeralEvent.parse(event), type).toEqual(event);
      expect(parseDurableEvent(event), `${type} is not for the transcript`).toBeUndefined();
    }
  }
}, { case: 'events' });

verifies('protocol:wire:fixtures', () => {
  for (const name of names('ui')) for (const command of fixture('ui', name) as unknown[]) expect(Envelope.parse({ kind: 'ui', command })).toEqual({ kind: 'ui', command });
}, { case: 'commands to the front end' });

verifies('protocol:wire:strict', () => {
  for (const [name, row] of Object.entries(methods)) {
    const [params] = (fixture('methods', fileName(name)) as { params: Record<string, unknown>[] }).params;
    expect(row.params.safeParse({ ...params, surprise: 1 }).success, name).toBe(false);
  }
  const [started] = fixture('events', 'turn.started') as Record<string, unknown>[];
  for (const bad of [null, 7, 'x', [], { ...started, surprise: 1 }, { ...started, seq: 0 }, { ...started, seq: undefined }, { ...started, type: 'turn/unheard' }, { ...started, type: 7 }, { ...started, agentId: 3 }])
    expect(parseDurableEvent(bad), JSON.stringify(bad)).toBeUndefined();
});
