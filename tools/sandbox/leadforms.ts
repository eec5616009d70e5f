/** Simulates the lead-form system: accepts a form and answers with a submission. */
import {
  filled,
  jsonObject,
  type Copies,
  type SimulatedAnswer,
  type JsonBody,
  type SimulatedCall,
  type SimulatedRequest,
  type Simulator,
} from './call';
import { isAcceptedCredential } from './credentials';
import { csvExport } from './csv-export';
import { violatedRules, byField, isText, maybe, type FieldRule } from './field-rules';
import type { NextId } from './ids';

const rules: readonly FieldRule[] = [
  { field: 'form_code', message: 'is required', holds: isText },
  { field: 'form_code', message: 'is unknown', holds: (value) => value !== 'UNKNOWN' },
  { field: 'account_id', message: 'must be a number', holds: Number.isInteger },
  { field: 'location_id', message: 'is required', holds: isText },
  { field: 'source_url', message: 'is not a URL', holds: (value) => typeof value === 'string' && URL.canParse(value) },
  { field: 'first_name', message: 'is required', holds: isText },
  { field: 'last_name', message: 'is required', holds: isText },
  { field: 'email', message: 'or phone_number is required', holds: (value, body) => isText(value ?? body.phone_number) },
  { field: 'email', message: 'is invalid', holds: maybe(/^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/) },
  { field: 'date_of_birth', message: 'must be YYYY-MM-DD', holds: maybe(/^\d{4}-\d{2}-\d{2}$/) },
];

const exportColumns = [
  'submission_id',
  'form_code',
  'campaign_name',
  'first_name',
  'last_name',
  'email',
  'phone_number',
  'postal_code',
  'date_of_birth',
  'submitted_at',
];

const invalid = (errors: Record<string, string[]>): SimulatedAnswer => ({
  status: 422,
  body: { success: false, message: 'Validation failed', errors },
});

export function createLeadforms(nextId: NextId): Simulator {
  let leads: JsonBody[] = [];

  function submit({ bearer, text }: SimulatedRequest, copies: Copies): SimulatedAnswer {
    const body = jsonObject(text);
    const { key = bearer, ...lead } = body ?? {};
    if (!isAcceptedCredential(String(key))) return { status: 401, body: { success: false, message: 'Invalid key' } };
    const broken = violatedRules(rules, lead);
    if (broken.length > 0) return invalid(byField(broken));
    const submission_id = `sub_${nextId()}`;
    const stored = Array.from({ length: copies }, (_, at) => ({
      submission_id: at === 0 ? submission_id : `sub_${nextId()}`,
      ...lead,
      submitted_at: new Date().toISOString(),
    }));
    leads.push(...stored);
    return { status: 200, body: { success: true, submission_id, message: 'Form submitted' } };
  }

  const call: SimulatedCall = {
    name: 'leadforms',
    method: 'post',
    path: '/leadforms/v1/forms/submit',
    about: 'accepts a form',
    readsSentinelsFrom: '`email`',
    sentinelTexts: ({ text }) => [filled(jsonObject(text)?.email) ?? ''],
    redact: (text) => text.replace(/("key"\s*:\s*)"(?:[^"\\]|\\.)*"/g, '$1"[secret]"'),
    answer: submit,
    errorBody: (status, message) => ({ success: false, message: status === 401 ? 'Invalid key' : message }),
    refused: invalid({ email: ['is invalid'] }),
    essential: ['success', 'submission_id'],
  };
  return {
    name: 'leadforms',
    calls: [call],
    state: () => leads,
    csv: () => csvExport(exportColumns, leads),
    revokeKeys: () => 0,
    reset: () => void (leads = []),
  };
}
