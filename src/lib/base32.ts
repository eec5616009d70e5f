/** Crockford's base 32: no letter that reads like a digit, safe in URLs, said easily over the phone. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

export function base32(bytes: Uint8Array, characters: number): string {
  let out = '';
  for (let at = 0; out.length < characters; at += 5) {
    const byte = at >> 3;
    const pair = ((bytes[byte] ?? 0) << 8) | (bytes[byte + 1] ?? 0);
    out += alphabet[(pair >> (11 - (at & 7))) & 31];
  }
  return out;
}
