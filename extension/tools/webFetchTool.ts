import * as z from 'zod';
import { err, ok, type Result } from '../base/result';
import { isPrivateAddress } from '../platform/privateAddress';
import type { WebClient, WebReply } from '../platform/webClient';
import type { Clock } from '../ports';
import { displayChars, headOf } from './cutText';
import { defineTool, failure, text, type Tool, type ToolContext, type ToolResult } from './defineTool';
import { htmlToMarkdown } from './htmlToMarkdown';

export interface WebFetchPorts {
  readonly web: WebClient;
  readonly clock: Clock;
  /** A small model answers `prompt` from `content`. */
  readonly askSmallModel: (prompt: string, content: string, signal: AbortSignal) => Promise<Result<string, string>>;
}

const input = z.object({
  url: z.string().min(1).describe('Address of the page; http becomes https'),
  prompt: z.string().min(1).describe('What you want to know from the page'),
});
type Input = z.infer<typeof input>;

const timeoutMs = 30_000;
const maxBytes = 10 * 1024 * 1024;
const maxHtmlChars = 3 * 1024 * 1024;
const maxContentChars = 100_000;
const maxRedirects = 10;
const cacheMs = 15 * 60_000;
const cacheEntries = 50;

interface Page {
  readonly atMs: number;
  readonly content: string;
  readonly cut: boolean;
}

export function createWebFetchTool(ports: WebFetchPorts): Tool {
  const cache = new Map<string, Page>();
  /** Calls whose ask said that the address is private: only those may reach one. */
  const askedPrivate = new Set<string>();
  return defineTool({
    name: 'WebFetch',
    description: 'Fetches a web page, turns it into Markdown and lets a small model answer your prompt from it. Public pages only, nothing behind a login. A redirect to another host is returned instead of followed: fetch the new address then. Pages are kept for 15 minutes.',
    kind: 'fetch',
    input,
    readOnly: true,
    title: (call) => call.url,
    check: async (call) => {
      const url = pageUrl(call.url);
      return url.ok ? undefined : url.problem;
    },
    describe: async (call, ctx) => {
      const url = pageUrl(call.url);
      if (!url.ok) return { title: 'fetch a web page', url: call.url };
      const address = (await ports.web.addresses(url.value.hostname)).find(isPrivateAddress);
      const title = `fetch a page of ${url.value.hostname}`;
      if (address === undefined) return { title, url: url.value.href };
      if (askedPrivate.size > 1_000) askedPrivate.clear();
      askedPrivate.add(ctx.callId);
      const why = `${url.value.hostname} is a private address (${address}): it can reach services on this machine or network`;
      return { title, url: url.value.href, risks: [why], alwaysAsk: why };
    },
    run: async (call, ctx) => {
      const allowPrivate = askedPrivate.delete(ctx.callId);
      return fetchPage({ call, ctx, ports, cache, allowPrivate });
    },
  });
}

function pageUrl(given: string): Result<URL, string> {
  const url = parsed(given) ?? (/^[\w.-]+\.\w+(\/|$)/.test(given) ? parsed(`https://${given}`) : undefined);
  if (!url) return err(`"${given}" is no web address. Give a whole one, like https://example.org/page.`);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return err(`WebFetch takes http and https addresses, not ${url.protocol} ones. Use Read for files.`);
  if (url.username || url.password) return err('The address holds a name or password; those are not sent. Remove them.');
  url.hash = '';
  // Servers on one's own machine or network seldom speak https.
  if (url.protocol === 'http:' && !url.port && !isPrivateAddress(url.hostname) && url.hostname !== 'localhost') url.protocol = 'https:';
  return ok(url);
}

interface Fetching {
  readonly call: Input;
  readonly ctx: ToolContext;
  readonly ports: WebFetchPorts;
  readonly cache: Map<string, Page>;
  readonly allowPrivate: boolean;
}

