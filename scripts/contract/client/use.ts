/** Sends a lead and reads it back, with a client whose types are generated from the reference. */
import createClient from 'openapi-fetch';
import type { paths } from './schema.js';

const [baseUrl, key = ''] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl, headers: { 'x-gateway-key': key } });

const person = { firstName: 'Ann', lastName: 'Lee', email: `typed-${process.pid}@example.org` };
const { data, error, response } = await client.POST('/api/clinicsys/no-prescreen', {
  body: { instanceName: 'erg-oct', StudyID: 12, ReferrerID: 7, ...person },
});
// The error codes are typed, too.
if (error) throw new Error(`${response.status} ${error.error.code}: ${error.message}`);
if ('pending' in data) throw new Error('the lead is still under way');

const leadId = response.headers.get('x-lead-id') ?? '';
const read = await client.GET('/api/leads/{leadId}', { params: { path: { leadId } } });
if (read.error) throw new Error(read.error.message);
const state: 'delivered' | 'skipped' | (string & {}) = read.data.state;
if (state !== 'delivered') throw new Error(`the lead is ${state}`);

const missing = await client.GET('/api/leads/{leadId}', { params: { path: { leadId: 'none' } } });
if (missing.error?.error.code !== 'NOT_FOUND') throw new Error('a lead that is not there is not found');

// @ts-expect-error a lead without its required fields does not compile
void (() => client.POST('/api/clinicsys/no-prescreen', { body: { instanceName: 'erg-oct' } }));

console.log(`typed client: ${leadId} ${state}, ${read.data.steps.length} steps`);
