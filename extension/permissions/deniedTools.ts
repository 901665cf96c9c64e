import { parseRule } from './parseRule';
import type { PolicyRule } from './permissionTypes';
import { ruleNamesFor } from './toolNames';
import { wildcardMatches } from './wildcard';

/**
 * Whether a deny takes the whole tool away (`Bash`, `Bash(*)`, `mcp__*`), so that the model need not be told of it.
 * A deny with a pattern leaves the tool and refuses calls. Ending the conversation can't be taken away.
 */
export function isToolDenied(rules: readonly PolicyRule[], tool: string): boolean {
  if (tool === 'EndConversation') return false;
  const names = ruleNamesFor(tool);
  return rules.some((rule) => {
    if (rule.behavior !== 'deny') return false;
    const parsed = parseRule(rule.text, 'deny');
    if (!parsed.ok || parsed.value.rule.kind !== 'tool') return false;
    const pattern = parsed.value.rule.tool;
    return names.some((name) => wildcardMatches(pattern, name));
  });
}