async function fetchPage(work: Fetching): Promise<ToolResult> {
  const { call, ctx, ports, cache } = work;
  const url = pageUrl(call.url);
  if (!url.ok) return failure(url.problem);
  const now = ports.clock.nowMs();
  for (const [key, page] of cache) if (now - page.atMs > cacheMs) cache.delete(key);
  let page = cache.get(url.value.href);
  if (!page) {
    const loaded = await load(url.value, work);
    if (!loaded.ok) return failure(loaded.problem);
    if ('redirect' in loaded.value) {
      return text(`${url.value.href} redirects to another host: ${loaded.value.redirect}\nIf that is what you want, call WebFetch with that address and the same prompt.`, { note: 'redirect' });
    }
    page = loaded.value;
    cache.set(url.value.href, page);
    for (const key of [...cache.keys()].slice(0, Math.max(0, cache.size - cacheEntries))) cache.delete(key);
  }
  if (page.content === '') return text(`${url.value.href} has no text.`, { note: 'empty' });
  const answer = await ports.askSmallModel(call.prompt, page.content, ctx.signal);
  if (!answer.ok) return failure(`The page was fetched, but the model that reads it failed: ${answer.problem}`);
  return text(answer.value + (page.cut ? '\n\n[The page was longer; only its beginning was read.]' : ''), { note: url.value.hostname, display: { kind: 'text', text: headOf(answer.value, displayChars) } });
}

async function load(start: URL, { ctx, ports, allowPrivate }: Fetching): Promise<Result<Page | { readonly redirect: string }, string>> {
  let url = start;
  for (let hops = 0; hops <= maxRedirects; hops += 1) {
    const address = allowPrivate ? undefined : (await ports.web.addresses(url.hostname)).find(isPrivateAddress);
    if (address !== undefined) return err(`${url.hostname} leads to the private address ${address}, which was not asked for. If you need it, call WebFetch with ${url.href} itself, so that the person can decide.`);
    const reply = await ports.web.get({ url: url.href, allowPrivate, timeoutMs, maxBytes, signal: ctx.signal });
    if (!reply.ok) return err(reply.problem);
    const next = reply.value.status >= 300 && reply.value.status < 400 ? reply.value.location : undefined;
    if (next === undefined) return pageOf(url, reply.value, ports.clock.nowMs());
    const target = parsed(next);
    if (!target || !sameHost(url, target)) return ok({ redirect: next });
    url = target;
  }
  return err(`${start.href} redirects more than ${maxRedirects} times.`);
}

function sameHost(a: URL, b: URL): boolean {
  const bare = (url: URL): string => url.hostname.replace(/^www\./, '') + (url.port ? `:${url.port}` : '');
  return bare(a) === bare(b) && (b.protocol === a.protocol || b.protocol === 'https:');
}

async function pageOf(url: URL, reply: WebReply, atMs: number): Promise<Result<Page, string>> {
  if (reply.status >= 400) return err(`${url.href} answered ${reply.status}${reply.status === 404 ? ' (no such page)' : reply.status === 401 || reply.status === 403 ? ' (it needs a login or refuses programs)' : ''}.`);
  const type = reply.contentType.toLowerCase();
  if (!/^(text\/|application\/(json|xml|xhtml|javascript|ld\+json|rss|atom|x-ndjson|yaml)|$)|\+(json|xml)/.test(type)) {
    return err(`${url.href} is no text (${type}). Download it with curl in Bash, then Read the file if it is an image or PDF.`);
  }
  const charset = type.match(/charset=["']?([\w-]+)/)?.[1];
  const raw = decoded(reply.body, charset);
  const html = type.includes('html') || (type === '' && /^\s*<(!doctype|html)/i.test(raw));
  const whole = html ? await htmlToMarkdown(headOf(raw, maxHtmlChars)) : raw;
  return ok({ atMs, content: headOf(whole, maxContentChars), cut: reply.cut || whole.length > maxContentChars || (html && raw.length > maxHtmlChars) });
}

function decoded(body: Buffer, charset: string | undefined): string {
  try {
    return new TextDecoder(charset ?? 'utf-8').decode(body);
  } catch {
    return body.toString('utf8'); // a charset nobody knows
  }
}

function parsed(url: string): URL | undefined {
  return URL.canParse(url) ? new URL(url) : undefined;
}
