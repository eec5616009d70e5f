/**
 * Adds to the bare steps what the service cannot do without, by its own modules: encryption, search attributes, and a send journal that
 * notes reads and sends, with a connection of its own for each send.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { activityInfo } from '@temporalio/activity';
import { stepsWith, upstream } from '../steps.mjs';

const compiled = createRequire(import.meta.url);
const { parseKeyRing } = compiled('../../dist/keys/ring.js');
const { attributes, dataConverter, searchAttributes } = compiled('../../dist/temporal/engine.js');
const { prepareNamespace } = compiled('../../dist/engine/namespace.js');
const { noting, send } = compiled('../../dist/activities/http.js');
const { openDirectory } = compiled('../../dist/send-journal/directory.js');
const { placeOf } = compiled('../../dist/domain/sends.js');

const ring = parseKeyRing(`k1:${randomBytes(32).toString('base64')}`);
const directory = mkdtempSync(join(tmpdir(), 'leadgate-bench-journal-'));
const journal = openDirectory(directory, ring);
process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
process.once('SIGTERM', () => process.exit());

const thisSend = () => {
  const { workflowExecution, activityType } = activityInfo();
  return { ...workflowExecution, place: placeOf(activityType, 1), length: 3 };
};

async function noted(path, { method, headers, body }) {
  const sent = thisSend();
  const begin = async () => void (await journal.begin(sent));
  const answer = await noting(begin, () => send({ method, url: upstream + path, headers, body, timeoutMs: 30_000 }));
  if (!(answer.status < 300)) throw new Error(`${path}: ${answer.status ?? answer.reason}`);
  void journal.end(sent, { answer: answer.body });
  return answer.body;
}

const steps = stepsWith(noted);

export const guards = {
  dataConverter: dataConverter(ring),
  activities: {
    ...steps,
    async checkEmail(record) {
      const answer = await steps.checkEmail(record);
      await journal.end(thisSend(), { answer });
      return answer;
    },
  },
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
