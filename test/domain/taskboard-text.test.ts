import * as fc from 'fast-check';
import { htmlOf, linksOf, safeHtml, textOf } from '../../src/domain/taskboard-text';

describe('text becomes HTML', () => {
  it.each([
    ['plain', '<p>plain</p>'],
    ['one\ntwo\r\nthree', '<p>one<br>two<br>three</p>'],
    ['<b>&"\'', '<p>&lt;b&gt;&amp;&quot;&#39;</p>'],
    ['', ''],
    ['the plan [https://a.example/x]', '<p><a href="https://a.example/x">the plan</a></p>'],
    ['Hello. See the plan [https://a.example] now', '<p>Hello. <a href="https://a.example">See the plan</a> now</p>'],
    ['first line\nlabel [http://a.example]', '<p>first line<br><a href="http://a.example">label</a></p>'],
    ['write to Ann [mailto:ann@example.org]', '<p><a href="mailto:ann@example.org">write to Ann</a></p>'],
    ['[https://a.example]', '<p><a href="https://a.example">https://a.example</a></p>'],
    ['a [https://a.example] b [https://b.example]', '<p><a href="https://a.example">a</a> <a href="https://b.example">b</a></p>'],
    ['read v1.2 of example.org [https://a.example]', '<p><a href="https://a.example">read v1.2 of example.org</a></p>'],
    ['see https://a.example/x?y=1&z=2.', '<p>see <a href="https://a.example/x?y=1&amp;z=2">https://a.example/x?y=1&amp;z=2</a>.</p>'],
    ['(https://a.example/a_(b))', '<p>(<a href="https://a.example/a_(b)">https://a.example/a_(b)</a>)</p>'],
    ['x [javascript:alert(1)] y', '<p>x [javascript:alert(1)] y</p>'],
    ['note [1] stays', '<p>note [1] stays</p>'],
    ['https://a.example [https://a.example]', '<p><a href="https://a.example">https://a.example</a></p>'],
  ])('%j', (text, html) => expect(htmlOf(text)).toBe(html));

  it('nothing that was written acts as HTML, and the text comes back', () => {
    const safe = fc.string({ unit: fc.constantFrom(...Array.from('ab <>&"\'/=\n[]()'), 'script', 'onload', 'href') });
    fc.assert(
      fc.property(safe, (text) => {
        const html = htmlOf(text);
        expect(html).not.toMatch(/<(?!\/?p>|br>)/);
        expect(textOf(html)).toBe(
          text
            .replace(/[^\S\n]+/g, ' ')
            .replace(/ ?\n ?/g, '\n')
            .replace(/\n{3,}/g, '\n\n')
            .trim(),
        );
      }),
    );
  });
});

describe('HTML becomes text and links', () => {
  it.each([
    [
      '<p>see <a href="https://a.example">the plan</a></p>',
      'see the plan [https://a.example]',
      [{ url: 'https://a.example', label: 'the plan' }],
    ],
    ['<p>a</p><p>b<br>c</p>', 'a\n\nb\nc', []],
    ['<a href="https://a.example">https://a.example</a>', 'https://a.example', [{ url: 'https://a.example', label: 'https://a.example' }]],
    ['<A HREF=https://a.example>x</A>', 'x [https://a.example]', [{ url: 'https://a.example', label: 'x' }]],
    [
      '<a href="https://a.example?a=1&amp;b=2"><b>bold</b> label</a>',
      'bold label [https://a.example?a=1&b=2]',
      [{ url: 'https://a.example?a=1&b=2', label: 'bold label' }],
    ],
    ['<a href="javascript:alert(1)">x</a><a href="java\nscript:alert(1)">y</a><a href="data:text/html,z">z</a>', 'xyz', []],
    ['<script>var a = "<a href=https://bad.example>x</a>"</script>ok', 'ok', []],
    ['<style>p{}</style>&lt;b&gt; &amp; &nbsp;x', '<b> & x', []],
    [
      '<a href="https://a.example">x</a> <a href="https://a.example">x</a>',
      'x [https://a.example] x [https://a.example]',
      [{ url: 'https://a.example', label: 'x' }],
    ],
    ['unclosed <a href="https://a.example">x', 'unclosed x [https://a.example]', [{ url: 'https://a.example', label: 'x' }]],
  ])('%j', (html, text, links) => {
    expect(textOf(html)).toBe(text);
    expect(linksOf(html)).toEqual(links);
  });

  it('keeps harmless HTML as it came, and disarms the rest', () => {
    const harmless = '<p>Hi <a href="https://a.example" target=_blank>x</a> &amp; <img src="/x.png"></p>';
    expect(safeHtml(harmless)).toBe(harmless);
    expect(safeHtml('<p onclick="x()">a<script>b</script><a href="javascript:c">d</a></p>')).toBe('<p>a<a>d</a></p>');
  });
});
