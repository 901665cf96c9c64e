import type { Assignment, ParsedCommand, Redirect, SimpleCommand, Word } from './commandTypes';
import { readBareWord, unescapeAnsi, unescapeDouble } from './shellQuoting';

/** What is used of a tree-sitter node. */
export interface SyntaxNode {
  readonly type: string;
  readonly text: string;
  readonly startIndex: number;
  readonly endIndex: number;
  readonly isNamed: boolean;
  readonly hasError: boolean;
  readonly children: readonly (SyntaxNode | null)[];
}

/** Statements that only hold other statements; anything not named here or below fails closed. */
const structures = new Set(
  'program list pipeline subshell compound_statement negated_command if_statement elif_clause else_clause while_statement do_group case_statement case_item function_definition heredoc_body command_substitution process_substitution'.split(' '),
);
/** `${NAME}` and its forms that can only yield text. Others (`@P`, `!`, offsets, subscripts, `:=`) evaluate or assign. */
const plainExpansion = /^\$\{#?(?:[A-Za-z_]\w*|\d+|[@*#?$!-])(?:\[(?:\d+|@|\*)\])?(?:\}|:?[-+?]|[%#/^,]|:\d+(?::\d+)?\})/;
const constantArithmetic = /^\$?(?:\(\(|\[)[\d\s+*/%()<>=!&|^~?:,-]*(?:\)\)|\])$/;
const gap = /^(?:[ \t]|\\\n)*$/;

/** Reads every simple command anywhere in the tree. A shape it does not know makes the whole line unparsable. */
export function readCommandTree(root: SyntaxNode, source: string): ParsedCommand {
  if (root.hasError) return { ok: false, reason: 'the shell syntax is not complete or not understood' };
  // The grammar may leave out what it can't place at either end (`- a=b`) without calling it an error.
  if (!isBlank(source.slice(0, root.startIndex)) || !isBlank(source.slice(root.endIndex))) return { ok: false, reason: 'a part of it is not understood' };
  const walk = new TreeWalk(source);
  walk.statement(root);
  return walk.failure === undefined ? { ok: true, parts: walk.parts, redirects: walk.redirects } : { ok: false, reason: walk.failure };
}

class TreeWalk {
  readonly parts: SimpleCommand[] = [];
  readonly redirects: Redirect[] = [];
  failure: string | undefined;

  constructor(private readonly source: string) {}

  statement(node: SyntaxNode): void {
    const read = this.readers[node.type];
    if (read) read(node);
    else if (structures.has(node.type)) this.structure(node);
    else this.literal(node);
  }

  private readonly readers: Readonly<Record<string, (node: SyntaxNode) => void>> = {
    command: (node) => this.command(node, []),
    declaration_command: (node) => this.command(node, []),
    unset_command: (node) => this.command(node, []),
    redirected_statement: (node) => this.redirected(node),
    variable_assignment: (node) => this.bareAssignments([node]),
    variable_assignments: (node) => this.bareAssignments(named(node)),
    test_command: (node) => this.test(node),
    for_statement: (node) => this.loop(node),
    c_style_for_statement: (node) => this.countingLoop(node),
    file_redirect: (node) => this.loneRedirect(node),
    heredoc_redirect: (node) => this.loneRedirect(node),
    herestring_redirect: (node) => this.loneRedirect(node),
    comment: () => undefined,
  };

  private structure(node: SyntaxNode): void {
    if (node.type.endsWith('_substitution') && node.text.startsWith('`')) {
      if (node.text.includes('\\')) this.fail('a backslash inside backticks');
      // The grammar takes "`a` `b`" for one substitution.
      if (node.text.slice(1, -1).includes('`')) this.fail('several backticks');
    }
    this.expectCovered(node);
    for (const child of named(node)) this.statement(child);
  }

  /** What lies between the pieces of a statement is blank, or something would run that nobody looked at. */
  private expectCovered(node: SyntaxNode): void {
    if (node.type === 'heredoc_body') return;
    let end = node.startIndex;
    for (const child of present(node)) {
      if (!isBlank(this.source.slice(end, child.startIndex))) this.fail('a part of it is not understood');
      end = child.endIndex;
    }
  }

  private countingLoop(node: SyntaxNode): void {
    this.evaluation(node);
    for (const child of named(node)) if (child.type === 'do_group' || child.type === 'compound_statement') this.statement(child);
  }

  private loneRedirect(node: SyntaxNode): void {
    if (this.redirect(node).length > 0) this.fail('words after a redirection');
  }

  private fail(reason: string): void {
    this.failure ??= reason;
  }

  /** A word where a statement may stand too: case patterns, function names, heredoc text. */
  private literal(node: SyntaxNode): void {
    const known = /^(word|number|string|raw_string|ansi_c_string|concatenation|simple_expansion|expansion|arithmetic_expansion|extglob_pattern|heredoc_content|variable_name|special_variable_name)$/;
    if (known.test(node.type)) this.scan(node);
    else this.fail(`the form "${node.type}"`);
  }

  private command(node: SyntaxNode, trailing: readonly Word[], given?: string): void {
    const assignments: Assignment[] = [];
    const pieces: SyntaxNode[] = [];
    const before = this.parts.length;
    const late: Word[] = [];
    for (const child of present(node)) {
      if (child.type === 'variable_assignment' && node.type === 'command') assignments.push(this.assignment(child));
      else if (child.type.endsWith('_redirect')) late.push(...this.redirect(child));
      else pieces.push(child);
    }
    const words = [...this.words(pieces), ...late, ...trailing];
    const first = pieces[0];
    const last = pieces.at(-1);
    const text = [first && last ? this.source.slice(first.startIndex, last.endIndex) : '', ...[...late, ...trailing].map((w) => w.source)].join(' ');
    const inner = this.parts.splice(before);
    const input = given ?? this.inputOf(present(node));
    this.parts.push({ kind: 'command', text: text.trim(), words, assignments, ...(input === undefined ? {} : { input }) }, ...inner);
  }

  private redirected(node: SyntaxNode): void {
    const extra: Word[] = [];
    const before = this.parts.length;
    let body: SyntaxNode | undefined;
    for (const child of named(node)) {
      if (child.type.endsWith('_redirect')) extra.push(...this.redirect(child));
      else body = child;
    }
    const inner = this.parts.splice(before);
    if (body?.type === 'command') this.command(body, extra, this.inputOf(named(node)));
    else if (extra.length > 0) this.fail('words after a redirection');
    else if (body) this.statement(body);
    this.parts.push(...inner);
  }

  /** The text of the last heredoc or herestring among these, as far as it is written out. */
  private inputOf(nodes: readonly SyntaxNode[]): string | undefined {
    const last = nodes.findLast((node) => node.type === 'heredoc_redirect' || node.type === 'herestring_redirect');
    if (last?.type === 'heredoc_redirect') return named(last).find((child) => child.type === 'heredoc_body')?.text;
    const [text] = last ? named(last).filter((child) => child.type !== 'file_descriptor') : [];
    const before = this.parts.length;
    const read = text && this.word(text).text;
    this.parts.splice(before); // what it holds was seen with the redirection
    return read;
  }

  /** @returns words that stand after the target and belong to the command (`rm > log -rf x`) */
  private redirect(node: SyntaxNode): readonly Word[] {
    const children = present(node);
    if (node.type === 'herestring_redirect') {
      const words = this.words(children.filter((c) => c.isNamed));
      return words.slice(1);
    }
    if (node.type === 'heredoc_redirect') return this.heredoc(children);
    const operator = children.find((c) => !c.isNamed)?.type ?? '';
    const words = this.words(children.filter((c) => c.isNamed && c.type !== 'file_descriptor'));
    const [target, ...rest] = words;
    if (!target) return rest;
    const duplicates = /&$/.test(operator) && /^(\d+-?|-)$/.test(target.text) && !target.dynamic;
    if (!duplicates) this.redirects.push({ target, writes: operator.includes('>') });
    return rest;
  }

  private heredoc(children: readonly SyntaxNode[]): readonly Word[] {
    const extra: Word[] = [];
    const start = children.find((c) => c.type === 'heredoc_start');
    const firstLineEnds = start ? this.source.indexOf('\n', start.endIndex) : -1;
    for (const child of children) {
      // The grammar can take the first lines of a body for words of the command.
      if (child.isNamed && !/^heredoc_(start|body|end)$/.test(child.type) && firstLineEnds !== -1 && child.startIndex > firstLineEnds) return this.lost('a heredoc that is read ambiguously');
      if (!child.isNamed || child.type === 'heredoc_start' || child.type === 'heredoc_end' || child.type === 'file_descriptor') continue;
      if (child.type === 'file_redirect') extra.push(...this.redirect(child));
      else if (/^(word|number|string|raw_string|ansi_c_string|concatenation|simple_expansion|expansion)$/.test(child.type)) extra.push(...this.words([child]));
      else this.statement(child);
    }
    return extra;
  }

  private lost(reason: string): readonly Word[] {
    this.fail(reason);
    return [];
  }

  private bareAssignments(nodes: readonly SyntaxNode[]): void {
    const before = this.parts.length;
    const assignments = nodes.map((node) => this.assignment(node));
    const inner = this.parts.splice(before);
    this.parts.push({ kind: 'assignment', text: nodes.map((n) => n.text).join(' '), words: [], assignments }, ...inner);
  }

  private assignment(node: SyntaxNode): Assignment {
    const [target, ...values] = named(node);
    if (target?.type === 'subscript' && !/\[\d+\]$/.test(target.text)) this.evaluation(target);
    for (const value of values) this.scan(value);
    const name = /^[A-Za-z_]\w*/.exec(target?.text ?? '')?.[0] ?? '';
    return { name, value: values.map((v) => v.text).join('') };
  }

  /** `[ … ]` and `[[ … ]]`: words as written, so that rules can name them; what they contain is scanned. */
  private test(node: SyntaxNode): void {
    const before = this.parts.length;
    for (const child of named(node)) this.scan(child);
    const inner = this.parts.splice(before);
    const words = node.text.split(/\s+/).filter((w) => w !== '').map((source): Word => ({ text: source, source, dynamic: /[$`]/.test(source), glob: false, tilde: false }));
    this.parts.push({ kind: 'command', text: node.text, words, assignments: [] }, ...inner);
  }

  private loop(node: SyntaxNode): void {
    for (const child of named(node)) {
      if (child.type === 'variable_name') this.parts.push({ kind: 'assignment', text: `for ${child.text}`, words: [], assignments: [{ name: child.text, value: '' }] });
      else this.statement(child);
    }
  }

  private evaluation(node: SyntaxNode): void {
    this.parts.push({ kind: 'evaluation', text: node.text, words: [], assignments: [] });
    for (const child of named(node)) if (child.type !== 'do_group' && child.type !== 'compound_statement') this.scan(child);
  }

  /** Looks below a word for everything that runs code. */
  private scan(node: SyntaxNode): void {
    const evaluates = (node.type === 'expansion' && !plainExpansion.test(node.text)) || (node.type === 'arithmetic_expansion' && !constantArithmetic.test(node.text));
    if (node.type === 'command_substitution' || node.type === 'process_substitution') this.statement(node);
    else if (evaluates) this.evaluation(node);
    else for (const child of named(node)) this.scan(child);
  }

  /** Nodes that touch each other are one word. */
  private words(nodes: readonly SyntaxNode[]): Word[] {
    const words: Word[] = [];
    let end = -1;
    for (const node of nodes) {
      const between = end === -1 ? ' ' : this.source.slice(end, node.startIndex);
      if (!gap.test(between) && !between.includes('>') && !between.includes('<')) this.fail('text between words');
      const word = this.word(node);
      const last = words.at(-1);
      if (between === '' && last) words[words.length - 1] = join([last, word]);
      else words.push(word);
      end = node.endIndex;
    }
    return words;
  }

  private word(node: SyntaxNode): Word {
    switch (node.type) {
      case 'raw_string':
        return quoted(node.text.slice(1, -1), node.text);
      case 'ansi_c_string':
        return quoted(unescapeAnsi(node.text.slice(2, -1)), node.text);
      case 'string':
      case 'translated_string':
        return this.doubleQuoted(node);
      case 'command_name':
      case 'concatenation':
        return this.joined(node);
      case 'brace_expression':
      case 'arithmetic_expansion':
      case 'simple_expansion':
      case 'expansion':
      case 'command_substitution':
      case 'process_substitution':
        this.scan(node);
        return { text: node.text, source: node.text, dynamic: true, glob: false, tilde: false };
      case 'variable_assignment':
        this.assignment(node);
        return { ...readBareWord(node.text), dynamic: /[$`]/.test(node.text), tilde: /=~/.test(node.text) };
      case 'word':
      case 'number':
      case 'variable_name':
      case 'special_variable_name':
      case 'regex':
      case 'extglob_pattern':
        return readBareWord(node.text);
      default:
        if (node.isNamed) this.fail(`the form "${node.type}"`);
        return readBareWord(node.text);
    }
  }

  private joined(node: SyntaxNode): Word {
    const children = present(node);
    if (children.length === 0) return readBareWord(node.text);
    const pieces: Word[] = [];
    let end = node.startIndex;
    for (const child of children) {
      if (child.startIndex > end) pieces.push(readBareWord(this.source.slice(end, child.startIndex)));
      pieces.push(this.word(child));
      end = child.endIndex;
    }
    if (end < node.endIndex) pieces.push(readBareWord(this.source.slice(end, node.endIndex)));
    const whole = { ...join(pieces), source: node.text };
    const bare = pieces.filter((p) => p.source === p.text).map((p) => p.text).join('');
    return /\{.*(,|\.\.).*\}/s.test(bare) ? { ...whole, dynamic: true } : whole;
  }

  private doubleQuoted(node: SyntaxNode): Word {
    const start = node.text.startsWith('$') ? 2 : 1;
    let text = '';
    let dynamic = false;
    let end = node.startIndex + start;
    for (const child of named(node)) {
      text += unescapeDouble(this.source.slice(end, child.startIndex));
      if (child.type === 'string_content') text += unescapeDouble(child.text);
      else {
        this.scan(child);
        text += child.text;
        dynamic = true;
      }
      end = child.endIndex;
    }
    text += unescapeDouble(this.source.slice(end, node.endIndex - 1));
    return { ...quoted(text, node.text), dynamic };
  }
}

function isBlank(text: string): boolean {
  return /^(?:\s|\\\n)*$/.test(text);
}

function quoted(text: string, source: string): Word {
  return { text, source, dynamic: false, glob: false, tilde: false };
}

function join(words: readonly Word[]): Word {
  return {
    text: words.map((w) => w.text).join(''),
    source: words.map((w) => w.source).join(''),
    dynamic: words.some((w) => w.dynamic),
    glob: words.some((w) => w.glob),
    tilde: words[0]?.tilde ?? false,
  };
}

function present(node: SyntaxNode): SyntaxNode[] {
  return node.children.filter((child) => child !== null);
}

function named(node: SyntaxNode): SyntaxNode[] {
  return present(node).filter((child) => child.isNamed);
}
