import type { Problem } from '../base/problem';
import { err, ok, type Result } from '../base/result';
import type { RuleBehavior } from './permissionTypes';
import { canonicalTool, inputFields, knownTools, primaryFields } from './toolNames';

/** A rule by what it compares. `tool` is the canonical name; only `tool` rules may hold `*` in it. */
export type ParsedRule =
  | { readonly kind: 'tool'; readonly tool: string }
  | { readonly kind: 'command'; readonly tool: 'Bash' | 'PowerShell'; readonly specifier: string }
  | { readonly kind: 'path'; readonly access: 'read' | 'edit' | 'cd'; readonly pattern: string }
  | { readonly kind: 'domain'; readonly pattern: string }
  /** `withArgs`: also calls that carry arguments; `bare`: also calls without. */
  | { readonly kind: 'name'; readonly tool: 'Agent' | 'Skill'; readonly name: string; readonly withArgs: boolean }
  | { readonly kind: 'param'; readonly tool: string; readonly param: string; readonly value: string };

/** @returns problem: why the rule has no effect; `code` is `rule-*` */
export type RuleResult = Result<{ readonly rule: ParsedRule; readonly warnings: readonly Problem[] }, Problem>;

const longestRule = 4096;
const shape = /^([^()]+?)\s*(?:\(([\s\S]*)\))?$/;
const parameter = /^\s*([A-Za-z_]\w*)\s*:\s*([\s\S]*?)\s*$/;

/** Reads `Tool` or `Tool(specifier)` as one of the three lists means it. Rules that can't have an effect say why. */
export function parseRule(text: string, behavior: RuleBehavior): RuleResult {
  if (text.length > longestRule) return refuse(`${text.slice(0, 60)}…`, 'rule-too-long', `a rule has at most ${longestRule} characters`);
  const match = shape.exec(text.trim());
  const name = match?.[1]?.trim() ?? '';
  if (!match || name === '') return refuse(text, 'rule-malformed', 'a rule is a tool name, or a tool name and a pattern in parentheses, like Bash(npm run *)');
  const tool = canonicalTool(name);
  const specifier = match[2]?.trim();
  if (!/^[\w*.:-]+$/.test(tool)) return refuse(text, 'rule-malformed', `"${name}" is no tool name`);
  const globProblem = allowGlobProblem(tool, behavior);
  if (globProblem) return refuse(text, 'rule-tool-glob', globProblem);
  if (specifier === undefined || specifier === '' || specifier === '*') return bare(text, tool, behavior);
  if (tool.includes('*')) return refuse(text, 'rule-tool-glob', 'a tool name with * takes no pattern in parentheses');
  return withSpecifier({ text, tool: name === 'MultiEdit' ? name : tool, specifier, behavior });
}

interface Parts {
  readonly text: string;
  readonly tool: string;
  readonly specifier: string;
  readonly behavior: RuleBehavior;
}

function allowGlobProblem(tool: string, behavior: RuleBehavior): string | undefined {
  if (behavior !== 'allow' || !tool.includes('*')) return undefined;
  const server = /^mcp__(.+?)__(.*)$/.exec(tool);
  if (server && !server[1]?.includes('*')) return undefined;
  return 'an allow rule may use * in a tool name only after a whole server name, like mcp__github__get_*';
}

function bare(text: string, tool: string, behavior: RuleBehavior): RuleResult {
  const unknown = behavior !== 'allow' && !knownTools.has(tool) && !/[_*]/.test(tool);
  const warnings = unknown ? [problem(text, 'rule-unknown-tool', `no tool is called "${tool}"; the rule will match nothing until there is one`)] : [];
  return ok({ rule: { kind: 'tool', tool: wholeServer(tool) ? `${tool}__*` : tool }, warnings });
}

/** `mcp__github` speaks about every tool of the server. */
function wholeServer(tool: string): boolean {
  return tool.startsWith('mcp__') && !tool.slice('mcp__'.length).includes('__') && !tool.includes('*');
}

