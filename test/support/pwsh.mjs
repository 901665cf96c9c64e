#!/usr/bin/env node
// Stands in for PowerShell, which is not on every machine the tests run on: as strict about its arguments, it decodes
// the script, keeps it in $PWSH_RECORD, and acts on the few statements the tests use.
import { appendFileSync } from 'node:fs';
const args = process.argv.slice(2);
const flags = args.slice(0, -1);
const wanted = ['-NoLogo', '-NoProfile', '-NonInteractive', '-EncodedCommand'];
if (JSON.stringify(flags) !== JSON.stringify(wanted)) {
  console.error(`pwsh: unexpected arguments ${JSON.stringify(flags)}`);
  process.exit(64);
}
const bytes = Buffer.from(args.at(-1), 'base64');
if (bytes.toString('base64') !== args.at(-1) || bytes.length % 2 !== 0) {
  console.error('pwsh: the value of -EncodedCommand is no Base64 of UTF-16LE');
  process.exit(64);
}
const script = bytes.toString('utf16le');
if (process.env.PWSH_RECORD) appendFileSync(process.env.PWSH_RECORD, `${JSON.stringify({ script, cwd: process.cwd() })}\n`);
for (const line of script.split('\n')) {
  const said = /^Write-Output '(.*)'$/.exec(line)?.[1];
  if (said !== undefined) console.log(said.replaceAll("''", "'"));
  const code = /^exit (\d+)$/.exec(line)?.[1];
  if (code !== undefined) process.exit(Number(code));
  const slept = /^Start-Sleep (\d+)$/.exec(line)?.[1];
  if (slept !== undefined) await new Promise((resolve) => setTimeout(resolve, Number(slept) * 1000));
}
