import type { SyntaxNode } from './bashTree';
import type { ParsedCommand, Redirect, SimpleCommand, Word } from './commandTypes';
import { canonicalCommand } from './powershellNames';

/** Only hold other statements or expressions. What is named neither here nor below fails closed. */
const structures = new Set(
  [
    'program statement_list pipeline pipeline_chain empty_statement statement_block if_statement elseif_clauses elseif_clause else_clause while_statement while_condition do_statement for_statement for_initializer for_condition for_iterator foreach_statement',
    'try_statement catch_clauses catch_clause finally_clause trap_statement switch_statement switch_condition switch_body switch_clauses switch_clause switch_clause_condition flow_control_statement function_statement function_parameter_declaration parameter_list script_parameter',
    'script_block script_block_body script_block_expression named_block_list named_block param_block parameter_list',
    'logical_expression bitwise_expression comparison_expression additive_expression multiplicative_expression format_expression range_expression array_literal_expression unary_expression expression_with_unary_operator logical_argument_expression bitwise_argument_expression comparison_argument_expression additive_argument_expression multiplicative_argument_expression format_argument_expression range_argument_expression',
    'parenthesized_expression sub_expression array_expression hash_literal_expression hash_literal_body hash_entry member_access element_access argument_expression_list argument_expression argument_list string_literal expandable_string_literal expandable_here_string_literal redirections command_elements left_assignment_expression post_increment_expression post_decrement_expression pre_increment_expression pre_decrement_expression',
  ]
    .join(' ')
    .split(' '),
);
const leaves = new Set(
  'variable braced_variable integer_literal decimal_integer_literal hexadecimal_integer_literal real_literal verbatim_string_characters verbatim_here_string_characters simple_name member_name function_name comparison_operator format_operator file_redirection_operator merging_redirection_operator assignement_operator pipeline_chain_tail key_expression label comment command_argument_sep generic_token command_parameter command_name while until'.split(' '),
);
/** They call into code that no rule sees. */
const evaluating = new Set('invokation_expression type_literal cast_expression invokation_foreach_expression'.split(' '));
const texts = /^(expandable_(here_)?string_literal|verbatim_(here_)?string_characters|string_literal)$/;
/** Variables whose value steers what runs. */
const steering = /^\$\{?(env|global|script|function|alias|using):|^\$\{?(PSDefaultParameterValues|ExecutionContext|PSModulePath|OutputEncoding|PSCommandPath|profile|Error\w*Preference|\w*Preference)\}?$/i;
const fixedVariables = /^\$(true|false|null)$/i;

/** Reads every command anywhere in a PowerShell line. A shape it does not know makes the whole line unparsable. */
export function readPowerShellTree(root: SyntaxNode, source: string): ParsedCommand {
  if (root.hasError) return { ok: false, reason: 'the PowerShell syntax is not complete or not understood' };
  if (source.slice(0, root.startIndex).trim() !== '' || source.slice(root.endIndex).trim() !== '') return { ok: false, reason: 'a part of it is not understood' };
  const walk = new TreeWalk(source);
  walk.visit(root);
  return walk.failure === undefined ? { ok: true, parts: walk.parts, redirects: walk.redirects } : { ok: false, reason: walk.failure };
}

class TreeWalk {
  readonly parts: SimpleCommand[] = [];
  readonly redirects: Redirect[] = [];
  failure: string | undefined;

  constructor(private readonly source: string) {}

  visit(node: SyntaxNode): void {
    if (node.type === 'command' || node.type === 'foreach_command') return this.command(node);
    if (node.type === 'assignment_expression') return this.assignment(node);
    if (node.type === 'redirection') return this.redirection(node);
    if (evaluating.has(node.type)) this.parts.push({ kind: 'evaluation', text: node.text, words: [], assignments: [] });
    else if (leaves.has(node.type)) return;
    else if (!structures.has(node.type)) return this.fail(`the form "${node.type}"`);
    this.inside(node);
  }

  private inside(node: SyntaxNode): void {
    this.expectCovered(node);
    for (const child of named(node)) if (!evaluating.has(node.type) || !/^(type_spec|member_name)$/.test(child.type)) this.visit(child);
  }

  /** Between the pieces stands nothing but blanks, or something would run that nobody looked at. */
  private expectCovered(node: SyntaxNode): void {
    if (texts.test(node.type)) return;
    let end = node.startIndex;
    const children = node.children.filter((child) => child !== null);
    for (const child of children) {
      if (this.source.slice(end, child.startIndex).trim() !== '') this.fail('a part of it is not understood');
      end = child.endIndex;
    }
    if (children.length > 0 && this.source.slice(end, node.endIndex).trim() !== '') this.fail('a part of it is not understood');
  }

  private fail(reason: string): void {
    this.failure ??= reason;
  }

  private command(node: SyntaxNode): void {
    this.expectCovered(node);
    const before = this.parts.length;
    const words: Word[] = [];
    const pieces: SyntaxNode[] = [];
    for (const child of node.children.flatMap((c) => (c?.type === 'command_elements' ? c.children : [c]))) {
      if (!child || child.type === 'command_argument_sep' || child.type === 'command_invokation_operator' || child.type === 'comment') continue;
      if (child.type === 'redirection') {
        this.redirection(child);
        continue;
      }
      if (child.type === 'stop_parsing') this.fail('"--%" hands over the rest unread');
      if (pieces.at(-1)?.endIndex === child.startIndex && words.length > 0) this.fail('words that touch');
      pieces.push(child);
      words.push(...this.words(child));
    }
    const [name, ...args] = words;
    const [first] = pieces;
    const last = pieces.at(-1);
    const text = first && last ? this.source.slice(first.startIndex, last.endIndex) : node.text;
    const inner = this.parts.splice(before);
    const named = name ? [{ ...name, text: name.dynamic ? name.text : canonicalCommand(name.text), glob: false }, ...args] : [];
    this.parts.push(named.length > 0 ? { kind: 'command', text: text.trim(), words: named, assignments: [] } : { kind: 'evaluation', text: node.text, words: [], assignments: [] }, ...inner);
  }

  private assignment(node: SyntaxNode): void {
    this.expectCovered(node);
    const [target, ...rest] = named(node);
    const name = target?.text ?? '';
    const plain = /^\$\w+$/.test(name) && !steering.test(name);
    this.parts.push({ kind: plain ? 'assignment' : 'evaluation', text: node.text, words: [], assignments: plain ? [{ name: name.slice(1), value: '' }] : [] });
    for (const child of rest) this.visit(child);
    if (target && !plain) this.visit(target);
  }

  private redirection(node: SyntaxNode): void {
    const target = named(node).find((child) => child.type === 'redirected_file_name');
    if (!target) return;
    for (const child of named(target)) {
      if (child.type === 'command_argument_sep') continue;
      for (const word of this.words(child)) if (!/^\$null$/i.test(word.text)) this.redirects.push({ target: word, writes: true });
    }
  }

  /** A list (`a,b`) is several words. */
  private words(node: SyntaxNode): readonly Word[] {
    const inner = only(node);
    if (inner.type === 'array_literal_expression' && named(inner).length > 1) {
      this.expectCovered(inner);
      return named(inner).flatMap((child) => this.words(child));
    }
    if (inner.type === 'generic_token' && inner.text.includes(',')) return inner.text.split(',').map((piece) => bare(piece));
    return [this.word(inner)];
  }

  private word(node: SyntaxNode): Word {
    const fixed = (text: string): Word => ({ text, source: node.text, dynamic: false, glob: false, tilde: false });
    switch (node.type) {
      case 'command_name':
      case 'generic_token':
      case 'command_parameter':
      case 'integer_literal':
      case 'decimal_integer_literal':
      case 'real_literal':
        return bare(node.text);
      case 'verbatim_string_characters':
        return fixed(node.text.slice(1, -1).replaceAll("''", "'"));
      case 'expandable_string_literal': {
        this.inside(node);
        return { ...fixed(unescapeExpandable(node.text.slice(1, -1))), dynamic: /[$]/.test(node.text.replace(/`./g, '')), glob: /[*?[]/.test(node.text) };
      }
      case 'variable':
        return fixedVariables.test(node.text) ? fixed(node.text) : { ...fixed(node.text), dynamic: true };
      default:
        if (node.type !== 'path_command_name') this.visit(node);
        return { ...fixed(node.text), dynamic: true };
    }
  }
}

/** Down to the one piece that spells the whole. */
function only(node: SyntaxNode): SyntaxNode {
  const [child, second] = named(node);
  return child && !second && child.text.trim() === node.text.trim() && !/^(command|pipeline|statement_list|script_block)$/.test(child.type) ? only(child) : node;
}

function bare(source: string): Word {
  const text = source.trim().replace(/`(.)/g, '$1');
  return { text, source, dynamic: /[$@(){}]/.test(source), glob: /[*?[]/.test(source), tilde: source.startsWith('~') };
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '0': '\0', a: '\x07', b: '\b', f: '\f', v: '\v', e: '\x1b' };

function unescapeExpandable(body: string): string {
  return body.replace(/`([\s\S])|""/g, (all: string, char: string | undefined) => (char === undefined ? all.slice(1) : (escapes[char] ?? char)));
}

function named(node: SyntaxNode): SyntaxNode[] {
  return node.children.filter((child) => child !== null).filter((child) => child.isNamed);
}