function withSpecifier(parts: Parts): RuleResult {
  const { tool, specifier, text } = parts;
  switch (tool) {
    case 'Bash':
    case 'Monitor':
    case 'PowerShell':
      return paramRule(parts) ?? fine({ kind: 'command', tool: tool === 'PowerShell' ? 'PowerShell' : 'Bash', specifier });
    case 'Read':
    case 'Edit':
      return paramRule(parts) ?? pathRule(parts, tool === 'Read' ? 'read' : 'edit');
    case 'Cd':
      return pathRule(parts, 'cd');
    case 'Write':
    case 'NotebookEdit':
    case 'MultiEdit':
      return paramRule(parts) ?? refuse(text, 'rule-never-matches', `write it as Edit(${specifier}): paths of all tools that change files are matched by Edit rules`);
    case 'Grep':
    case 'Glob':
    case 'LSP':
      return paramRule(parts) ?? refuse(text, 'rule-never-matches', `write it as Read(${specifier}): paths of all tools that read files are matched by Read rules`);
    case 'WebFetch':
      return domainRule(parts);
    case 'Agent':
    case 'Skill':
      return paramRule(parts) ?? nameRule(tool, specifier);
    default:
      return paramRule(parts) ?? refuse(text, 'rule-no-specifier', `${tool} has no patterns; write ${tool} alone`);
  }
}

function pathRule(parts: Parts, access: 'read' | 'edit' | 'cd'): RuleResult {
  if (parts.specifier.startsWith('!')) return refuse(parts.text, 'rule-negated', 'a pattern can not be negated; write what to match and put it in another list');
  return fine({ kind: 'path', access, pattern: parts.specifier });
}

function domainRule(parts: Parts): RuleResult {
  const domain = /^domain\s*:\s*(.+)$/.exec(parts.specifier)?.[1]?.trim();
  if (domain === '*') return fine({ kind: 'tool', tool: 'WebFetch' });
  if (domain) return fine({ kind: 'domain', pattern: plainHost(domain) });
  return paramRule(parts) ?? refuse(parts.text, 'rule-malformed', 'a WebFetch rule names a host: WebFetch(domain:docs.example.org)');
}

export function plainHost(host: string): string {
  return host.toLowerCase().replace(/\.$/, '');
}

function nameRule(tool: 'Agent' | 'Skill', specifier: string): RuleResult {
  const prefix = tool === 'Skill' && /^(.*\S)\s*(?:\s\*|:\*)$/.exec(specifier)?.[1];
  return fine({ kind: 'name', tool, name: prefix || specifier, withArgs: Boolean(prefix) });
}

/** The parameter form, if the text is one: before the colon stands an input field of the tool. */
function paramRule(parts: Parts): RuleResult | undefined {
  const found = parameter.exec(parts.specifier);
  if (!found) return undefined;
  const [, param = '', value = ''] = found;
  const fields = inputFields[parts.tool];
  if (fields && !fields.includes(param)) return undefined;
  // `timeout:*` is the old way to say `timeout *`.
  if (value === '*' && (parts.tool === 'Bash' || parts.tool === 'PowerShell') && param === 'timeout') return undefined;
  if (primaryFields[parts.tool] === param) {
    return refuse(parts.text, 'rule-primary-field', `${param} can not be matched as a parameter; write ${parts.tool}(${value}) instead`);
  }
  if (parts.behavior === 'allow') {
    if (parts.tool === 'Bash' || parts.tool === 'PowerShell' || parts.tool === 'Read' || parts.tool === 'Edit') return undefined;
    return refuse(parts.text, 'rule-parameter-allow', 'parameters can be matched in deny and ask only');
  }
  return fine({ kind: 'param', tool: parts.tool, param, value });
}

function fine(rule: ParsedRule): RuleResult {
  return ok({ rule, warnings: [] });
}

function refuse(text: string, code: string, why: string): RuleResult {
  return err(problem(text, code, why));
}

function problem(text: string, code: string, why: string): Problem {
  return { severity: 'warning', code, message: `Permission rule "${text}": ${why}.` };
}
