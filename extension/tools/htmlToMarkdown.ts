/** The readable part of a page. Loads its parser at first use. */
export async function htmlToMarkdown(html: string): Promise<string> {
  const { default: TurndownService } = await import('turndown');
  const service = new TurndownService({ headingStyle: 'atx', codeBlockStyle: 'fenced', bulletListMarker: '-' });
  service.remove(['script', 'style', 'noscript', 'iframe', 'template']);
  service.addRule('pictures', { filter: ['img'], replacement: (_content, node) => ('getAttribute' in node ? (node.getAttribute('alt') ?? '') : '') });
  return service.turndown(html).replace(/\n{3,}/g, '\n\n').trim();
}
