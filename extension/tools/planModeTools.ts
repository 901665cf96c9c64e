import * as z from 'zod';
import type { FileStore } from '../platform/fileStore';
import type { PlanReply } from '../protocol/interaction';
import { displayChars, headOf } from './cutText';
import { defineTool, failure, text, type Tool, type ToolContext, type ToolResult } from './defineTool';
import { noteText } from './knownFiles';

export interface PlanPorts {
  readonly store: FileStore;
  /** The only file that may be written in plan mode; absolute. */
  readonly planFile: (ctx: ToolContext) => string;
  /** Shows the plan and waits; `cancelled` when the call's signal aborts or nobody can answer. */
  readonly proposePlan: (proposal: { readonly ctx: ToolContext; readonly plan: string; readonly path: string }) => Promise<PlanReply | { readonly behavior: 'cancelled' }>;
}

const maxPlanBytes = 1024 * 1024;

export function createEnterPlanModeTool(ports: Pick<PlanPorts, 'planFile'>): Tool {
  return defineTool({
    name: 'EnterPlanMode',
    description: 'Switches to plan mode: you only look around and write a plan, nothing else is changed until the person approves it. Use it before larger changes whose way is not clear.',
    kind: 'plan',
    input: z.object({}),
    readOnly: true,
    title: () => 'plan first',
    describe: () => ({ title: 'switch to plan mode' }),
    run: async (_call, ctx) =>
      text(`Plan mode is on. Look at what you need without changing anything, write the plan to ${ports.planFile(ctx)} (the only file you may write now), then call ExitPlanMode.`, { note: 'plan mode', effects: [{ kind: 'mode', mode: 'plan' }] }),
  });
}

export function createExitPlanModeTool(ports: PlanPorts): Tool {
  return defineTool({
    name: 'ExitPlanMode',
    description: 'Shows the plan in the plan file to the person and asks whether to carry it out. Call it when the plan file is complete.',
    kind: 'plan',
    input: z.looseObject({ allowedPrompts: z.unknown().optional() }),
    readOnly: true,
    title: () => 'propose the plan',
    check: async (_call, ctx) => (ctx.mode === 'plan' ? undefined : 'Plan mode is not on, so there is no plan to approve. Go on with the work, or call EnterPlanMode first.'),
    describe: (_call, ctx) => ({ title: 'propose a plan', paths: [ports.planFile(ctx)] }),
    run: (_call, ctx) => propose(ctx, ports),
  });
}

async function propose(ctx: ToolContext, ports: PlanPorts): Promise<ToolResult> {
  const path = ports.planFile(ctx);
  const file = await ports.store.readText(path, maxPlanBytes);
  if (!file.ok && file.problem.code !== 'notFound') return failure(file.problem.message);
  const plan = file.ok ? file.value.text.trim() : '';
  if (plan === '') return failure(`The plan file ${path} is empty. Write the plan there with Write, then call ExitPlanMode again.`);
  const reply = await ports.proposePlan({ ctx, plan, path });
  const display = { kind: 'text' as const, text: headOf(plan, displayChars) };
  if (reply.behavior === 'sendBack') return failure(`The person did not approve the plan yet and says:\n${reply.feedback}\nChange the plan file accordingly, then call ExitPlanMode again.`, { note: 'sent back', display });
  if (reply.behavior === 'cancelled') return failure('Nobody decided on the plan. Plan mode stays on: do not start the work.', { note: 'not decided', display });
  const edited = reply.plan !== undefined && reply.plan.trim() !== plan ? reply.plan : undefined;
  if (edited !== undefined) {
    const written = await ports.store.writeText(path, { text: edited, encoding: 'utf8', bom: false });
    if (written.ok) noteText(ctx.files, await ports.store.realPath(path), written.value);
  }
  const how = edited === undefined ? `The person approved the plan (${path}). Carry it out now.` : `The person changed the plan and approved it. Carry out this version (also in ${path}):\n\n${edited}`;
  return text(how, { note: 'approved', display, effects: [{ kind: 'mode', mode: reply.mode }] });
}
