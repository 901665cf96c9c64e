import type * as Yaml from 'yaml';

/** One key of a block. `value` is YAML's reading; `text` is the value as a person wrote it (no quotes, no folding lost). */
export interface FrontmatterField {
  readonly value: unknown;
  /** Scalars and one-line collections as written; absent for lists and maps over several lines. */
  readonly text: string | undefined;
  /** 1-based line of the key in the file. */
  readonly line: number;
}

/** What the readers need of the `yaml` package, which is loaded only when a block needs it. */
export type YamlModule = Pick<typeof Yaml, 'parseDocument' | 'isMap' | 'isScalar' | 'isAlias' | 'isCollection'>;
