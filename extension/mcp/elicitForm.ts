import type { Question } from '../protocol/interaction';
import type { ElicitAnswer } from './serverAsks';

type Json = Readonly<Record<string, unknown>>;
type Value = string | number | boolean | string[];

/** One field of what a server asks for: the question a person reads, and how the answer becomes the field's value. */
interface Field {
  readonly name: string;
  readonly question: Question;
  readonly required: boolean;
  readonly fallback: Value | undefined;
  /** @returns the value, or what is wrong with the answer */
  readonly read: (answer: string) => { readonly value: Value } | { readonly problem: string };
}

const skip = 'Leave empty';

/** A flat JSON schema as questions. @param problems what was wrong with the last answers, by field */
export function formQuestions(schema: Json, problems: ReadonlyMap<string, string> = new Map()): readonly Question[] {
  return fieldsOf(schema).map((field) => {
    const problem = problems.get(field.name);
    return problem === undefined ? field.question : { ...field.question, header: problem };
  });
}

/** @returns problem: what is wrong, by field; the person is asked again */
export function readForm(schema: Json, answers: Readonly<Record<string, string>>): { readonly answer: ElicitAnswer } | { readonly problems: ReadonlyMap<string, string> } {
  const content: Record<string, Value> = {};
  const problems = new Map<string, string>();
  for (const field of fieldsOf(schema)) {
    const given = answers[field.question.question];
    if (given === undefined || given === skip || given === '') {
      if (field.fallback !== undefined) content[field.name] = field.fallback;
      else if (field.required) problems.set(field.name, 'Needed');
      continue;
    }
    const read = field.read(given);
    if ('problem' in read) problems.set(field.name, read.problem);
    else content[field.name] = read.value;
  }
  return problems.size > 0 ? { problems } : { answer: { action: 'accept', content } };
}

function fieldsOf(schema: Json): readonly Field[] {
  const required = new Set(Array.isArray(schema['required']) ? schema['required'] : []);
  const taken = new Set<string>();
  return Object.entries(record(schema['properties'])).map(([name, raw]) => {
    const field = fieldOf(name, record(raw), required.has(name));
    // Answers are found by the question's text.
    const question = taken.has(field.question.question) ? `${field.question.question} (${name})` : field.question.question;
    taken.add(question);
    return { ...field, question: { ...field.question, question } };
  });
}

function fieldOf(name: string, raw: Json, required: boolean): Field {
  const fallback = plainValue(raw['default']);
  const title = text(raw['title']) ?? name;
  const description = text(raw['description']);
  const choices = choicesOf(raw);
  const multiSelect = raw['type'] === 'array';
  const optional = required || fallback !== undefined ? [] : [{ label: skip, description: '' }];
  const usual = fallback === undefined || multiSelect ? [] : [shownDefault(fallback, choices)];
  const options = choices.length > 0 ? choices.map(({ label }) => ({ label, description: usual.includes(label) ? 'Default' : '' })) : usual.map((label) => ({ label, description: 'Default' }));
  return {
    name,
    required,
    fallback,
    question: { question: description === undefined ? title : `${title}: ${description}`, header: '', options: [...options, ...optional], multiSelect },
    read: (answer) => readValue(raw, answer, choices),
  };
}

interface Choice {
  readonly value: string | boolean;
  readonly label: string;
}

/** All ways a schema can list what may be chosen. */
function choicesOf(raw: Json): readonly Choice[] {
  if (raw['type'] === 'boolean') return [{ value: true, label: 'Yes' }, { value: false, label: 'No' }];
  const from = raw['type'] === 'array' ? record(raw['items']) : raw;
  const titled = [from['oneOf'], from['anyOf']].find(Array.isArray);
  if (titled) return titled.map(record).flatMap((one) => (typeof one['const'] === 'string' ? [{ value: one['const'], label: text(one['title']) ?? one['const'] }] : []));
  const values: unknown = from['enum'];
  const names = Array.isArray(from['enumNames']) ? from['enumNames'] : [];
  return Array.isArray(values) ? values.map((value, i) => ({ value: String(value), label: text(names[i]) ?? String(value) })) : [];
}

function readValue(raw: Json, answer: string, choices: readonly Choice[]): { readonly value: Value } | { readonly problem: string } {
  if (raw['type'] === 'array') return readMany(answer, choices);
  if (choices.length > 0) {
    const chosen = choices.find(({ label, value }) => label === answer || String(value).toLowerCase() === answer.toLowerCase());
    return chosen ? { value: chosen.value } : { problem: `One of ${choices.map(({ label }) => label).join(', ')}` };
  }
  if (raw['type'] === 'number' || raw['type'] === 'integer') return readNumber(raw, answer);
  return readText(raw, answer);
}

/** Chosen labels come as one text, with a comma and a blank between. */
function readMany(answer: string, choices: readonly Choice[]): { readonly value: Value } | { readonly problem: string } {
  const chosen = choices.filter(({ label }) => `, ${answer}, `.includes(`, ${label}, `));
  return chosen.length > 0 ? { value: chosen.map(({ value }) => String(value)) } : { problem: `Some of ${choices.map(({ label }) => label).join(', ')}` };
}

function readNumber(raw: Json, answer: string): { readonly value: Value } | { readonly problem: string } {
  const value = Number(answer.trim().replace(',', '.'));
  const { minimum, maximum } = raw;
  if (answer.trim() === '' || !Number.isFinite(value)) return { problem: 'A number' };
  if (raw['type'] === 'integer' && !Number.isInteger(value)) return { problem: 'A whole number' };
  if (typeof minimum === 'number' && value < minimum) return { problem: `${minimum} or more` };
  if (typeof maximum === 'number' && value > maximum) return { problem: `${maximum} or less` };
  return { value };
}

function readText(raw: Json, answer: string): { readonly value: Value } | { readonly problem: string } {
  const { minLength, maxLength, format } = raw;
  if (typeof minLength === 'number' && answer.length < minLength) return { problem: `At least ${minLength} characters` };
  if (typeof maxLength === 'number' && answer.length > maxLength) return { problem: `At most ${maxLength} characters` };
  if (format === 'email' && !/^\S+@\S+\.\S+$/.test(answer)) return { problem: 'An e-mail address' };
  if (format === 'uri' && !URL.canParse(answer)) return { problem: 'An address such as https://example.org' };
  if ((format === 'date' || format === 'date-time') && Number.isNaN(Date.parse(answer))) return { problem: format === 'date' ? 'A date such as 2026-01-31' : 'A time such as 2026-01-31T12:00:00Z' };
  return { value: answer };
}

function shownDefault(value: Value, choices: readonly Choice[]): string {
  return choices.find((choice) => choice.value === value)?.label ?? String(value);
}

function plainValue(value: unknown): Value | undefined {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  return Array.isArray(value) && value.every((item) => typeof item === 'string') ? value : undefined;
}

function record(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
