import * as z from 'zod';
import type { FileStore } from '../platform/fileStore';
import type { BackgroundTask, BackgroundTasks } from './backgroundTasks';
import { displayChars, tailOf } from './cutText';
import { defineTool, failure, text, type Tool, type ToolContext, type ToolResult } from './defineTool';

export interface TaskPorts {
  readonly tasks: BackgroundTasks;
  readonly store: FileStore;
}

const maxTimeoutMs = 600_000;
const tailChars = 25_000;
const tailBytes = 256 * 1024;

const outputInput = z.object({
  task_id: z.string().optional().describe('Id of the task'),
  bash_id: z.string().optional().describe('Old name of task_id'),
  block: z.boolean().optional().describe('Wait for the end. Default true'),
  timeout: z.coerce.number().min(0).optional().describe('Longest wait in ms. Default 30000, at most 600000'),
});

export function createTaskOutputTool({ tasks, store }: TaskPorts): Tool {
  return defineTool({
    name: 'TaskOutput',
    aliases: ['BashOutput', 'AgentOutput'],
    description: 'Says how a background task stands and shows the end of its output; waits for its end unless block is false. To see all output, Read the output file instead.',
    kind: 'other',
    input: outputInput,
    readOnly: true,
    title: (call) => call.task_id ?? call.bash_id ?? '',
    describe: (call) => ({ title: `read the output of ${call.task_id ?? call.bash_id ?? 'a task'}` }),
    run: async (call, ctx) => {
      const task = tasks.find(ctx.sessionId, call.task_id ?? call.bash_id ?? '');
      if (!task) return failure(unknownTask(call.task_id ?? call.bash_id, tasks, ctx));
      if (call.block !== false) await endOrTimeout(task, Math.min(call.timeout ?? 30_000, maxTimeoutMs), ctx.signal);
      return taskState(task, store);
    },
  });
}

async function taskState(task: BackgroundTask, store: FileStore): Promise<ToolResult> {
  const status = task.status();
  const head = `Task ${task.id} (${task.title}): ${status === 'running' ? 'still running' : `${status}, ${task.summary()}`}.\nOutput file: ${task.outputFile}`;
  if (task.kind === 'agent') return text(head, { note: status });
  const info = await store.info(task.outputFile);
  if (!info || info.sizeBytes === 0) return text(`${head}\n\n[No output${status === 'running' ? ' yet' : ''}.]`, { note: status });
  const bytes = await store.readBytes(task.outputFile, 64 * 1024 * 1024 + 1);
  if (!bytes.ok) return failure(bytes.problem.message);
  const output = tailOf(bytes.value.subarray(-tailBytes).toString('utf8'), tailChars);
  const cut = bytes.value.length > Buffer.byteLength(output) ? `[The end of ${bytes.value.length} bytes; Read the output file for the rest.]\n` : '';
  return text(`${head}\n\n${cut}${output}`, { note: status, display: { kind: 'output', text: tailOf(output, displayChars), fullPath: task.outputFile } });
}

const stopInput = z.object({
  task_id: z.string().optional().describe('Id of the task, or the name of a background agent'),
  shell_id: z.string().optional().describe('Old name of task_id'),
});

export function createTaskStopTool({ tasks }: Pick<TaskPorts, 'tasks'>): Tool {
  return defineTool({
    name: 'TaskStop',
    aliases: ['KillShell', 'KillBash'],
    description: 'Stops a background task: a command (with everything it started) or an agent.',
    kind: 'other',
    input: stopInput,
    readOnly: false,
    title: (call) => call.task_id ?? call.shell_id ?? '',
    describe: (call) => ({ title: `stop ${call.task_id ?? call.shell_id ?? 'a task'}`, readOnly: true }),
    run: async (call, ctx) => {
      const task = tasks.find(ctx.sessionId, call.task_id ?? call.shell_id ?? '');
      if (!task) return failure(unknownTask(call.task_id ?? call.shell_id, tasks, ctx));
      if (task.status() !== 'running') return text(`Task ${task.id} had ended already: ${task.status()}, ${task.summary()}.`);
      task.stop();
      await endOrTimeout(task, 5_000, ctx.signal);
      return text(`Stopped ${task.kind === 'shell' ? 'the command' : 'the agent'} ${task.title} (task ${task.id}). Its output is in ${task.outputFile}.`, { note: 'stopped' });
    },
  });
}

function unknownTask(id: string | undefined, tasks: BackgroundTasks, ctx: ToolContext): string {
  const running = tasks.running(ctx.sessionId).map((task) => `${task.id} (${task.title})`);
  return `${id ? `There is no task ${id}.` : 'task_id is missing.'} ${running.length > 0 ? `Running now: ${running.join(', ')}.` : 'No task is running.'}`;
}

function endOrTimeout(task: BackgroundTask, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const finish = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', finish);
      resolve();
    };
    const timer = setTimeout(finish, ms);
    signal.addEventListener('abort', finish, { once: true });
    if (signal.aborted) finish();
    void task.ended.then(finish);
  });
}
