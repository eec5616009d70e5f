/** Finds a text in its encodings, such as base64, hex and JSON escapes. */

/** The parts of its base64 that do not depend on the preceding bytes. */
function inBase64(bytes: Buffer): string[] {
  return [0, 1, 2].map((offset) => {
    const written = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
    return written.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
  });
}

const escaped = (text: string) => text.replaceAll(/[^ -~]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);

export function formsOf(text: string): readonly Buffer[] {
  const bytes = Buffer.from(text);
  const base64 = inBase64(bytes);
  const written = [
    text,
    text.toLowerCase(),
    text.toUpperCase(),
    escaped(text),
    encodeURIComponent(text),
    new URLSearchParams({ text }).toString().slice('text='.length),
    bytes.toString('hex'),
    ...base64,
    ...base64.map((one) => one.replaceAll('+', '-').replaceAll('/', '_')),
  ];
  const digits = text.replaceAll(/\D/g, '');
  const numbers = /^[\d ()+.-]{10,}$/.test(text) ? [digits, `${digits.slice(0, 3)}-${digits.slice(3, 6)}-${digits.slice(6)}`] : [];
  return [...new Set([...written, ...numbers])].map((one) => Buffer.from(one)).concat(Buffer.from(text, 'utf16le'));
}

/** The texts that occur in any encoding. */
export const foundIn = (place: Buffer, texts: readonly string[]): string[] =>
  texts.filter((text) => formsOf(text).some((form) => place.includes(form)));
