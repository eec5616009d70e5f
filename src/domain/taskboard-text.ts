/**
 * Converts a card's text to HTML and back. In text, `label [url]` and bare links become anchors, and everything else is escaped. HTML is
 * read with a parser, never with patterns. `cardHtml` removes scripts and other active content. Anybody can write the input, so the running
 * time is linear.
 */
import { DomUtils, parseDocument, Parser } from 'htmlparser2';
import { escapeHtml } from './html';

export interface Link {
  readonly url: string;
  readonly label: string;
}

const scheme = /^(?:https?|mailto):/i;

/** Returns the URL if it is safe to link. Control characters and spaces can hide other schemes, so they are refused. */
function safeUrl(written: string): string | undefined {
  const url = written.trim();
  // eslint-disable-next-line no-control-regex
  return scheme.test(url) && !/[\u0000-\u0020\u007f]/.test(url) && URL.canParse(url) ? url : undefined;
}

const anchor = (url: string, label: string) => `<a href="${escapeHtml(url)}">${escapeHtml(label)}</a>`;

const inBrackets = /\[\s*((?:https?:\/\/|mailto:)[^\s[\]]+)\s*\]/gi;
const bareLink = /\b(?:https?:\/\/|mailto:)[^\s<>"[\]]+/gi;
/** Punctuation after a bare link is not part of it. */
const trailing = '.,;:!?\'")}]';
/** Punctuation that ends a label. Inside a word or number (v1.2, 10:30, example.org) it does not. */
const labelBreak = /[.,;:!?](?=\s)|[()[\]{}"“”«»]/g;

export function htmlOf(text: string): string {
  const lines = text.replace(/\r\n?/g, '\n').split('\n');
  return text === '' ? '' : `<p>${lines.map(lineOf).join('<br>')}</p>`;
}

function lineOf(line: string): string {
  if (!line.includes(':')) return escapeHtml(line);
  let html = '';
  let from = 0;
  for (const match of line.matchAll(inBrackets)) {
    const url = safeUrl(match[1] ?? '');
    if (!url) continue;
    const before = line.slice(from, match.index);
    const label = before.slice(labelStart(before));
    html += withBareLinks(before.slice(0, before.length - label.length));
    html += label.trim() ? padding(label) + anchor(url, label.trim()) : `${escapeHtml(label)}${anchor(url, url)}`;
    from = match.index + match[0].length;
  }
  return html + withBareLinks(line.slice(from));
}

const padding = (label: string) => label.slice(0, label.length - label.trimStart().length);

/**
 * The start of the label before a `[url]`: after the last punctuation mark, or after the last bare link, unless that link is the whole
 * label.
 */
function labelStart(before: string): number {
  const links = [...before.matchAll(bareLink)].map(({ index, 0: link }) => ({ index, end: index + withoutTail(link).length }));
  const last = links.at(-1);
  const behindMark = lastMark(before) + 1;
  if (!last || last.end <= behindMark) return behindMark;
  const isWholeLabel = before.slice(behindMark, last.index).trim() === '' && before.slice(last.end).trim() === '';
  return isWholeLabel ? behindMark : last.end;
}

/** The index of the last punctuation mark outside of links; -1 if there is none. */
function lastMark(text: string): number {
  const withoutLinks = text.replace(bareLink, (match) => {
    const link = withoutTail(match);
    return 'x'.repeat(link.length) + match.slice(link.length);
  });
  let last = -1;
  for (const { index } of withoutLinks.matchAll(labelBreak)) last = index;
  return last;
}

function withBareLinks(text: string): string {
  let html = '';
  let from = 0;
  for (const { index, 0: match } of text.matchAll(bareLink)) {
    const link = withoutTrailing(match);
    const url = safeUrl(link);
    if (!url) continue;
    html += escapeHtml(text.slice(from, index)) + anchor(url, link);
    from = index + link.length;
  }
  return html + escapeHtml(text.slice(from));
}

/** Searches from the end: a regular expression would take quadratic time on long punctuation. */
function withoutTail(link: string): string {
  let end = link.length;
  while (end > 0 && trailing.includes(link.charAt(end - 1))) end--;
  return link.slice(0, end);
}

/** Removes trailing punctuation, except for a closing bracket that the link opens. */
function withoutTrailing(link: string): string {
  const short = withoutTail(link);
  return link[short.length] === ')' && short.includes('(') ? `${short})` : short;
}

/** The deepest nesting. Each closing tag costs time for every open one. */
const deepest = 100;

class TooDeep extends Error {}

/** Undefined if the HTML is nested too deeply. */
function unlessTooDeep<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof TooDeep) return undefined;
    throw error;
  }
}

