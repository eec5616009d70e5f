/** Adds encryption and search attributes to the bare workflow, with the service's own modules. */
import { randomBytes, randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';

const compiled = createRequire(import.meta.url);
const { parseKeyRing } = compiled('../../dist/src/keys/ring.js');
const { attributes, dataConverter, searchAttributes } = compiled('../../dist/src/temporal/engine.js');
const { prepareNamespace } = compiled('../../dist/src/temporal/namespace.js');

const ring = parseKeyRing(`k1:${randomBytes(32).toString('base64')}`);

export const guards = {
  dataConverter: dataConverter(ring),
  prepare: (connection) => prepareNamespace(connection, { namespace: 'default', retentionH: 24, searchAttributes }),
  start({ instanceName, StudyID, protocol, email, phone }) {
    const terms = [
      [attributes.flow, 'no-prescreen'],
      [attributes.state, 'running'],
      [attributes.site, instanceName],
      [attributes.study, String(StudyID)],
      [attributes.protocol, protocol],
      [attributes.emails, [ring.hash('email', email)]],
      [attributes.phones, [ring.hash('phone', phone)]],
      [attributes.key, ring.fingerprints.get('k1')],
    ];
    return {
      typedSearchAttributes: terms.map(([key, value]) => ({ key, value })),
      memo: { lead: { nonce: randomUUID(), digest: ring.hash('digest', email) } },
    };
  },
};
