/**
 * `npm run proofs -- tls`: runs nginx and Caddy with the configurations of docs/tls.md before the service, and sends requests through them.
 * It changes only names, ports and the certificate.
 */
import { execFile, execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { end, hold, person, problems, stops } from './n8n/cases.mjs';
import { freePort, startChild, startService } from './service.mjs';

const host = 'leads.example.org';
const key = 'key-of-the-test-of-tls';
const limit = 262_144;
/** Longer than the usual time-outs of thirty seconds, and within what nginx waits. */
const waitS = 35;
const startWithinMs = 20_000;

const dir = mkdtempSync(join(tmpdir(), 'leadgate-tls-'));
stops.push(() => rmSync(dir, { recursive: true, force: true }));
const at = (...path) => join(dir, ...path);
const [cert, certKey, caddyLog] = [at('cert.pem'), at('cert.key'), at('caddy.log')];

const page = readFileSync(new URL('../docs/tls.md', import.meta.url), 'utf8');
const blockOf = (language) => page.split(`\`\`\`${language}\n`)[1].split('\n```')[0];

/** Replaces each text, which must be there. */
const replaced = (text, changes) =>
  Object.entries(changes).reduce((all, [from, to]) => {
    if (!all.includes(from)) throw new Error(`docs/tls.md has no longer: ${from}`);
    return all.replaceAll(from, to);
  }, text);

/** How each proxy is configured, with one site for each `{ port, to }`, and started. */
const proxies = {
  nginx: {
    configure: (sites) => {
      const site = ({ port, to }) =>
        replaced(blockOf('nginx'), {
          'listen 443': `listen 127.0.0.1:${port}`,
          '127.0.0.1:8080': to,
          '/etc/ssl/leads.example.org.pem': cert,
          '/etc/ssl/private/leads.example.org.key': certKey,
        });
      const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((of) => `${of}_temp_path ${at(of)};`);
      return [
        'daemon off; master_process off;',
        `pid ${at('nginx.pid')}; error_log stderr error; events {}`,
        ...['http { access_log off;', ...temporary, ...sites.map(site), '}'],
      ].join('\n');
    },
    command: (file) => ['nginx', ['-p', dir, '-e', 'stderr', '-c', file]],
  },
  caddy: {
    configure: (sites) => {
      const [options, block] = blockOf('caddyfile').split('\n\n');
      const site = ({ port, to }) =>
        replaced(block, {
          'leads.example.org {': `leads.example.org:${port} {\n  tls ${cert} ${certKey}`,
          '127.0.0.1:8080': to,
        });
      const own = ['admin off', 'auto_https disable_redirects', 'default_bind 127.0.0.1'].map((option) => `  ${option}\n`).join('');
      return [replaced(options, { '  log {': `${own}  log {\n    output file ${caddyLog}` }), ...sites.map(site)].join('\n');
    },
    command: (file) => ['caddy', ['run', '--adapter', 'caddyfile', '--config', file]],
  },
};

async function isListening(port) {
  const socket = connect(port, '127.0.0.1');
  const is = await once(socket, 'connect').then(
    () => true,
    () => false,
  );
  socket.destroy();
  return is;
}

/** Starts a proxy; returns the port of the site before each address. */
async function startProxy(name, addresses) {
  const { configure, command } = proxies[name];
  const sites = await Promise.all(addresses.map(async (to) => ({ to, port: await freePort() })));
  const file = at(`${name}.conf`);
  writeFileSync(file, `${configure(sites)}\n`);
  // Debian keeps nginx in /usr/sbin, which is not on the path of every user.
  const env = { PATH: `${process.env.PATH}:/usr/sbin`, XDG_DATA_HOME: at('data'), XDG_CONFIG_HOME: at('config') };
  const child = startChild(...command(file), env);
  stops.push(child.stop);
  for (const deadline = Date.now() + startWithinMs; !(await isListening(sites[0].port)); await pause(50))
    if (child.hasEnded() || Date.now() > deadline) throw new Error(`${name} did not start`);
  return sites.map(({ port }) => port);
}

/** Asks with curl, which trusts only the certificate of this test. A status of 0: no answer. `reason` is curl's own status. */
function ask(port, path, ...args) {
  const url = `https://${host}:${port}${path}`;
  const own = ['-sS', '--noproxy', '*', '--cacert', cert, '--resolve', `${host}:${port}:127.0.0.1`, '--max-time', '60'];
  const from = performance.now();
  return new Promise((done) => {
    execFile('curl', [...own, '-w', '\n%{http_code} %{http_version}', ...args, url], (error, out) => {
      const [, body, status, version] = /^([^]*)\n(\d+) (\S+)$/.exec(out) ?? [];
      done({ body, status: Number(status), version, reason: error?.code ?? 0, tookS: (performance.now() - from) / 1000 });
    });
  });
}

/** From where each proxy is asked, so that its entries on the trail can be told apart. */
const clients = { nginx: '127.0.0.2', caddy: '127.0.0.3' };
const keyed = ['-H', `x-gateway-key: ${key}`];
const leads = '/api/clinicsys/no-prescreen';
const send = (port, lead, ...args) =>
  ask(port, leads, ...keyed, '-H', 'Content-Type: application/json', '-H', `Idempotency-Key: ${randomUUID()}`, ...args, '-d', lead);

/** A file with a lead of more bytes than these. */
function large(bytes) {
  const file = at(`${randomUUID()}.json`);
  writeFileSync(file, JSON.stringify(person('', { comment: 'x'.repeat(bytes) })));
  return `@${file}`;
}

const spoofed = ['X-Forwarded-For', 'X-Forwarded-Host', 'X-Forwarded-Proto', 'X-Real-IP', 'Forwarded'];
const spoofs = spoofed.flatMap((name) => ['-H', `${name}: spoofed`]);
/** The statuses of curl for a connection or a stream that the proxy ended. Its time-out, 28, is not one of them. */
const brokenOff = [16, 52, 55, 56, 92, 95];

async function prove(name, addresses) {
  const [port, keyless, echo] = await startProxy(name, addresses);
  const holds = (what, is, seen) => hold(`${name}: ${what}${is ? '' : ` (seen: ${JSON.stringify(seen).slice(0, 400)})`}`, is);
  const waiting = send(port, JSON.stringify(person('v1-503')), '-H', `Prefer: wait=${waitS}`);

  const [without, withKey] = [await ask(port, '/version'), await ask(port, '/version', ...keyed)];
  holds('401 without a key', without.status === 401, without);
  holds('200 with a key, over HTTP/2', withKey.status === 200 && withKey.version === '2', withKey);

  const sent = await send(port, JSON.stringify(person()));
  holds('a lead is delivered', sent.status === 200, sent);

  const echoed = await ask(echo, '/', ...spoofs);
  holds('what a caller says about its address does not pass', echoed.status === 200 && !echoed.body.includes('spoofed'), echoed);
  holds('the address of the caller passes', JSON.parse(echoed.body)['x-forwarded-for'] === '127.0.0.1', echoed);
  const look = ['-H', 'Content-Type: application/json', '-d', '{"instanceName":"erg-oct","email":"ann@example.org"}'];
  await ask(port, '/api/clinicsys/toolkit/get-subjects', '--interface', clients[name], ...keyed, ...spoofs, ...look);
  const { entries } = JSON.parse((await ask(port, '/api/audit?action=read+in+clear', ...keyed)).body);
  const isNamed = entries.some(({ who, address }) => who === 'test' && address === clients[name]);
  holds('the audit trail has the address of the client', isNamed, entries);
  const stranger = await ask(keyless, '/api/leads', ...spoofs);
  holds('403 for what it forwards while no keys are set', stranger.status === 403, stranger);

  for (const version of ['--http1.1', '--http2']) {
    const over = await send(port, large(limit), version);
    holds(`413 with the limit of Leadgate, ${version}`, over.status === 413 && over.body.includes(String(limit)), over);
    const far = await send(port, large(7_000_000), version, '-H', 'Expect:');
    const isRefused = far.status >= 400 || (far.status === 0 && brokenOff.includes(far.reason));
    holds(`over the limit of the proxy: ${far.status || `broken off (curl ${far.reason})`}, ${version}`, isRefused, far);
  }

  const waited = await waiting;
  holds(`202 after a wait of ${waitS} s`, waited.status === 202 && waited.tookS >= waitS, waited);
}

try {
  mkdirSync(at('data'));
  const subject = ['-subj', `/CN=${host}`, '-addext', `subjectAltName=DNS:${host}`];
  const made = ['-newkey', 'rsa:2048', '-nodes', '-days', '2', '-keyout', certKey, '-out', cert];
  execFileSync('openssl', ['req', '-x509', ...made, ...subject], { stdio: 'ignore' });

  const trusting = { TRUST_PROXY: '127.0.0.1' };
  const service = await startService({ ...trusting, GATEWAY_API_KEYS: `test:${key}:leads+operator` });
  stops.push(service.stop);
  const keyless = await startService(trusting);
  stops.push(keyless.stop);
  const echo = createServer(({ headers }, response) => response.end(JSON.stringify(headers))).listen(0, '127.0.0.1');
  await once(echo, 'listening');
  stops.push(() => echo.close());

  const addresses = [...[service, keyless].map(({ url }) => new URL(url).host), `127.0.0.1:${echo.address().port}`];
  const proofs = Object.keys(proxies).map((name) =>
    prove(name, addresses).catch((error) => (console.error(`${name}: ${error.stack}`), problems.push(name))),
  );
  await Promise.all(proofs);
  const logged = readFileSync(caddyLog, 'utf8');
  hold('caddy: its log has the failed requests, and no key', logged.includes(leads) && !logged.includes(key));
} finally {
  await end();
}
console.log(`tls: ${problems.length > 0 ? 'failed' : 'passed'}`);
process.exitCode = problems.length > 0 ? 1 : 0;
