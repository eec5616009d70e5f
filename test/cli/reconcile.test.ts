/** `leadgate reconcile` against the sandbox, whose words make it forget, double and lose what it has accepted. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endpoints } from '../../src/contract';
import { ownNamespace } from '../support/namespace';
import { newLead, startGateway, type Gateway } from '../support/gateway';
import { until } from '../support/until';
import { leadgate } from './support';

const dir = mkdtempSync(join(tmpdir(), 'leadgate-reconcile-'));
let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ settings: { TEMPORAL_NAMESPACE: await ownNamespace('cli-reconcile'), SYNC_WAIT_MS: '60000' } });
});
afterAll(async () => {
  rmSync(dir, { recursive: true, force: true });
  await gateway?.stop();
});

const here = (...argv: string[]) => leadgate(['reconcile', ...argv], { settings: { LEADGATE_URL: gateway.url } });
const reason = 'The monthly comparison';

const counted = (since: string, count: number) =>
  until(
    async () => (await gateway.post('/api/reconciliations', { since, dryRun: true })).body.count === count,
    `${count} leads are counted`,
  );

async function sent(path: string, lead: object, state = 'delivered') {
  const { headers } = await gateway.post(path, lead);
  const leadId = String(headers.get('X-Lead-Id'));
  expect((await gateway.get(`/api/leads/${leadId}?wait=30`)).body.state).toBe(state);
  return leadId;
}

it('shows what the site system forgot, doubled and lost, and has a status for a pipeline', async () => {
  const since = new Date().toISOString();
  const path = '/api/clinicsys/no-prescreen';
  const matched = await sent(path, newLead());
  const clean = await leadgate(['reconcile', '--since', since, '--json'], { settings: { LEADGATE_URL: gateway.url } });
  expect(clean.status).toBe(0);
  const forgotten = await sent(path, newLead('v1-forgotten'));
  const doubled = await sent(path, newLead('v1-doubled'));
  const lost = await sent(path, newLead('', { protocol: 'AD comment-forgotten' }));
  await counted(since, 4);

  const { status, out } = await here('--since', since);
  expect(status).toBe(1);
  expect(out).toMatch(/^c[0-9a-z]{20} is done: 4 of 4 leads compared$/m);
  expect(out).toMatch(/^ {2}missing +2$/m);
  expect(out).toMatch(/^ {2}twice +1$/m);
  expect(out).toMatch(/^ {2}matched +1$/m);
  expect(out).toMatch(new RegExp(`^missing +delivered +${forgotten} .*The site system has no subject`, 'm'));
  expect(out).toMatch(new RegExp(`^missing +delivered +${lost} .*the comment is not`, 'm'));
  expect(out).toMatch(new RegExp(`^twice +delivered +${doubled} .*2 times`, 'm'));

  const [id = ''] = /c[0-9a-z]{20}/.exec(out) ?? [];
  const flows = ['--flow', 'recruit', '--flow', 'With-Prescreen'];
  expect(await here('--since', since, ...flows)).toMatchObject({ status: 0, err: expect.stringContaining('nothing was compared') });
  const csv = await here('--id', id, '--csv');
  expect(csv.out.split('\n')[0]).toBe('finding,proposal,leadId,flow,state,upstreamId,line,why');
  expect(csv.out).toContain(`matched,,${matched},no-prescreen,delivered,`);
  expect(JSON.parse((await here('--id', id, '--json')).out)).toMatchObject({ reconciliationId: id, counts: { missing: 2, twice: 1 } });
});

it('compares an export with the leads of its upstream, and carries out what both propose', async () => {
  const since = new Date().toISOString();
  const recruit = (email: string, lastName: string) => ({
    ...{ ...endpoints.sendToRecruit.example, homePhone: undefined, workPhone: undefined },
    ...{ email, lastName, cellPhone: `555-201-${1000 + lastName.length}` },
  });
  const path = '/api/recruit/send-to-recruit';
  const { email } = newLead();
  const parked = await sent(path, recruit(newLead('recruit-reset-after').email, 'Quartz'), 'parked');
  const delivered = await sent(path, recruit(email, 'Opal'));
  const forgotten = await sent(path, recruit(newLead('recruit-forgotten').email, 'Ruby Topaz'));
  const unsent = await sent('/api/clinicsys/with-prescreen/send-to-rt', { ...newLead('v1-500-once'), key: 'any' }, 'parked');
  await counted(since, 4);
  const file = join(dir, 'recruitment.csv');
  const exported = await (await fetch(`${gateway.sandboxUrl}/__exports/recruitment.csv`)).text();
  writeFileSync(file, exported);

  const shown = await here('--since', since, '--with', `recruitment=${file}`, '--json');
  const { findings, reconciliationId, proposals } = JSON.parse(shown.out);
  const of = (leadId: string) => findings.find((finding: { leadId: string }) => finding.leadId === leadId);
  expect(of(delivered)).toMatchObject({ finding: 'matched', flow: 'recruit' });
  expect(of(forgotten)).toMatchObject({ finding: 'not-comparable', why: expect.stringContaining('the export may be older') });
  expect(of(parked)).toMatchObject({ finding: 'matched', proposal: 'confirm', upstreamId: expect.any(String) });
  expect(of(unsent)).toMatchObject({ finding: 'missing', proposal: 'resend' });
  expect(proposals).toBe(2);
  expect(shown.out).not.toContain(email);

  const read = await here('--id', reconciliationId, '--with', `recruitment=${file}`);
  expect(read.out).toContain(`reconcile --id ${reconciliationId} --with recruitment=${file} --apply --reason '…' --expect 2`);
  const own = join(dir, 'own names.csv');
  writeFileSync(own, exported.replace('patientId', 'Case').replace('email', 'Contact e-mail'));
  const mapped = ['--id', reconciliationId, '--with', `recruitment=${own}`, '--map', 'Case=id', '--map', 'Contact e-mail=EMAIL'];
  const told = await here(...mapped);
  expect(told.out).toMatch(new RegExp(`^matched +parked +${parked}`, 'm'));
  expect(told.out).toContain(` --with 'recruitment=${own}' --map Case=id --map 'Contact e-mail=EMAIL' --apply`);

  const [head = '', ...rows] = exported.split('\n');
  writeFileSync(own, [head, ...rows.map((row, at) => row.replace(/^[^,]+/, String(at + 1)))].join('\n'));
  const numbered = JSON.parse((await here('--id', reconciliationId, '--with', `recruitment=${own}`, '--json')).out);
  expect(numbered.findings.find((finding: { leadId: string }) => finding.leadId === parked)).toEqual(
    expect.not.objectContaining({ proposal: 'confirm' }),
  );
  expect(JSON.stringify(numbered)).toContain('the ids of the export are not those that the upstream answers');

  const order = ['--id', reconciliationId, '--with', `recruitment=${file}`, '--apply', '--reason', reason];
  expect(await here(...order)).toMatchObject({ status: 0, out: expect.stringContaining('2 proposals') });
  expect(await here(...order, '--expect', '1')).toMatchObject({ status: 1 });
  expect(shown.err).toContain(`reconcile --id ${reconciliationId} --with recruitment=${file} shows it`);
  expect(await here(...order, '--expect', '2')).toMatchObject({ status: 0 });
  for (const leadId of [parked, unsent]) expect((await gateway.get(`/api/leads/${leadId}?wait=30`)).body.state).toBe('delivered');
  expect(await here('--id', reconciliationId, '--apply', '--reason', reason, '--expect', '1')).toMatchObject({
    status: 0,
    out: expect.stringMatching(/^done: 1 of 1/),
    err: expect.stringContaining('already carried out'),
  });
  const over = (await here('--id', reconciliationId)).out;
  expect(over).toMatch(/^What became of the proposals: (npx )?leadgate leads report d\w{20}$/m);
  expect(over).not.toContain('--apply');
});

it('reads one export of an upstream: a lead that one file lacks may be in the other', async () => {
  const file = join(dir, 'region.csv');
  writeFileSync(file, 'id,email\n1,somebody@example.org\n');
  const twice = ['--with', `recruitment=${file}`, '--with', `recruitment=${file}`];
  expect(await here('--since', new Date().toISOString(), ...twice)).toMatchObject({
    status: 2,
    err: expect.stringContaining('--with recruitment is given twice: put the rows of its exports into one file'),
  });
});

it('says what is wrong with an export or an upstream', async () => {
  const file = join(dir, 'wrong.csv');
  writeFileSync(file, 'colour,size\nred,1\n');
  const since = new Date().toISOString();
  expect(await here('--since', since, '--with', `recruitment=${file}`)).toMatchObject({
    status: 2,
    err: expect.stringContaining("no column with the upstream's id"),
  });
  expect(await here('--since', since, '--with', `recruitment=${file}`)).not.toMatchObject({
    err: expect.stringContaining('Reconciliation'),
  });
  expect(await here('--since', since, '--with', file)).toMatchObject({ status: 2, err: expect.stringContaining('recruitment=export.csv') });
  const wrong = (...map: string[]) => here('--since', since, '--with', `recruitment=${file}`, ...map.flatMap((one) => ['--map', one]));
  for (const map of ['colour', 'colour=size'])
    expect(await wrong(map)).toMatchObject({
      status: 2,
      err: expect.stringContaining('id, email, phone, firstName, lastName, name, date'),
    });
  expect(await wrong('Colour=id')).toMatchObject({ status: 2, err: expect.stringContaining('it has no column "Colour"') });
  writeFileSync(file, 'id,email,phone\n555-201-3344,somebody@example.org,(555) 201-3344\n');
  expect(await wrong()).toMatchObject({ status: 2, err: expect.stringContaining('line 2: the id is the e-mail or the phone') });
  writeFileSync(file, 'id,email\n');
  expect((await wrong()).err).toContain(`${file} has column names only: nobody is in it\n`);
  writeFileSync(file, `id,email,submitted_at\n1,somebody@example.org,${new Date().toISOString()}\n`);
  expect(await wrong('Colour=name')).toMatchObject({ status: 2, err: expect.stringContaining('no export has the column "Colour"') });
  expect((await wrong()).err).toContain(`No row of ${file} matches a lead of this time: is it the export of recruitment?\n`);
});
