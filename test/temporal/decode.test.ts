/** What the engine stores encrypted is read as what was told. */
import { ApplicationFailure, CancelledFailure, defaultPayloadConverter, TimeoutFailure, type Payload } from '@temporalio/common';
import { parseKeyRing } from '../../src/keys/ring';
import { decodeError, decodeValues } from '../../src/temporal/decode';
import { dataConverter } from '../../src/temporal/engine';
import { failureConverter } from '../../src/temporal/failure-converter';

const codecs = dataConverter(parseKeyRing(`k1:${Buffer.alloc(32, 3).toString('base64')}`));
const encrypted = async (payloads: Payload[]) => (await codecs.payloadCodecs?.[0]?.encode(payloads)) ?? [];

const isPayload = (value: object): value is Payload => 'metadata' in value;

/** Encrypts every payload in it, wherever it stands. */
async function stored(value: unknown): Promise<unknown> {
  if (Array.isArray(value)) return Promise.all(value.map(stored));
  if (typeof value !== 'object' || value === null) return value;
  if (isPayload(value)) return (await encrypted([value]))[0];
  return Object.fromEntries(await Promise.all(Object.entries(value).map(async ([name, inner]) => [name, await stored(inner)])));
}

const readBack = async (error: Error) =>
  decodeError(codecs, (await stored(failureConverter.errorToFailure(error, defaultPayloadConverter))) as object);

it('reads values, and none where none are', async () => {
  const values = [{ leadId: 'p1' }, 'text', 3, null];
  const payloads = await encrypted(values.map((value) => defaultPayloadConverter.toPayload(value)));
  expect(await decodeValues(codecs, payloads)).toEqual(values);
  expect(await decodeValues(codecs, undefined)).toEqual([]);
});

const inner = ApplicationFailure.create({ message: 'inner', details: [7] });

it.each([
  [ApplicationFailure.create({ message: 'refused', details: [{ status: 422 }] }), { message: 'refused', details: [{ status: 422 }] }],
  [new TimeoutFailure('too late', { page: 3 }, 'HEARTBEAT'), { message: 'too late', lastHeartbeatDetails: { page: 3 } }],
  [new CancelledFailure('ended', [{ by: 'a person' }]), { message: 'ended', details: [{ by: 'a person' }] }],
  [ApplicationFailure.create({ message: 'outer', cause: inner }), { message: 'outer', cause: { message: 'inner', details: [7] } }],
])('reads %s', async (error, facts) => {
  const read = await readBack(error);
  expect(read).toBeInstanceOf(error.constructor);
  expect(read).toMatchObject(facts);
});

it('reads no error where there was no failure', async () => expect(await decodeError(codecs, null)).toBeUndefined());
