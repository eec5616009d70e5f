/** Declares the worst single requests of each kind within the limits of the service, for `bench/abuse.mjs`. */
import { gzipSync } from 'node:zlib';

const bodyBytes = 262_000;
const fileBytes = 5_242_000;

const filled = (part, bytes = bodyBytes - 1_000) => part.repeat(Math.floor(bytes / Buffer.byteLength(part)));
const many = (count, one) => Array.from({ length: count }, (_, at) => one(at));
const named = (count, name) => Object.fromEntries(many(count, (at) => [name(at), 'x']));

const lead = { instanceName: 'erg-oct', StudyID: 12, ReferrerID: 7, firstName: 'Ann', lastName: 'Lee', email: 'ann.lee@example.org' };
const patient = { study_id: 1, site_id: 1, first_name: 'Ann', last_name: 'Lee', email: 'ann.lee@example.org' };

const json = (path, body, method = 'POST') => ({
  path,
  method,
  headers: { 'content-type': 'application/json' },
  body: typeof body === 'string' ? body : JSON.stringify(body),
});
const step = (body) => json('/api/clinicsys/with-prescreen/format-data', body);
const file = (text, query = 'flow=no-prescreen&check=true') => ({
  path: `/api/imports?${query}`,
  method: 'POST',
  headers: { 'content-type': 'text/csv', 'content-encoding': 'gzip' },
  body: gzipSync(text),
});
const card = (text) => json('/api/taskboard/todos', { todoListId: 'list-up-next', title: 'Worst', text });
const get = (path) => ({ path, method: 'GET' });
const redrive = (fields) => json('/api/redrives', { filter: {}, reason: 'none', fields });

const columns = many(490, (at) => `q${at}`).join(',');
const names = 'instanceName,StudyID,ReferrerID,firstName,lastName,email';

export const worst = [
  ['JSON: many items', step({ ...lead, list: many(130_000, () => 0) })],
  ['JSON: many objects', step({ ...lead, list: many(80_000, () => ({})) })],
  ['JSON: 490 long names', step(named(490, (at) => `${at}${'-'.repeat(500)}`))],
  ['JSON: one long name', step({ [filled('e-')]: 1 })],
  ['JSON: an open text', step(`{"a":"${filled('\\n')}`)],
  ['JSON: a long number', step(`{"a":1.${filled('1')}x}`)],
  ['JSON: 490 answers', step({ ...lead, ...named(490, (at) => `q${at}`) })],
  ['fields: a long word of few', json('/api/clinicsys/no-prescreen', { ...lead, account: filled('＠') })],
  ['fields: a long phone', json('/api/clinicsys/no-prescreen', { ...lead, phone: filled('1 ') })],
  ['fields: a long e-mail', json('/api/clinicsys/no-prescreen', { ...lead, email: filled('a@') })],
  ['fields: a long date', json('/api/clinicsys/no-prescreen', { ...lead, dob: `1980-03-05${filled(' ')}x` })],
  ['fields: long and unknown', json('/api/clinicsys/no-prescreen', { ...lead, email: 'worst.lead@example.org', notes: filled('é') })],
  ['questions: many wrong ones', json('/api/screening/send-patient', { ...patient, questions: many(130_000, () => 0) })],
  ['redrive: 490 unknown fields', redrive(named(490, (at) => `recruitmentStat${at}`))],
  ['redrive: many lead ids', json('/api/redrives', { filter: { leadIds: many(80_000, () => '') }, reason: 'none' })],
  ['redrive: a long word of few', json('/api/redrives', { filter: { code: filled('＠') }, reason: 'none' })],
  ['decision: a long id', json(`/api/leads/k0/confirm`, { reason: filled('a '), upstreamId: filled('1') })],
  ['query: 1,000 names', get(`/api/leads?${many(1_000, (at) => `instanceNam${at}`).join('&')}`)],
  ['query: a long search', get(`/api/leads?email=${'%EF%BC%A0'.repeat(1_600)}`)],
  ['path: a long one', get(`/${'api/'.repeat(3_900)}`)],
  ['headers: as many as fit', { path: '/api/leads', method: 'GET', headers: named(1_500, (at) => `a${at}`) }],
  ['headers: a long Prefer', { ...json('/api/clinicsys/no-prescreen', lead), headers: { prefer: 'a,'.repeat(7_000) } }],
  ['card: dots in a link', card(`http://a${filled('.')}x`)],
  ['card: many links', card(filled('[http://a]'))],
  ['card: links and marks', card(`${filled('http://a. ')}[http://b]`)],
  ['card: line ends', card(`a${filled('\n')}a`.replaceAll('\n', '\r\n').slice(0, 130_000))],
  ['card: quotes', card(filled("'"))],
  ['card: a long due date', json('/api/taskboard/todos', { todoListId: 'list-up-next', title: 'x', dueDate: `2026-12-01${filled(' ')}x` })],
  ['users: a long search', get(`/api/taskboard/users?q=${'%20'.repeat(4_000)}x`)],
  ['file: 800 KB of empty rows', file(`x\n${',\n'.repeat(400_000)}`)],
  ['file: line ends', file(`email\n${filled('\r', fileBytes)}`)],
  ['file: quotes', file(`email\n"${filled('""', fileBytes)}`)],
  ['file: open quotes', file(`email\n${filled('"\n', fileBytes)}`)],
  ['file: one line', file(filled('a', fileBytes))],
  ['file: cells', file(`email\n${filled(`${','.repeat(250_000)}\n`, fileBytes)}`)],
  ['file: long cells', file(`${names}\n${filled(`erg-oct,12,7,Ann,Lee,${'a@'.repeat(100_000)}\n`, fileBytes)}`)],
  ['file: wrong answers', file(`${columns}\n${filled(`${'x,'.repeat(489)}x\n`, fileBytes)}`, 'flow=with-prescreen&check=true')],
  ['file: unknown columns', file(`email,${many(480, (at) => `${at}${'é'.repeat(250)}`).join(',')}\na@b.org\n`)],
  ['file: 10,000 wrong rows', file(`${names}\n${filled('erg-oct,x,x,,,a\n', 160_000)}`)],
  ['file: 10,000 good rows', file(`${names}\n${many(10_000, (at) => `erg-oct,12,7,Ann,Lee,a${at}@b.org\n`).join('')}`)],
];
