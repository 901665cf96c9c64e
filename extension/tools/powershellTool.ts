import * as z from 'zod';
import { bashResult } from './bashResult';
import type { CommandSandbox } from './commandSandbox';
import { headOf } from './cutText';
import { defineTool, failure, type Tool, type ToolContext, type ToolResult } from './defineTool';
import { runShell, shellProblem, type ShellPorts, timeoutOf } from './shellRun';

export interface PowerShellPorts extends ShellPorts {
  /** Path of pwsh or powershell.exe. */
  readonly powershell: string;
  readonly sandbox?: CommandSandbox | undefined;
}

const input = z.object({
  command: z.string().min(1).describe('The PowerShell command or script'),
  timeout: z.coerce.number().positive().optional().describe('Time limit in ms. Default 120000, at most 600000'),
  description: z.string().optional().describe('What the command does, in 5 to 10 words'),
  run_in_background: z.boolean().optional().describe('Return at once and let it go on; you are told when it ends'),
  dangerouslyDisableSandbox: z.boolean().optional(),
});
type Input = z.infer<typeof input>;

export function createPowerShellTool(ports: PowerShellPorts): Tool {
  return defineTool({
    name: 'PowerShell',
    description:
      'Runs a PowerShell command and returns its output. Each call is a new session in the folder you work in: variables, functions and a Set-Location do not carry over. For files prefer Read, Edit, Write, Glob and Grep. Nothing can answer prompts, so pass -Confirm:$false or -Force where a cmdlet would ask. Use run_in_background for servers and long builds.',
    kind: 'command',
    input,
    readOnly: false,
    maxResultChars: Number.POSITIVE_INFINITY,
    title: (call) => headOf(call.command.trim().split('\n')[0] ?? '', 200),
    check: (call, ctx) => refusal(call, ctx, ports),
    describe: async (call, ctx) => {
      const place = await ports.sandbox?.placeOf({ command: call.command, wantsOut: true }, ctx);
      const why = place?.kind === 'outside' && place.why !== undefined ? 'PowerShell runs outside the sandbox, where it can write and reach anything you can' : undefined;
      return { title: 'run a PowerShell command', command: call.command, ...(why === undefined ? {} : { alwaysAsk: why, risks: [why] }) };
    },
    run: (call, ctx) => runPowerShell(call, ctx, ports),
  });
}

/** The system's sandbox has no place for PowerShell. */
async function refusal(call: Input, ctx: ToolContext, { sandbox }: PowerShellPorts): Promise<string | undefined> {
  const place = await sandbox?.placeOf({ command: call.command, wantsOut: true }, ctx);
  if (place?.kind === 'refused') return place.why;
  return place?.kind === 'confined' ? 'PowerShell can’t run in the sandbox, and the settings let no command run outside (sandbox.allowUnsandboxedCommands). Use Bash.' : undefined;
}

async function runPowerShell(call: Input, ctx: ToolContext, ports: PowerShellPorts): Promise<ToolResult> {
  const problem = shellProblem(call, ports.limits) ?? (await refusal(call, ctx, ports));
  if (problem !== undefined) return failure(problem);
  await ports.store.makeFolder(ports.outputsDir(ctx));
  const args = ['-NoLogo', '-NoProfile', '-NonInteractive', '-EncodedCommand', Buffer.from(scriptOf(call.command), 'utf16le').toString('base64')];
  return runShell({ call, ctx, ports, program: { command: ports.powershell, args }, mayMove: !/^\s*(Start-Sleep|sleep)\b/i.test(call.command) && !/\bgit\b/i.test(call.command) }, ({ process, end }) =>
    bashResult({ command: call.command, end, timeoutMs: timeoutOf(call, ports), maxChars: ports.limits?.maxOutputChars, store: ports.store, pid: process.pid }),
  );
}

/** Output in UTF-8 and without progress bars; ends with the code of the last program, or 1 when the last command failed. */
function scriptOf(command: string): string {
  return [
    "$ProgressPreference = 'SilentlyContinue'",
    'try { [Console]::OutputEncoding = [Text.UTF8Encoding]::new($false) } catch { }',
    '$global:LASTEXITCODE = $null',
    command,
    '$troupeOk = $?',
    'if ($null -ne $LASTEXITCODE) { exit $LASTEXITCODE }',
    'if (-not $troupeOk) { exit 1 }',
  ].join('\n');
}
