import type { FrontmatterField, YamlModule } from './frontmatterField';
import { locateBlock } from './frontmatterFences';
import { readPlainLines } from './frontmatterFast';
import { readYamlBlock } from './frontmatterYaml';
import type { Problem } from './problem';

export interface Frontmatter {
  readonly fields: ReadonlyMap<string, FrontmatterField>;
  readonly body: string;
  /** 1-based line of the file at which `body` begins. */
  readonly bodyStartLine: number;
  readonly problems: readonly Problem[];
  readonly hasBlock: boolean;
  /** There is a block and nothing could be read from it: the three policies of the callers apply. */
  readonly isUnreadable: boolean;
}

/**
 * Reads the block at the top of a Markdown file, leniently: what strict YAML refuses is recovered with a
 * `yaml-recovered` problem, nothing is lost in silence. Never throws.
 * The `yaml` package is loaded only when the block needs more than plain lines.
 */
export async function readFrontmatter(text: string): Promise<Frontmatter> {
  return quickFrontmatter(text) ?? parseFrontmatter(text, await import('yaml'));
}

/** The reading without YAML, or `undefined` when the block needs it. What it reads, YAML reads the same. */
export function quickFrontmatter(text: string): Frontmatter | undefined {
  const located = locateBlock(text);
  if (located.block === undefined) return assemble(located, { fields: new Map(), problems: [] });
  const fields = readPlainLines(located.block, located.blockStartLine);
  return fields === undefined ? undefined : assemble(located, { fields, problems: [] });
}

export function parseFrontmatter(text: string, yaml: YamlModule): Frontmatter {
  const quick = quickFrontmatter(text);
  if (quick) return quick;
  const located = locateBlock(text);
  return assemble(located, readYamlBlock(located.block ?? '', located.blockStartLine, yaml));
}

type Reading = { readonly fields: ReadonlyMap<string, FrontmatterField>; readonly problems: readonly Problem[]; readonly isUnreadable?: boolean };

function assemble(located: ReturnType<typeof locateBlock>, reading: Reading): Frontmatter {
  return {
    fields: reading.fields,
    body: located.body,
    bodyStartLine: located.bodyStartLine,
    problems: [...(located.irregular ? [located.irregular] : []), ...reading.problems],
    hasBlock: located.block !== undefined,
    isUnreadable: reading.isUnreadable ?? false,
  };
}
