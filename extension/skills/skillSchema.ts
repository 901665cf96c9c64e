import type { Frontmatter } from '../base/frontmatter';
import type { FrontmatterField } from '../base/frontmatterField';
import { firstField, firstParagraph, globList, hintText, looseBoolean, stringList, textOf, toolList } from '../base/frontmatterValues';
import type { Problem } from '../base/problem';
import { hasShellCommands } from './skillTemplate';
import type { Skill, SkillSource } from './skill';

/** What the place of a file says about it. */
export interface SkillPlace {
  readonly kind: 'skill' | 'command';
  readonly source: SkillSource;
  readonly path: string;
  readonly dir: string;
  /** The folder's name, or for a command its path with `:` between. */
  readonly placeName: string;
  readonly plugin?: string;
  readonly isTrusted: boolean;
  readonly variables: Readonly<Record<string, string>>;
}

const efforts = ['low', 'medium', 'high', 'xhigh', 'max'];
const kebab = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** Reads a skill or command from its parsed file. Never refuses one: what can't be used is left out and named. */
export function readSkill(file: Frontmatter, place: SkillPlace): { readonly skill: Skill; readonly problems: readonly Problem[] } {
  const reader = new SkillReader(file, place);
  return { skill: reader.read(), problems: reader.problems.map((problem) => ({ ...problem, path: place.path })) };
}

class SkillReader {
  readonly problems: Problem[];

  constructor(
    private readonly file: Frontmatter,
    private readonly place: SkillPlace,
  ) {
    this.problems = [...file.problems];
  }

  read(): Skill {
    const { file, place } = this;
    const description = textOf(file.fields.get('description'));
    const effort = this.effort();
    const hooks = file.fields.get('hooks')?.value ?? undefined;
    const paths = place.kind === 'skill' ? globList(file.fields.get('paths')) : [];
    return {
      kind: place.kind,
      ...this.names(),
      aliases: [],
      source: place.source,
      ...(place.plugin === undefined ? {} : { plugin: place.plugin }),
      path: place.path,
      dir: place.dir,
      isTrusted: place.isTrusted,
      description: description ?? firstParagraph(file.body) ?? '',
      descriptionFrom: description === undefined ? 'body' : 'frontmatter',
      ...optional('whenToUse', textOf(firstField(file, 'when_to_use', 'when-to-use'))),
      ...optional('argumentHint', hintText(firstField(file, 'argument-hint', 'argument_hint', 'argumentHint'))),
      arguments: stringList(file.fields.get('arguments')),
      allowedTools: toolList(this.allowedTools()),
      disallowedTools: toolList(firstField(file, 'disallowed-tools', 'disallowed_tools', 'disallowedTools')),
      ...optional('model', textOf(file.fields.get('model'))),
      ...optional('effort', effort),
      isForked: this.word('context', ['fork', 'inline']) === 'fork',
      ...optional('agent', textOf(file.fields.get('agent'))),
      background: looseBoolean(file.fields.get('background')) ?? true,
      ...optional('hooks', hooks),
      ...(paths.length === 0 ? {} : { paths }),
      shell: this.word('shell', ['bash', 'powershell']) === 'powershell' ? 'powershell' : 'bash',
      isUserInvocable: this.flag('user-invocable') ?? true,
      isModelInvocable: !(this.flag('disable-model-invocation') ?? false),
      hasShell: hasShellCommands(file.body),
      body: file.body,
      bodyStartLine: file.bodyStartLine,
      variables: place.variables,
      hides: [],
    };
  }

  /** In a plugin the `name` field replaces the last part; elsewhere it is a label; in a command it means nothing. */
  private names(): Pick<Skill, 'name' | 'qualified' | 'label'> {
    const { place } = this;
    const written = place.kind === 'command' ? undefined : textOf(this.file.fields.get('name'));
    if (written !== undefined && !kebab.test(written)) {
      this.warn('name-not-kebab', `the name "${written}" is used as it is; other tools want small letters, digits and single hyphens`, 'name');
    }
    const isPlugin = place.plugin !== undefined;
    const name = isPlugin ? (written ?? place.placeName) : place.placeName;
    const label = !isPlugin && written !== undefined && written !== name ? { label: written } : {};
    return { name, qualified: isPlugin ? `${place.plugin}:${name}` : name, ...label };
  }

  /** `allowed_tools` is a spelling of the key; `tools` is another key, which must not grant anything by mistake. */
  private allowedTools(): FrontmatterField | undefined {
    const { fields } = this.file;
    const right = fields.get('allowed-tools');
    for (const key of ['allowed_tools', 'allowedTools', 'tools']) {
      if (!fields.has(key)) continue;
      const effect = key === 'tools' ? 'it is not used here' : right ? 'the other one counts' : 'it was read as that';
      this.warn('tools-key-misspelt', `${key}: skills and commands call this allowed-tools; ${effect}`, key);
    }
    return right ?? fields.get('allowed_tools') ?? fields.get('allowedTools');
  }

  private effort(): string | number | undefined {
    const written = textOf(this.file.fields.get('effort'))?.toLowerCase();
    if (written === undefined || efforts.includes(written)) return written;
    const budget = Number(written);
    if (Number.isInteger(budget) && budget > 0) return budget;
    this.warn('bad-value', `effort: "${written}" is none of ${efforts.join(', ')} or a number of tokens; it is ignored`, 'effort');
    return undefined;
  }

  private word(key: string, words: readonly string[]): string | undefined {
    const written = textOf(this.file.fields.get(key))?.toLowerCase();
    if (written === undefined || words.includes(written)) return written;
    this.warn('bad-value', `${key}: "${written}" is none of ${words.join(', ')}; it is ignored`, key);
    return undefined;
  }

  private flag(key: string): boolean | undefined {
    const field = this.file.fields.get(key) ?? this.file.fields.get(key.replaceAll('-', '_'));
    const flag = looseBoolean(field);
    if (flag === undefined && textOf(field) !== undefined) this.warn('bad-value', `${key}: "${textOf(field)}" is neither true nor false; it is ignored`, key);
    return flag;
  }

  private warn(code: string, message: string, key: string): void {
    const line = this.file.fields.get(key)?.line;
    this.problems.push({ severity: 'warning', code, message, ...(line === undefined ? {} : { line }), field: key });
  }
}

function optional<K extends string, V>(key: K, value: V | undefined): { readonly [P in K]?: V } {
  const entry: { [P in K]?: V } = {};
  if (value !== undefined) entry[key] = value;
  return entry;
}
