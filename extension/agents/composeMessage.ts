import { isAbsolute, resolve } from 'node:path';
import { assertNever } from '../base/assertNever';
import { err, ok, type Result } from '../base/result';
import type { ResultBlock, UserBlock } from '../protocol/content';
import type { Attachment } from '../protocol/interaction';
import type { Draft } from './agentRunner';
import type { Incoming } from './turnLoop';

/** What reading a draft needs from its session. */
export interface ComposePorts {
  readonly cwd: () => string;
  /** The file as the Read tool shows it; a problem says why not (missing, denied by a rule, too big). */
  readonly readFile: (path: string) => Promise<Result<readonly ResultBlock[], string>>;
  readonly isFile: (path: string) => Promise<boolean>;
  /** Renders a skill the person typed. `undefined`: there is no such skill. */
  readonly runSkill: (name: string, args: string) => Promise<Result<{ readonly text: string; readonly files: readonly string[] }, string> | undefined>;
  /** Names that come close to one that is not there, for the message. */
  readonly nearestSkills: (name: string) => readonly string[];
}

/** Turns what the person typed and attached into the message the model reads: `/skill args`, `@files`, attachments. */
export async function composeMessage(draft: Draft, ports: ComposePorts): Promise<Result<readonly Incoming[], string>> {
  const text = draft.text.trim();
  const called = readSlash(text);
  let body = text;
  const files: string[] = [];
  if (called) {
    const rendered = await ports.runSkill(called.name, called.args);
    if (rendered === undefined && called.sure) return err(unknownSkill(called.name, ports.nearestSkills(called.name)));
    if (rendered && !rendered.ok) return err(`/${called.name} did not run: ${rendered.problem}`);
    if (rendered?.ok) {
      body = rendered.value.text;
      files.push(...rendered.value.files);
    }
  }
  const mentioned = await existingMentions(called ? '' : text, ports);
  const content = [...(await fileBlocks([...mentioned, ...files], ports)), ...(await attachmentBlocks(draft.attachments, ports))];
  if (body !== '') content.push({ type: 'text', text: body });
  if (content.length === 0) return err('There is nothing to send: the message is empty.');
  const isTextAlone = body === text && text !== '' && content.length === 1;
  const shown = isTextAlone ? {} : { shown: text };
  return ok([{ origin: 'person', content, ...shown, attachments: draft.attachments }]);
}

/**
 * `/name args` at the very start. `sure` when it can't be a path or prose: "/usr/bin is full" has a second slash in
 * its first word, and is sent as it is.
 */
export function readSlash(text: string): { readonly name: string; readonly args: string; readonly sure: boolean } | undefined {
  const match = /^\/([^\s/]+(?:\/[^\s/]+:[^\s/]+)?)(?:\s+([\s\S]*))?$/.exec(text);
  return match?.[1] === undefined ? undefined : { name: match[1], args: match[2] ?? '', sure: /^[\w.:@-]+$/.test(match[1]) };
}

function unknownSkill(name: string, nearest: readonly string[]): string {
  const hint = nearest.length > 0 ? ` Did you mean ${nearest.map((n) => `/${n}`).join(' or ')}?` : ' Type / to see what there is.';
  return `There is no skill or command /${name}.${hint}`;
}

/** `@path` or `@"path with blanks"` after a blank or at the start, outside code. E-mails and `@scope/pkg` in prose name no file and stay text. */
export function mentionsIn(text: string): readonly string[] {
  const prose = text.replace(/```[\s\S]*?(```|$)/g, ' ').replace(/`[^`\n]*`/g, ' ');
  const found = [...prose.matchAll(/(?:^|[\s([])@(?:"([^"\n]+)"|([^\s"`]+))/g)].map((m) => m[1] ?? (m[2] ?? '').replace(/[.,;:!?)\]]+$/, ''));
  return [...new Set(found.filter((path) => path !== ''))];
}

async function existingMentions(text: string, ports: ComposePorts): Promise<readonly string[]> {
  const paths = mentionsIn(text).map((mention) => (isAbsolute(mention) ? mention : resolve(ports.cwd(), mention)));
  const checked = await Promise.all(paths.map(async (path) => ({ path, isFile: await ports.isFile(path) })));
  return checked.filter((entry) => entry.isFile).map((entry) => entry.path);
}

async function fileBlocks(paths: readonly string[], ports: ComposePorts): Promise<UserBlock[]> {
  const blocks = await Promise.all([...new Set(paths)].map((path) => fileBlock(path, ports)));
  return blocks.flat();
}

async function fileBlock(path: string, ports: ComposePorts): Promise<readonly UserBlock[]> {
  const read = await ports.readFile(path);
  if (!read.ok) return [{ type: 'text', text: `<attached-file path="${path}" problem="true">\n${read.problem}\n</attached-file>` }];
  return read.value.filter((block) => block.type !== 'tool_reference').map((block) => (block.type === 'text' ? { type: 'text', text: `<attached-file path="${path}">\n${block.text}\n</attached-file>` } : block));
}

async function attachmentBlocks(attachments: readonly Attachment[], ports: ComposePorts): Promise<UserBlock[]> {
  const blocks = await Promise.all(attachments.map((attachment) => attachmentBlock(attachment, ports)));
  return blocks.flat();
}

async function attachmentBlock(attachment: Attachment, ports: ComposePorts): Promise<readonly UserBlock[]> {
  switch (attachment.kind) {
    case 'file':
      return fileBlock(attachment.path, ports);
    case 'selection':
      return [{ type: 'text', text: `<selection path="${attachment.path}" lines="${attachment.startLine}-${attachment.endLine}">\n${attachment.text}\n</selection>` }];
    case 'text':
      return [{ type: 'text', text: `<pasted name="${attachment.name}">\n${attachment.text}\n</pasted>` }];
    case 'problems':
      return [{ type: 'text', text: `<problems>\n${attachment.text}\n</problems>` }];
    case 'image':
      return [{ type: 'image', source: { type: 'base64', media_type: attachment.mediaType, data: attachment.data } }];
    default:
      return assertNever(attachment);
  }
}
