/** The trigger of the n8n nodes believes only what the published library for Standard Webhooks has signed, and lately. */
import { Webhook } from 'standardwebhooks';
import { isGenuine } from '../../packages/n8n-nodes-leadgate/nodes/LeadgateTrigger/signature';

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const body = Buffer.from('{"type":"lead.parked","data":{"leadId":"p1"}}');
const now = new Date('2026-11-23T12:00:00Z');
const signed = {
  id: 'p1-1-2',
  timestamp: String(now.getTime() / 1000),
  signatures: new Webhook(secret).sign('p1-1-2', now, body.toString()),
  body,
};
const minutesMs = 60_000;

it('believes a message that was signed', () => expect(isGenuine(signed, secret, now.getTime())).toBe(true));

it('believes one with several signatures, of which one is right', () =>
  expect(isGenuine({ ...signed, signatures: `v1,AAAA v2,BBBB ${signed.signatures}` }, secret, now.getTime())).toBe(true));

it.each([
  ['another body', { body: Buffer.from('{}') }],
  ['another id', { id: 'p2-1-2' }],
  ['another time', { timestamp: String(now.getTime() / 1000 + 1) }],
  ['no time', { timestamp: '' }],
  ['no signature', { signatures: '' }],
  ['another version of the signature', { signatures: signed.signatures.replace('v1,', 'v2,') }],
])('does not believe one with %s', (_what, change) => expect(isGenuine({ ...signed, ...change }, secret, now.getTime())).toBe(false));

it.each([
  ['another secret', `whsec_${Buffer.alloc(32, 8).toString('base64')}`, 0],
  ['no secret', '', 0],
  ['an age of six minutes', secret, 6 * minutesMs],
  ['a time of six minutes from now', secret, -6 * minutesMs],
])('does not believe one with %s', (_what, key, laterMs) => expect(isGenuine(signed, key, now.getTime() + laterMs)).toBe(false));
