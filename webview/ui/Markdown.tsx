import type { Token, Tokens } from 'marked';
import { createElement, Fragment, memo, type ReactNode, useState } from 'react';
import { CodeBlock } from './CodeBlock';
import { isClosedFence, MarkdownBlocks, safeLink, unescapeHtml } from './markdownBlocks';

interface MarkdownProps {
  readonly text: string;
  readonly onLink: (url: string) => void;
  /** Shows the caret after the last word. */
  readonly streaming?: boolean;
}

type OnLink = MarkdownProps['onLink'];

/** Markdown as React elements: no HTML is ever parsed, raw HTML is shown as the text it is. */
export const Markdown = memo(function Markdown({ text, onLink, streaming = false }: MarkdownProps) {
  const [blocks] = useState(() => new MarkdownBlocks());
  return (
    <div className={streaming ? 'md streaming' : 'md'}>
      {blocks.update(text).map((block) => (
        <Block key={block.key} token={block.token} onLink={onLink} />
      ))}
    </div>
  );
});

const Block = memo(function Block({ token, onLink }: { readonly token: Token; readonly onLink: OnLink }) {
  return render(token, 0, onLink);
});

function all(tokens: readonly Token[] | undefined, onLink: OnLink): ReactNode {
  return tokens?.map((token, i) => render(token, i, onLink));
}

function render(token: Token, key: number, onLink: OnLink): ReactNode {
  return isKnown(token) ? renderKnown(token, key, onLink) : token.raw;
}

function renderKnown(token: KnownToken, key: number, onLink: OnLink): ReactNode {
  switch (token.type) {
    case 'space':
    case 'def':
    case 'checkbox':
      return null;
    case 'heading':
      return createElement(`h${Math.min(6, token.depth + 2)}`, { key }, all(token.tokens, onLink));
    case 'paragraph':
      return <p key={key}>{all(token.tokens, onLink)}</p>;
    case 'text':
      return <Fragment key={key}>{'tokens' in token && token.tokens ? all(token.tokens, onLink) : unescapeHtml(token.text)}</Fragment>;
    case 'escape':
      return token.text;
    case 'br':
      return <br key={key} />;
    case 'hr':
      return <hr key={key} />;
    case 'strong':
      return <strong key={key}>{all(token.tokens, onLink)}</strong>;
    case 'em':
      return <em key={key}>{all(token.tokens, onLink)}</em>;
    case 'del':
      return <s key={key}>{all(token.tokens, onLink)}</s>;
    case 'codespan':
      return <code key={key}>{unescapeHtml(token.text)}</code>;
    case 'code':
      return <CodeBlock key={key} code={token.text} language={(token.lang ?? '').split(/\s/)[0] ?? ''} closed={isClosedFence(token.raw)} />;
    case 'blockquote':
      return <blockquote key={key}>{all(token.tokens, onLink)}</blockquote>;
    case 'list':
      return list(token, key, onLink);
    case 'table':
      return table(token, key, onLink);
    case 'link':
      return link(token, key, onLink);
    case 'image':
      return link({ ...token, tokens: [], raw: token.raw, href: token.href, text: token.text || 'image' }, key, onLink);
    case 'html':
      return token.raw;
  }
}

function list(token: Tokens.List, key: number, onLink: OnLink): ReactNode {
  const items = token.items.map((item, i) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: items have no identity but their place
    <li key={i} className={item.task ? 'task-item' : undefined}>
      {item.task ? <input type="checkbox" disabled checked={item.checked === true} readOnly aria-label={item.checked ? 'done' : 'to do'} /> : null}
      {item.task ? <div>{all(item.tokens, onLink)}</div> : all(item.tokens, onLink)}
    </li>
  ));
  return token.ordered ? (
    <ol key={key} start={token.start === '' ? undefined : token.start}>
      {items}
    </ol>
  ) : (
    <ul key={key}>{items}</ul>
  );
}

function table(token: Tokens.Table, key: number, onLink: OnLink): ReactNode {
  return (
    <div className="table-box" key={key} tabIndex={0} role="group" aria-label="Table">
      <table>
        <thead>
          <tr>
            {token.header.map((cell, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: cells have no identity but their place
              <th key={i} scope="col">
                {all(cell.tokens, onLink)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {token.rows.map((row, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows have no identity but their place
            <tr key={i}>
              {row.map((cell, j) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: cells have no identity but their place
                <td key={j}>{all(cell.tokens, onLink)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function link(token: Pick<Tokens.Link, 'href' | 'text' | 'tokens' | 'raw'>, key: number, onLink: OnLink): ReactNode {
  const content = token.tokens.length > 0 ? all(token.tokens, onLink) : token.text;
  const url = safeLink(token.href);
  if (!url) return <span key={key}>{content}</span>;
  return (
    <a
      key={key}
      href={url}
      title={url}
      onClick={(event) => {
        event.preventDefault();
        onLink(url);
      }}
    >
      {content}
    </a>
  );
}

type KnownToken =
  | Tokens.Space
  | Tokens.Def
  | Tokens.Checkbox
  | Tokens.Heading
  | Tokens.Paragraph
  | Tokens.Text
  | Tokens.Escape
  | Tokens.Br
  | Tokens.Hr
  | Tokens.Strong
  | Tokens.Em
  | Tokens.Del
  | Tokens.Codespan
  | Tokens.Code
  | Tokens.Blockquote
  | Tokens.List
  | Tokens.Table
  | Tokens.Link
  | Tokens.Image
  | Tokens.HTML;

const knownTypes: ReadonlySet<string> = new Set<KnownToken['type']>([
  'space',
  'def',
  'checkbox',
  'heading',
  'paragraph',
  'text',
  'escape',
  'br',
  'hr',
  'strong',
  'em',
  'del',
  'codespan',
  'code',
  'blockquote',
  'list',
  'table',
  'link',
  'image',
  'html',
]);

/** marked's Token union ends in a catch-all for extensions; there are none here. */
function isKnown(token: Token): token is KnownToken {
  return knownTypes.has(token.type);
}
