import { runInNewContext } from 'node:vm';
import { errorCode } from '../base/errorText';
import { knownTools } from '../permissions/toolNames';
import { type HookEventName, hookEvents } from './hookEvents';

export interface HookMatcher {
  readonly matches: (value: string) => boolean;
  /** Why it can hardly be what was meant. */
  readonly warning?: string;
}

const always: HookMatcher = { matches: () => true };

/**
 * Names alone are compared whole and split at `|` and `,`; anything else is a regular expression that may match
 * anywhere in the value (spec 05.2). One that can't be read matches nothing.
 */
export function compileMatcher(event: HookEventName, matcher: string | undefined): HookMatcher {
  const { matcherField, literal, tool } = hookEvents[event];
  if (matcherField === undefined || matcher === undefined || matcher === '' || matcher === '*') return always;
  if (event === 'FileChanged') return literalFiles(matcher);
  const names = literal ? /^[A-Za-z0-9_|]+$/ : /^[A-Za-z0-9_\- ,|]+$/;
  if (names.test(matcher)) {
    const set = new Set(matcher.split(literal ? '|' : /[|,]/).map((name) => name.trim()));
    return { matches: (value) => set.has(value) };
  }
  try {
    const expression = new RegExp(matcher);
    return { matches: mayRunAway.test(matcher) ? (value) => testWithin(expression, value) : (value) => expression.test(value), ...(tool ? ruleWarning(matcher, expression) : {}) };
  } catch {
    return { matches: () => false, warning: `"${matcher}" is no valid regular expression, so it matches nothing` };
  }
}

/** A group that is repeated: the only shape that can take longer than anybody waits. */
const mayRunAway = /\)[*+{]/;
const longestTestMs = 50;

/** One that comes to no end counts as a match: the hook that was to be asked is asked. */
function testWithin(expression: RegExp, value: string): boolean {
  try {
    return runInNewContext('expression.test(value)', { expression, value }, { timeout: longestTestMs }) === true;
  } catch (thrown) {
    if (errorCode(thrown) === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return true;
    throw thrown;
  }
}

/** What is watched is named, not matched: the value compared is the file's path. */
function literalFiles(matcher: string): HookMatcher {
  const files = fileNames(matcher);
  return { matches: (path) => files.some((file) => path === file || path.endsWith(`/${file}`) || path.endsWith(`\\${file}`)) };
}

export function fileNames(matcher: string): readonly string[] {
  return matcher.split('|').map((name) => name.trim()).filter((name) => name !== '');
}

/** `Bash(git push:*)` is the way of permission rules; here its brackets make a group that no tool's name holds. */
function ruleWarning(matcher: string, expression: RegExp): { readonly warning?: string } {
  if (!/^[A-Za-z_]\w*\([^|]*\)$/.test(matcher) || [...knownTools].some((tool) => expression.test(tool))) return {};
  return { warning: `"${matcher}" looks like a permission rule, but a matcher is compared with the tool's name alone; no tool is called that. Put the rule into "if" and the tool's name into "matcher"` };
}
