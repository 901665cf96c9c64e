import type { BackgroundTask } from '../tools/backgroundTasks';

/** What the model is told when a background task has ended (spec 14); text of the task is escaped. */
export function taskNotification(task: BackgroundTask): string {
  const status = task.status();
  return [
    '<task-notification>',
    'This is an automatic notice; the person wrote nothing.',
    `<task-id>${task.id}</task-id>`,
    `<status>${status === 'running' ? 'completed' : status}</status>`,
    `<summary>${escaped(`Background command "${task.title}" ended: ${task.summary()}`)}</summary>`,
    `<output-file>${escaped(task.outputFile)}</output-file>`,
    '</task-notification>',
  ].join('\n');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
