/** Decodes payloads and failures in the form that the engine stores. */
import { defaultPayloadConverter, type DataConverter, type Payload, type ProtoFailure } from '@temporalio/common';
import { failureConverter } from './failure-converter';

/** The part of a data converter that decoding needs, such as a client's `options.loadedDataConverter`. */
export type Codecs = Pick<DataConverter, 'payloadCodecs'>;

type Stored = readonly Payload[] | null | undefined;
type Details = { readonly payloads?: Stored } | null | undefined;

export async function decodePayloads({ payloadCodecs = [] }: Codecs, stored: Stored): Promise<Payload[]> {
  let payloads = [...(stored ?? [])];
  for (const codec of payloadCodecs.toReversed()) payloads = await codec.decode(payloads);
  return payloads;
}

export async function decodeValues(codecs: Codecs, stored: Stored): Promise<unknown[]> {
  const payloads = await decodePayloads(codecs, stored);
  return payloads.map((payload) => defaultPayloadConverter.fromPayload(payload));
}

export const decodeError = async (codecs: Codecs, failure: ProtoFailure | null | undefined): Promise<Error | undefined> =>
  failure ? failureConverter.failureToError(await decodeFailure(codecs, failure), defaultPayloadConverter) : undefined;

/** The failure converter knows no codec, so each payload of the failure is decoded first. */
async function decodeFailure(codecs: Codecs, failure: ProtoFailure): Promise<ProtoFailure> {
  const { encodedAttributes, cause } = failure;
  const { applicationFailureInfo: application, timeoutFailureInfo: timeout, canceledFailureInfo: cancelled } = failure;
  const details = async (held: Details) => held && { payloads: await decodePayloads(codecs, held.payloads) };
  return {
    ...failure,
    encodedAttributes: encodedAttributes && (await decodePayloads(codecs, [encodedAttributes]))[0],
    cause: cause && (await decodeFailure(codecs, cause)),
    applicationFailureInfo: application && { ...application, details: await details(application.details) },
    timeoutFailureInfo: timeout && { ...timeout, lastHeartbeatDetails: await details(timeout.lastHeartbeatDetails) },
    canceledFailureInfo: cancelled && { ...cancelled, details: await details(cancelled.details) },
  };
}
