import { promises as fs } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { SyntaxNode } from './bashTree';

/** Reads a text with one of VS Code's own grammars. @returns undefined when the parser gave up */
export type ReadTree = <T>(text: string, read: (root: SyntaxNode) => T) => T | undefined;

/**
 * Loads a grammar (over 1 MB of wasm); call it at the first text that needs it.
 * @param assetsDir folder of `tree-sitter.wasm` and the grammars; the package's own folder when they are not there
 */
export async function loadGrammar(assetsDir: string, language: 'bash' | 'powershell'): Promise<ReadTree> {
  const module = await import('@vscode/tree-sitter-wasm');
  const { Parser, Language } = 'default' in module && module.default ? module.default : module;
  const file = `tree-sitter-${language}.wasm`;
  const folder = await grammarFolder(assetsDir, file);
  await Parser.init({ locateFile: (name: string) => join(folder, name) });
  const parser = new Parser();
  parser.setLanguage(await Language.load(await fs.readFile(join(folder, file))));
  return (text, read) => {
    const tree = parser.parse(text);
    if (!tree) return undefined;
    try {
      return read(tree.rootNode);
    } finally {
      tree.delete();
    }
  };
}

async function grammarFolder(assetsDir: string, file: string): Promise<string> {
  const there = await fs.access(join(assetsDir, file)).then(
    () => true,
    () => false,
  );
  return there ? assetsDir : dirname(createRequire(import.meta.url).resolve('@vscode/tree-sitter-wasm'));
}
