import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseConfig } from '../../src/config/config';
import { withNewKey, withoutKey } from '../../src/keys/key-change';
import { loadKeyRing, parseKeyRing } from '../../src/keys/ring';

const key = (id: string) => `${id}:${randomBytes(32).toString('base64')}`;
const unused = (...ids: string[]) => [...ids, ''].map((id) => ({ id, open: 0, closed: 0 }));

describe('the key ring', () => {
  const k1 = key('k1');

  it('writes with the first key, and hashes with the oldest, so a new key in front changes no id and no search', () => {
    const before = parseKeyRing(k1);
    const after = parseKeyRing(`${key('k2')},${k1}`);
    expect([before.current.id, after.current.id]).toEqual(['k1', 'k2']);
    expect(after.hash('email', 'ann')).toBe(before.hash('email', 'ann'));
  });

  it('goes on hashing the same when the oldest key is retired, and does not keep that key', () => {
    const { written } = withNewKey(k1);
    const retired = withoutKey(written, 'k1', unused('k1', 'k2'));
    const ring = parseKeyRing(retired.written);
    expect([...ring.byId.keys()]).toEqual(['k2']);
    expect(ring.hash('email', 'ann')).toBe(parseKeyRing(k1).hash('email', 'ann'));
    expect(retired.written).not.toContain(k1.slice(3));
    const again = withoutKey(withNewKey(retired.written).written, 'k2', unused('k2', 'k3'));
    expect(parseKeyRing(again.written).hash('email', 'ann')).toBe(ring.hash('email', 'ann'));
  });

  it.each([
    ['the key that writes', 'k3', unused('k1', 'k2', 'k3'), /writes: add a new one first/],
    ['a key that is not there', 'k9', unused('k1', 'k2', 'k3'), /There is no key "k9"/],
    ['a key that open runs need', 'k1', [{ id: 'k1', open: 2, closed: 0 }], /still needed.*2 open/],
    ['a key that kept runs need', 'k1', [{ id: 'k1', open: 0, closed: 3 }], /3 closed/],
    [
      'a key while runs of an older one are stored: it may have written into them',
      'k2',
      [{ id: 'k1', open: 1, closed: 0 }],
      /of the key "k1"/,
    ],
  ])('does not retire %s', (_, id, use, message) => expect(() => withoutKey([key('k3'), key('k2'), k1].join(), id, use)).toThrow(message));

  it('takes no id twice, and none that is no id', () => {
    expect(() => withNewKey(k1, 'k1')).toThrow('There is a key "k1" already');
    expect(() => withNewKey(k1, 'a b')).toThrow('must be id:base64');
    expect(withNewKey(key('k2')).id).toBe('k3');
  });

  it('of two keys with one id tells which is which', () =>
    expect(parseKeyRing(key('k1')).fingerprints.get('k1')).not.toBe(parseKeyRing(key('k1')).fingerprints.get('k1')));
});

describe('keys that nobody gave', () => {
  const dir = mkdtempSync(join(tmpdir(), 'leadgate-keys-'));
  afterAll(() => rmSync(dir, { recursive: true }));
  const settings = { LEADGATE_DATA_DIR: dir };

  it('are made once, for the engine of this machine', () =>
    expect(loadKeyRing(parseConfig(settings)).fingerprints).toEqual(loadKeyRing(parseConfig(settings)).fingerprints));

  it('are not made in production, and it is said how to make them', () => {
    const production = { ...settings, NODE_ENV: 'production' };
    const load = () => loadKeyRing(parseConfig(production));
    expect(load).toThrow(/LEADGATE_KEYS_FILE or LEADGATE_KEYS/);
    expect(load).toThrow(/openssl rand -base64 32/);
    expect(loadKeyRing(parseConfig({ ...production, LEADGATE_KEYS: key('k1') })).current.id).toBe('k1');
  });
});
