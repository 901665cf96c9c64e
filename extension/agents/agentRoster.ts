import { didYouMean } from '../base/nearest';
import type { Problem } from '../base/problem';
import { err, ok, type Result } from '../base/result';
import { type AgentDefinition, shownDescription } from './agentDefinition';
import { generalPurpose } from './builtin/generalPurpose';

const maxDescriptionChars = 500;

/** The agents a model may start, one a line with what each is for; long descriptions are cut. */
export function listAgents(definitions: readonly AgentDefinition[]): string {
  return [...definitions]
    .sort((a, b) => (a.qualified < b.qualified ? -1 : 1))
    .map((agent) => `- ${agent.qualified}: ${oneLine(shownDescription(agent))}`)
    .join('\n');
}

function oneLine(text: string): string {
  const line = text.trim().split(/\s+/).join(' ');
  return line.length > maxDescriptionChars ? `${line.slice(0, maxDescriptionChars - 1)}…` : line;
}

/**
 * The definition for what an Agent call names; nothing means `general-purpose`.
 * @returns problem: for the model, with what there is and which files could not be read
 */
export function findAgent(report: { readonly loaded: readonly AgentDefinition[]; readonly problems: readonly Problem[] }, wanted: string | undefined): Result<AgentDefinition, string> {
  const name = wanted?.trim() || generalPurpose.name;
  const bare = report.loaded.filter((agent) => agent.name === name);
  const found = report.loaded.find((agent) => agent.qualified === name) ?? (bare.length === 1 ? bare[0] : undefined);
  if (found) return ok(found);
  if (wanted === undefined) return err(`subagent_type is required: general-purpose is turned off here. The agents are: ${names(report.loaded)}.`);
  if (bare.length > 1) return err(`Several agents are called ${name}. Say which: ${bare.map((agent) => agent.qualified).join(', ')}.`);
  const near = didYouMean(name, report.loaded.map((agent) => agent.qualified));
  const broken = brokenFiles(report.problems);
  return err(`There is no agent "${name}".${near.length > 0 ? ` Did you mean ${near.join(' or ')}?` : ''} The agents are: ${names(report.loaded)}.${broken === '' ? '' : `\nThese agent files could not be used: ${broken}`}`);
}

/** Files that are meant to be agents and are none, each with what is wrong. */
export function brokenFiles(problems: readonly Problem[]): string {
  return problems
    .filter((problem) => problem.code === 'agent-skipped' && problem.severity !== 'info')
    .map((problem) => `${problem.path ?? '--agents'} (${problem.message})`)
    .join('; ');
}

function names(definitions: readonly AgentDefinition[]): string {
  return definitions.map((agent) => agent.qualified).sort().join(', ') || 'none';
}

/** A name that can stand in an address: no `@`, path separators or control characters; `-2`, `-3` where it is taken. */
export function agentName(wanted: string, taken: ReadonlySet<string>): string {
  const clean = [...wanted].filter((char) => !/[@/\\\p{C}]/u.test(char)).join('').trim().slice(0, 60) || 'agent';
  let name = clean;
  for (let n = 2; taken.has(name); n++) name = `${clean}-${n}`;
  return name;
}
