/**
 * Converts a card's text to HTML and back. In text, `label [url]` and bare links become anchors, and everything else is escaped. HTML is
 * read with a parser, never with patterns. `safeHtml` removes scripts and other active content.
 */
import { DomUtils, parseDocument } from 'htmlparser2';

export interface Link {
  readonly url: string;
  readonly label: string;
}

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => escapes[character] ?? '');

const schemes: readonly string[] = ['http:', 'https:', 'mailto:'];

/** The URL if it may be linked to. Control characters and spaces are refused, because they can hide other schemes. */
function safeUrl(written: string): string | undefined {
  const url = written.trim();
  // eslint-disable-next-line no-control-regex
  if (/[\u0000-\u0020\u007f]/.test(url) || !URL.canParse(url)) return undefined;
  return schemes.includes(new URL(url).protocol) ? url : undefined;
}

const anchor = (url: string, label: string) => `<a href="${escaped(url)}">${escaped(label)}</a>`;

const inBrackets = /\[\s*((?:https?:\/\/|mailto:)[^\s[\]]+)\s*\]/gi;
const bareLink = /\b(?:https?:\/\/|mailto:)[^\s<>"[\]]+/gi;
/** Punctuation after a bare link is not part of it. */
const trailing = /[.,;:!?'")}\]]+$/;
/** Punctuation that ends a label. Inside a word or number (v1.2, 10:30, example.org) it does not. */
const mark = /[.,;:!?](?=\s)|[()[\]{}"“”«»]/g;

export function htmlOf(text: string): string {
  const lines = text.replace(/\r\n?/g, '\n').split('\n');
  return text === '' ? '' : `<p>${lines.map(lineOf).join('<br>')}</p>`;
}

function lineOf(line: string): string {
  let html = '';
  let from = 0;
  for (const match of line.matchAll(inBrackets)) {
    const url = safeUrl(match[1] ?? '');
    if (!url) continue;
    const before = line.slice(from, match.index);
    const label = before.slice(labelStart(before));
    html += withBareLinks(before.slice(0, before.length - label.length));
    html += label.trim() ? padding(label) + anchor(url, label.trim()) : `${escaped(label)}${anchor(url, url)}`;
    from = match.index + match[0].length;
  }
  return html + withBareLinks(line.slice(from));
}

const padding = (label: string) => label.slice(0, label.length - label.trimStart().length);

/**
 * The start of the label before a `[url]`: after the last punctuation mark, or after the last link that stands alone. A link that is the
 * whole label stays its label.
 */
function labelStart(before: string): number {
  const links = [...before.matchAll(bareLink)].map(({ index, 0: link }) => ({ index, end: index + link.replace(trailing, '').length }));
  const inLink = (at: number) => links.some(({ index, end }) => at >= index && at < end);
  const marks = [...before.matchAll(mark)].filter(({ index }) => !inLink(index));
  const behindMark = (marks.at(-1)?.index ?? -1) + 1;
  const last = links.at(-1);
  if (!last || last.end <= behindMark) return behindMark;
  const isWholeLabel = before.slice(behindMark, last.index).trim() === '' && before.slice(last.end).trim() === '';
  return isWholeLabel ? behindMark : last.end;
}

function withBareLinks(text: string): string {
  let html = '';
  let from = 0;
  for (const { index, 0: match } of text.matchAll(bareLink)) {
    const link = withoutTrailing(match);
    const url = safeUrl(link);
    if (!url) continue;
    html += escaped(text.slice(from, index)) + anchor(url, link);
    from = index + link.length;
  }
  return html + escaped(text.slice(from));
}

/** Removes trailing punctuation. A closing bracket stays if the link opens it. */
function withoutTrailing(link: string): string {
  const short = link.replace(trailing, '');
  return link[short.length] === ')' && short.includes('(') ? `${short})` : short;
}

type Node = ReturnType<typeof parseDocument>['children'][number];

const dropped: readonly string[] = ['script', 'style', 'iframe', 'object', 'embed', 'template', 'noscript', 'title'];
const blocks: readonly string[] = ['p', 'div', 'ul', 'ol', 'li', 'blockquote', 'pre', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'table', 'tr'];

const isDropped = (node: Node) => DomUtils.isTag(node) && dropped.includes(node.name);

/** HTML as plain text: a link reads `label [url]`, and each block starts on a line of its own. */
export function textOf(html: string): string {
  const text = parseDocument(html).children.map(plain).join('');
  return text
    .replace(/[^\S\n]*\n[^\S\n]*/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

function plain(node: Node): string {
  if (DomUtils.isText(node)) return node.data.replace(/\s+/g, ' ');
  if (!DomUtils.isTag(node) || isDropped(node)) return '';
  if (node.name === 'br') return '\n';
  const inner = node.children.map(plain).join('');
  const url = node.name === 'a' ? safeUrl(node.attribs.href ?? '') : undefined;
  if (url) return inner.trim() && inner.trim() !== url ? `${inner} [${url}]` : url;
  return blocks.includes(node.name) ? `\n${inner}\n` : inner;
}

/** The links of the HTML in order, each address and label once. */
export function linksOf(html: string): Link[] {
  const anchors = DomUtils.findAll(({ name }) => name === 'a', withoutDropped(parseDocument(html).children));
  const links = anchors.flatMap(({ attribs, children }) => {
    const url = safeUrl(attribs.href ?? '');
    const label = children.map(plain).join('').replace(/\s+/g, ' ').trim();
    return url ? [{ url, label: label || url }] : [];
  });
  return links.filter(({ url, label }, at) => links.findIndex((other) => other.url === url && other.label === label) === at);
}

function withoutDropped(nodes: readonly Node[]): Node[] {
  for (const node of DomUtils.findAll(isDropped, [...nodes])) DomUtils.removeElement(node);
  return nodes.filter((node) => !isDropped(node));
}

/** Removes from HTML what could act in a page that shows it. */
export function safeHtml(html: string): string {
  const document = parseDocument(html);
  const found = DomUtils.findAll(isDropped, document.children);
  for (const node of found) DomUtils.removeElement(node);
  const attributes = DomUtils.findAll(() => true, document.children).filter(disarmed);
  return found.length + attributes.length > 0 ? DomUtils.getInnerHTML(document) : html;
}

const addresses: readonly string[] = ['href', 'src', 'action', 'formaction', 'xlink:href', 'srcdoc'];

/** Removes event handlers and URLs of other schemes; true if there were any. */
function disarmed({ attribs }: { readonly attribs: Record<string, string> }): boolean {
  const bad = Object.keys(attribs).filter(
    (name) => name.startsWith('on') || (addresses.includes(name) && !isHarmless(attribs[name] ?? '')),
  );
  for (const name of bad) delete attribs[name];
  return bad.length > 0;
}

/** True for a safe URL, and for a relative one, which has no scheme. */
const isHarmless = (url: string) => safeUrl(url) !== undefined || /^[/#?]/.test(url.trim());
