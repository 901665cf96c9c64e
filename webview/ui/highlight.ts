import bash from 'highlight.js/lib/languages/bash';
import css from 'highlight.js/lib/languages/css';
import diff from 'highlight.js/lib/languages/diff';
import go from 'highlight.js/lib/languages/go';
import java from 'highlight.js/lib/languages/java';
import json from 'highlight.js/lib/languages/json';
import markdown from 'highlight.js/lib/languages/markdown';
import python from 'highlight.js/lib/languages/python';
import rust from 'highlight.js/lib/languages/rust';
import sql from 'highlight.js/lib/languages/sql';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';
import { createLowlight } from 'lowlight';

const lowlight = createLowlight({ bash, css, diff, go, java, json, markdown, python, rust, sql, typescript, xml, yaml });
lowlight.registerAlias({ typescript: ['js', 'jsx', 'javascript', 'mjs', 'cjs'], bash: ['console', 'shell', 'shellscript'], json: ['jsonc', 'json5'] });

/** Longer code is shown plain: it is read for what it does to the machine, not for its colours. */
const maxLines = 400;

export interface CodeSpan {
  readonly text: string;
  readonly className: string | undefined;
}

type Nodes = ReturnType<typeof lowlight.highlight>['children'];

/** @returns undefined when the language is not known or the code is too long; then it is shown plain. */
export function highlight(code: string, language: string): readonly CodeSpan[] | undefined {
  if (!lowlight.registered(language) || code.split('\n').length > maxLines) return undefined;
  return flatten(lowlight.highlight(language, code).children, undefined);
}

function flatten(nodes: Nodes, className: string | undefined): CodeSpan[] {
  return nodes.flatMap((node): CodeSpan[] => {
    if (node.type === 'text') return [{ text: node.value, className }];
    if (node.type !== 'element') return [];
    const classes = node.properties['className'];
    return flatten(node.children, Array.isArray(classes) ? classes.join(' ') : className);
  });
}