const droppedTags: readonly string[] = ['script', 'style', 'iframe', 'object', 'embed', 'template', 'noscript', 'title'];
const blocks: readonly string[] = ['p', 'div', 'ul', 'ol', 'li', 'blockquote', 'pre', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'table', 'tr'];

type Attributes = Readonly<Record<string, string>>;

interface ParsedHtml {
  readonly text: string;
  readonly links: readonly Link[];
  /** True if it has no active content. */
  readonly isHarmless: boolean;
}

/** Reads HTML in one pass, without a tree. */
function readHtml(html: string): ParsedHtml {
  const pieces: string[] = [];
  const links: Link[] = [];
  const open: { readonly name: string; readonly from: number; readonly url?: string; readonly link: number }[] = [];
  let within = '';
  let droppedAt = Infinity;
  let isHarmless = true;
  const put = (piece: string) => {
    if (droppedAt === Infinity) pieces.push(within.replace(/\s+/g, ' '), piece);
    within = '';
  };
  const parser = new Parser({
    ontext: (data) => void (within += data),
    onopentag(name, attributes) {
      if (open.length >= deepest) throw new TooDeep();
      put(name === 'br' || blocks.includes(name) ? '\n' : '');
      const isDropped = droppedTags.includes(name);
      if (isDropped || harmfulNames(attributes).length > 0) isHarmless = false;
      if (isDropped) droppedAt = Math.min(droppedAt, open.length);
      const url = name === 'a' && droppedAt === Infinity ? safeUrl(attributes.href ?? '') : undefined;
      open.push({ name, from: pieces.length, url, link: links.length });
      if (url) links.push({ url, label: url });
    },
    onclosetag() {
      put('');
      const { name, from, url, link } = open.pop() ?? { name: '', from: 0, link: 0 };
      if (open.length === droppedAt) droppedAt = Infinity;
      else if (blocks.includes(name)) put('\n');
      else if (url) {
        const inner = pieces.slice(from).join('').replace(/\s+/g, ' ').trim();
        links[link] = { url, label: inner || url };
        put(inner === '' ? url : inner === url ? '' : ` [${url}]`);
      }
    },
  });
  parser.end(html);
  put('');
  return { text: pieces.join(''), links, isHarmless };
}

/** Converts HTML to plain text: a link becomes `label [url]`, and each block starts on its own line. Too deeply nested HTML becomes ''. */
export function textOf(html: string): string {
  const text = unlessTooDeep(() => readHtml(html))?.text ?? '';
  return text
    .split('\n')
    .map((line) => line.trim())
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

export interface CardHtml {
  /** The HTML without active content. If it is nested too deeply, its escaped source. */
  readonly html: string;
  /** Its links in order, without duplicates. */
  readonly links: readonly Link[];
}

export function cardHtml(html: string): CardHtml {
  const read = unlessTooDeep(() => readHtml(html));
  if (!read) return { html: `<p>${escapeHtml(html)}</p>`, links: [] };
  const links = new Map(read.links.map((link) => [`${link.url}\n${link.label}`, link]));
  return { html: read.isHarmless ? html : sanitize(html), links: [...links.values()] };
}

function sanitize(html: string): string {
  const document = parseDocument(html);
  const elements = DomUtils.findAll(() => true, document.children);
  for (const parent of [document, ...elements])
    parent.children = parent.children.filter((node) => !(DomUtils.isTag(node) && droppedTags.includes(node.name)));
  for (const { attribs } of elements) for (const name of harmfulNames(attribs)) delete attribs[name];
  return DomUtils.getInnerHTML(document);
}

const addresses: readonly string[] = ['href', 'src', 'action', 'formaction', 'xlink:href', 'srcdoc'];

/** The names of event handlers, and of URLs of other schemes. */
const harmfulNames = (attributes: Attributes): string[] =>
  Object.keys(attributes).filter((name) => name.startsWith('on') || (addresses.includes(name) && !isHarmless(attributes[name] ?? '')));

/** True for a safe URL, and for a relative one, which has no scheme. */
const isHarmless = (url: string) => safeUrl(url) !== undefined || /^[/#?]/.test(url.trim());
