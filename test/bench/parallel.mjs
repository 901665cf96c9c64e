import path from 'node:path';
import { median, runMeasured } from './measured.mjs';

const agents = 8;
const turns = 3;
/** How long the server takes for each reply: long enough that all are there at once, short enough that our own share shows. */
const replyMs = 50;
const briefs = Array.from({ length: agents }, (_, i) => `TASK-${i}.`);

/** 8 sub-agents of 3 turns beside 8 bare loops in one process. @returns medians of both: time of the agents' work, peak memory, most requests at once */
export async function benchParallel({ ours, bare, runs, script, repo, configDir }) {
  const all = { ours: [], bare: [] };
  for (let i = 0; i < runs + 1; i++) {
    const a = await measure(ours, ['-p', 'go', '--allowedTools', 'Bash(echo *)', 'Read'], { script, repo, configDir, starts: true });
    const b = await measure(bare, briefs, { script, repo, configDir, starts: false });
    if (i === 0) continue; // the first pair warms the disk
    all.ours.push(a);
    all.bare.push(b);
  }
  const of = (list) => ({ workMs: median(list.map((run) => run.workMs)), peakMb: median(list.map((run) => run.peakMb)), atOnce: Math.min(...list.map((run) => run.atOnce)) });
  return { ours: of(all.ours), bare: of(all.bare) };
}

async function measure(program, args, { script, repo, configDir, starts }) {
  const { startAnthropicServer, reply, callTool, say, when, delay } = script;
  const server = await startAnthropicServer({ tolerant: true });
  const work = briefs.map((brief) =>
    when({ first: brief }, [
      reply(delay(replyMs), callTool('Read', { file_path: path.join(repo, 'a.txt') })),
      reply(delay(replyMs), callTool('Bash', { command: 'echo done' })),
      reply(delay(replyMs), say('Done.')),
    ]),
  );
  const lead = starts ? [reply(...briefs.map((brief, i) => callTool('Agent', { description: `task ${i}`, prompt: brief }))), say('All done.')] : [];
  server.script(...work, ...lead);
  const { peakMb } = await runMeasured(program, args, { server, cwd: repo, configDir });
  const requests = server.messageRequests().filter(({ body }) => briefs.some((brief) => JSON.stringify(body.messages[0]).includes(brief)));
  await server.close();
  if (requests.length !== agents * turns) throw new Error(`${program}: ${requests.length} requests of sub-agents instead of ${agents * turns}`);
  const spans = requests.map((request) => ({ from: request.receivedExactlyMs, to: request.replied.endedAtMs }));
  return { peakMb, workMs: Math.max(...spans.map((span) => span.to)) - Math.min(...spans.map((span) => span.from)), atOnce: Math.max(...spans.map(({ from }) => spans.filter((other) => other.from <= from && from < other.to).length)) };
}
