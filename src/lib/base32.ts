/** Encodes bytes in Crockford's base 32, which is safe in URLs and has no letter that looks like a digit. */
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
