import { endpointTable } from '../../src/contract';
import { errorCodes } from '../../src/contract/errors';
import { answers } from '../../src/reference/answers';
import { baseOf, docsPage, docsPolicy } from '../../src/reference/docs';
import { docsStyle } from '../../src/reference/docs-style';
import { openApi } from '../../src/reference/openapi';

const page = docsPage(openApi('1.2.3'));
const html = page('http://127.0.0.1:8080');

describe('the reference page', () => {
  it.each(endpointTable.map(([name, { method, path, summary }]) => [name, method, path, summary]))(
    'shows %s',
    (name, _method, path, summary) => {
      expect(html).toContain(`<article id="${name}">`);
      expect(html).toContain(`href="#${name}"`);
      expect(html).toContain(`<code>${path}</code>`);
      expect(html).toContain(summary.replaceAll("'", '&#39;').replaceAll('"', '&quot;'));
    },
  );

  it('says of every code what to do', () => {
    for (const [code, { advice }] of Object.entries(errorCodes))
      expect(html).toMatch(new RegExp(`<code>${code}</code>.*${advice.slice(0, 20)}`));
  });

  it('shows an answer of each success and of each error', () => {
    const shown = (body: unknown) =>
      JSON.stringify(body, null, 2)
        .replaceAll('&', '&amp;')
        .replaceAll("'", '&#39;')
        .replaceAll('"', '&quot;')
        .replaceAll('<', '&lt;')
        .replaceAll('>', '&gt;');
    const bodies = Object.values(answers).flatMap((each) => Object.values(each));
    expect(bodies.length).toBeGreaterThan(80);
    expect(bodies.filter((body) => !html.includes(shown(body)))).toEqual([]);
  });

  it('asks no other host, and runs no script', () => {
    expect(html).not.toMatch(/<script|<link|<img|<iframe|@import|url\(|javascript:| on[a-z]+=|\sstyle=/i);
    expect([...html.matchAll(/(?:href|src)="([^"#][^"]*)"/g)].map(([, address]) => address)).toEqual(['/openapi.json']);
    expect(docsPolicy).toMatch(
      /^default-src 'none'; style-src 'sha256-[A-Za-z0-9+/]+=*'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
    );
    expect(html).toContain(`<style>${docsStyle}</style>`);
  });

  it('links to nothing that is not on it, and has no id twice', () => {
    const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect([...html.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id).filter((id) => !ids.includes(id))).toEqual([]);
  });

  it('has curl lines for the address that the reader used', () => {
    const other = page('https://leads.example.org');
    expect(other).toContain('curl -s https://leads.example.org/api/clinicsys/no-prescreen');
    expect(other).not.toContain('127.0.0.1:8080/api');
    expect(other).not.toContain('\0');
  });
});

describe('the address of the reader', () => {
  it.each([
    ['http', '127.0.0.1:8080', 'http://127.0.0.1:8080'],
    ['https', 'leads.example.org', 'https://leads.example.org'],
    ['http', '[::1]:8080', 'http://[::1]:8080'],
    ['gopher', 'localhost', 'http://localhost'],
  ])('%s %s', (protocol, host, base) => expect(baseOf(protocol, host)).toBe(base));

  it.each([
    undefined,
    '',
    'a b',
    "x'; rm -rf /;'",
    '"><script>alert(1)</script>',
    'x/$(id)',
    'x@y',
    'host:80:80',
    'host\r\nX: y',
    '$&',
    '-x',
    'a'.repeat(300),
  ])('is the usual one when the Host header is %j', (host) => expect(baseOf('http', host)).toBe('http://127.0.0.1:8080'));
});

/** WCAG 2: how much lighter one colour is than the other. */
function contrast(one: string, other: string): number {
  const luminance = (colour: string) => {
    const hex = colour.length === 4 ? colour.slice(1).replaceAll(/./g, '$&$&') : colour.slice(1);
    const [red = 0, green = 0, blue = 0] = [0, 2, 4]
      .map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255)
      .map((part) => (part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].toSorted((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

describe('colours', () => {
  const [light, dark] = [...docsStyle.matchAll(/:root\{([^}]+)\}/g)].map(([, list = '']) =>
    Object.fromEntries([...list.matchAll(/--(\w+):(#\w+)/g)].map(([, name = '', colour = '']) => [name, colour])),
  );
  const grounds = ['bg', 'panel', 'code'];
  const inks = ['text', 'soft', 'link', 'get', 'post', 'patch', 'bad'];
  const pairs = grounds.flatMap((ground) => inks.map((ink) => [ink, ground] as const));

  it.each(pairs)('%s on %s meets WCAG AA in light and in dark', (ink, ground) => {
    for (const colours of [light, dark]) expect(contrast(colours?.[ink] ?? '', colours?.[ground] ?? '')).toBeGreaterThanOrEqual(4.5);
  });
});
