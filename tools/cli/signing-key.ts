/** Loads the key that copies are signed with: from AUDIT_SIGNING_KEY, else from the data directory, where it is made once. */
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Config } from '../../src/config/config';
import { createFileAtomically } from '../../src/lib/disk';
import { newSigningKey, signerOf, type Signer } from '../copies/signer';
import { CommandError } from './command';

const fileName = 'audit-signing-key.pem';

export function loadSigner(config: Config): Signer {
  const { AUDIT_SIGNING_KEY: given, LEADGATE_DATA_DIR: dataDir } = config;
  if (given !== undefined) return readKey(given, 'AUDIT_SIGNING_KEY');
  if (!existsSync(dataDir)) throw new CommandError(`There is no data directory at ${resolve(dataDir)}, and no AUDIT_SIGNING_KEY_FILE`);
  const file = join(dataDir, fileName);
  if (!existsSync(file)) createFileAtomically(file, newSigningKey());
  return readKey(readFileSync(file, 'utf8'), file);
}

function readKey(pem: string, from: string): Signer {
  try {
    return signerOf(pem);
  } catch {
    throw new CommandError(`${from} must be a private Ed25519 key in PEM form: openssl genpkey -algorithm ed25519`);
  }
}
