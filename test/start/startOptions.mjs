import { statSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { TestbedError } from '../workbench/machineTools.mjs';

export const USAGE = `Try the extension from this checkout:

  npm start                    in VS Code (\`code\` on PATH), else in the packaged workbench in your browser
  npm start -- --web           in the packaged workbench (Linux)
  npm start -- --folder DIR    open DIR and not the sample repository
  npm start -- --port N        port of the packaged workbench; default: a free one
  npm start -- --no-open       open no window and no browser; print what to do`;

/**
 * @typedef {{ web: boolean, port: number | undefined, folder: string | undefined, open: boolean, help: boolean }} StartOptions
 * @param {string[]} argv
 * @returns {StartOptions}
 */
export function parseStartOptions(argv) {
  const { web, port, folder, help, 'no-open': noOpen } = parseFlags(argv);
  return { web, open: !noOpen, help, port: parsePort(port), folder: parseFolder(folder) };
}

/** @param {string[]} args */
function parseFlags(args) {
  try {
    return parseArgs({
      args,
      options: {
        web: { type: 'boolean', default: false }, 'no-open': { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false }, port: { type: 'string' }, folder: { type: 'string' },
      },
    }).values;
  } catch (error) {
    throw new TestbedError(`${error.message}\n\n${USAGE}`);
  }
}

/** @param {string | undefined} text */
function parsePort(text) {
  if (text === undefined) return undefined;
  const port = Number(text);
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
  throw new TestbedError(`--port ${text}: give a whole number from 1 to 65535.`);
}

/** @param {string | undefined} text */
function parseFolder(text) {
  if (text === undefined) return undefined;
  const folder = path.resolve(process.env.INIT_CWD ?? process.cwd(), text);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return folder;
  throw new TestbedError(`--folder ${text}: there is no folder ${folder}.`);
}
