/** Finds the first syntax error of a JSON text. The messages of `JSON.parse` differ between versions of Node and may quote the text. */

export interface JsonFault {
  readonly line: number;
  readonly column: number;
  /** A description of the tokens that JSON allows there. */
  readonly expected: string;
}

/** A punctuation mark, else a string, number or word. */
const token =
  /(?:([{}[\],:])|("(?:[^"\\\0-\x1f]|\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4}))*")|(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.]))/y;
const space = /[ \t\n\r]*/y;

type Next = 'value' | 'value or ]' | 'name' | 'name or }' | ':' | ', or end' | 'nothing';

const words: Readonly<Record<Exclude<Next, ', or end'>, string>> = {
  value: 'a value',
  'value or ]': 'a value or ]',
  name: 'a name in double quotes',
  'name or }': 'a name in double quotes or }',
  ':': 'a colon',
  nothing: 'the end',
};

/** Undefined if the text is valid JSON. */
export function jsonFault(text: string): JsonFault | undefined {
  const open: string[] = [];
  let next: Next = 'value';
  let at = 0;
  const afterValue = (): Next => (open.length > 0 ? ', or end' : 'nothing');
  const closer = () => (open.at(-1) === '{' ? '}' : ']');
  const close = (): Next => (open.pop(), afterValue());

  function step(mark: string | undefined, isText: boolean): Next | undefined {
    switch (next) {
      case 'value':
      case 'value or ]':
        if (mark === undefined) return afterValue();
        if (mark === ']' && next === 'value or ]') return close();
        if (mark !== '{' && mark !== '[') return undefined;
        open.push(mark);
        return mark === '{' ? 'name or }' : 'value or ]';
      case 'name':
      case 'name or }':
        return isText ? ':' : mark === '}' && next === 'name or }' ? close() : undefined;
      case ':':
        return mark === ':' ? 'value' : undefined;
      case ', or end':
        if (mark === ',') return open.at(-1) === '{' ? 'name' : 'value';
        return mark === closer() ? close() : undefined;
      case 'nothing':
        return undefined;
    }
  }

  for (;;) {
    space.lastIndex = at;
    space.test(text);
    const from = space.lastIndex;
    if (from === text.length && next === 'nothing') return undefined;
    token.lastIndex = from;
    const found = token.exec(text);
    const then = found ? step(found[1], found[2] !== undefined) : undefined;
    if (!then) return { ...placeOf(text, from), expected: next === ', or end' ? `a comma or ${closer()}` : words[next] };
    next = then;
    at = token.lastIndex;
  }
}

function placeOf(text: string, at: number): { line: number; column: number } {
  const lines = text.slice(0, at).split(/\r\n|\n|\r/);
  return { line: lines.length, column: (lines.at(-1) ?? '').length + 1 };
}
