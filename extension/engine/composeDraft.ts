import type { Draft } from '../agents/agentRunner';
import { composeMessage } from '../agents/composeMessage';
import type { Incoming } from '../agents/turnLoop';
import { err, ok, type Result } from '../base/result';
import type { ResultBlock } from '../protocol/content';
import { deniedBy, type DraftDesk } from './renderForSession';

/** Reads a draft with this session's tools and rules: attached files go through Read, skills run under the permission rules. */
export async function composeDraft(draft: Draft, desk: DraftDesk): Promise<Result<readonly Incoming[], string>> {
  const beside: Incoming[] = [];
  const composed = await composeMessage(draft, {
    cwd: () => desk.context.cwd,
    readFile: (path) => readForAttachment(path, desk),
    isFile: (path) => desk.kit.isFile(path),
    runSkill: async (name, args) => (await typedPrompt(name, args, desk)) ?? (await import('./typedSkills')).runTypedSkills({ name, args, prompt: draft.text }, desk, beside),
    nearestSkills: (name) => desk.kit.skills.nearest(name),
  });
  return composed.ok ? ok([...composed.value, ...beside]) : composed;
}

async function readForAttachment(path: string, desk: DraftDesk): Promise<Result<readonly ResultBlock[], string>> {
  const prepared = desk.tools.find((tool) => tool.name === 'Read')?.prepare({ file_path: path });
  if (!prepared?.ok) return err(prepared ? prepared.problem : 'There is no Read tool.');
  const denied = await deniedBy(prepared.value.describe(desk.context), desk);
  if (denied) return err(denied);
  const result = await prepared.value.run(desk.context);
  if (result.isError) return err(typeof result.content === 'string' ? result.content : 'The file could not be read.');
  return ok(typeof result.content === 'string' ? [{ type: 'text', text: result.content }] : result.content);
}

/** A prompt of an MCP server, `/mcp__server__prompt args`. */
async function typedPrompt(name: string, args: string, desk: DraftDesk): Promise<Result<{ readonly text: string; readonly files: readonly string[] }, string> | undefined> {
  const fetched = await desk.kit.mcp.current?.prompt(name, args, desk.context);
  if (!fetched) return undefined;
  return fetched.ok ? ok({ text: fetched.value, files: [] }) : fetched;
}
