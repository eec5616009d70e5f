/**
 * `npm run proofs -- chart`: checks deploy/helm/leadgate and docker-compose.yml with the programs and the schemas of their makers, built from
 * Go modules. Then it runs worker and API with the environment that the chart gives them, and asks its probes. There is no cluster.
 */
import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parse, parseAllDocuments } from 'yaml';
import { kubernetesSchemas, programs } from './chart/programs.mjs';
import { containerOf, deploymentOf, isInFile, rules } from './chart/manifests.mjs';
import { end, hold, problems, stops } from './n8n/cases.mjs';
import { built, environment, freePort, startChild } from './service.mjs';

const project = fileURLToPath(new URL('..', import.meta.url));
const chart = join(project, 'deploy/helm/leadgate');
const bootstrap = join(project, 'scripts/bootstrap.mjs');
const { parseConfig, isEmbedded } = await built('src/config/config.js');
const { longestTimeoutMs, sandboxPort, upstreamsOf } = await built('src/config/upstreams.js');
const { findUnreadSettings } = await built('src/config/unread-settings.js');
const { findExposures } = await built('src/config/exposure.js');
const { variableNames } = await built('src/config/settings.js');

const dir = mkdtempSync(join(tmpdir(), 'leadgate-chart-'));
stops.push(() => rmSync(dir, { recursive: true, force: true }));

const page = readFileSync(join(project, 'docs/kubernetes.md'), 'utf8');
const blockOf = (language) => page.split(`\`\`\`${language}\n`)[1].split('\n```')[0];

const { helm, kubeconform, compose } = await programs();
/** The oldest version that the chart accepts, and the newest. */
const [oldest] = /\d+\.\d+\.\d+/.exec(parse(readFileSync(join(chart, 'Chart.yaml'), 'utf8')).kubeVersion);
const versions = [oldest, '1.37.2'];

/** Runs a command to its end. */
function ran(command, args, input = '') {
  return new Promise((done) => {
    const child = execFile(command, args, { cwd: project, maxBuffer: 16_777_216 }, (error, out, said) =>
      done({ isRight: !error, out, said: `${out}${said}` }),
    );
    child.stdin.on('error', () => undefined).end(input);
  });
}

const render = (file, ...args) => ran(helm, ['template', 'leads', chart, '--namespace', 'trials', '-f', file, ...args]);
const holdRan = (what, { isRight, said }) => hold(`${what}${isRight ? '' : `\n${said}`}`, isRight);
const holdNone = (what, found) => hold(`${what}${found.length > 0 ? ` (${JSON.stringify(found).slice(0, 400)})` : ''}`, found.length === 0);

/** What a Secret or a ConfigMap may hold for a setting. The keys are those that docs/kubernetes.md makes. */
function contentOf(name, siteKeys) {
  const random = randomBytes(32);
  if (name === 'LEADGATE_KEYS_FILE') return readFileSync(join(dir, 'leadgate-keys'));
  if (name === 'GATEWAY_API_KEYS_FILE') return readFileSync(join(dir, 'gateway-keys'));
  if (name === 'ALERT_SMTP_URL_FILE') return 'smtps://leadgate:word@mail.example.org';
  if (name.endsWith('WEBHOOK_SECRET_FILE')) return `whsec_${random.toString('base64')}`;
  if (name.endsWith('_URL_FILE')) return 'https://receiver.example.org/in';
  if (name !== 'LEADFORMS_SITES_FILE') return random.toString('hex');
  const site = { form_code: 'A', account_id: 1, location_id: '2', source_url: 'https://site.example.org' };
  return JSON.stringify(Object.fromEntries(siteKeys.map((key, nth) => [`site-${nth}`, { name: `Site ${nth}`, key_env: key, ...site }])));
}

/** The environment of a container, with its files and its data in a directory of this machine. */
function environmentOf(document, siteKeys) {
  const root = mkdtempSync(join(dir, 'container-'));
  for (const readable of [dir, root]) chmodSync(readable, 0o755);
  for (const path of ['data', 'run', 'tmp']) mkdirSync(join(root, path));
  const entries = containerOf(document).env.map(({ name, value }) => {
    if (value === '/data') return [name, join(root, 'data')];
    if (!isInFile(value)) return [name, value];
    writeFileSync(join(root, 'run', name), contentOf(name, siteKeys));
    return [name, join(root, 'run', name)];
  });
  return { NODE_ENV: 'production', ...Object.fromEntries(entries) };
}

/** What the service makes of the environment of a container. */
function checkSettings(document, { settings = {}, siteKeys = {} }) {
  const env = environmentOf(document, Object.keys(siteKeys));
  Object.assign(process.env, Object.fromEntries(Object.keys(siteKeys).map((name) => [`${name}_FILE`, env[`${name}_FILE`]])));
  const config = parseConfig(env);
  const unread = findUnreadSettings(config, { inFile: Object.keys(env), inEnvironment: [] });
  holdNone('every name is one that the service reads', unread);
  holdNone(
    'numbers arrive as they were written',
    Object.entries(settings).filter(([name, value]) => env[name] !== String(value)),
  );
  hold('the sandbox is off, and nothing stands in for an upstream', sandboxPort(config, 'on') === undefined);
  hold('the engine is the existing Temporal', !isEmbedded(config));
  hold(
    'every site has its key',
    upstreamsOf(config)
      .sites(['LEADFORMS_URL'])
      ?.all.every(({ key }) => key) ?? true,
  );
  holdNone(
    'nobody comes in without a key',
    findExposures(config).filter(({ isGrave }) => isGrave),
  );
  return config;
}

async function checkValues(file, schemas) {
  console.log(basename(file));
  const values = parse(readFileSync(file, 'utf8'));
  holdRan('helm lint', await ran(helm, ['lint', '--strict', chart, '-f', file]));
  for (const [version, schema] of Object.entries(schemas)) {
    const { isRight, out, said } = await render(file, '--kube-version', version);
    if (!isRight) return hold(`helm template\n${said}`, false);
    const location = join(schema, '{{ .ResourceKind }}{{ .KindSuffix }}.json');
    holdRan(`kubeconform, Kubernetes ${version}`, await ran(kubeconform, ['-strict', '-schema-location', location], out));
  }
  const documents = parseAllDocuments((await render(file)).out).map((document) => document.toJS());
  for (const [rule, broken] of Object.entries(rules)) {
    const found = broken(documents, values).map((each) => (each.metadata ? `${each.kind} ${each.metadata.name}` : each));
    holdNone(rule, found);
  }
  const worker = deploymentOf(documents, 'worker');
  const config = checkSettings(worker, values);
  const { terminationGracePeriodSeconds: graceS } = worker.spec.template.spec;
  hold('a send of a worker ends before it is killed', graceS * 1000 >= longestTimeoutMs(config) + 20_000);
  return documents;
}

const refused = [
  ...JSON.parse(readFileSync(new URL('./chart/refused-values.json', import.meta.url), 'utf8')),
  { values: { api: { autoscaling: { enabled: true, minReplicas: 9 } } }, named: 'minReplicas' },
];

/** Runs the first commands of docs/kubernetes.md with its values, but for those of kubectl. Helm does not ask a cluster. */
async function checkPage() {
  console.log('docs/kubernetes.md');
  const commands = blockOf('sh').split('\n');
  writeFileSync(join(dir, 'values.yaml'), blockOf('yaml'));
  const makeKeys = commands.filter((command) => command.startsWith('printf ')).map((command) => `cd ${dir} && ${command}`);
  const install = commands.filter((command) => command.startsWith('helm install ')).map((command) => `${command} --dry-run=client`);
  hold('it makes two files of keys, and installs once', makeKeys.length === 2 && install.length === 1);
  for (const command of [...makeKeys, ...install]) {
    const dryRun = command.replace(/^helm/, helm).replace('-f values.yaml', `-f ${join(dir, 'values.yaml')}`);
    holdRan(command, await ran('sh', ['-c', dryRun]));
  }
}

async function checkRefusals() {
  console.log('refused values');
  const minimal = join(chart, 'ci/minimal-values.yaml');
  for (const { values, named } of refused) {
    const file = join(dir, 'refused.json');
    writeFileSync(file, JSON.stringify(values));
    const { isRight, said } = await render(minimal, '-f', file);
    hold(`${JSON.stringify(values)} is refused, with its name`, !isRight && said.includes(named));
  }
}

async function checkCompose() {
  console.log('docker-compose.yml');
  const loaded = await ran(compose, [join(project, 'docker-compose.yml')]);
  holdRan("it is right by Compose's own loader", loaded);
  if (!loaded.isRight) return;
  const { services } = JSON.parse(loaded.out);
  const own = Object.values(services).filter(({ image }) => image.startsWith('leadgate:'));
  hold('it has our four parts', own.length === 4);
  holdNone(
    'every name that it gives our parts is a setting',
    own.flatMap(({ environment: given }) => Object.keys(given)).filter((name) => !variableNames.includes(name)),
  );
}

/** Asks a probe of a container: its status, or 0. */
function probe(document, which, portOf) {
  const { path, port } = containerOf(document)[which].httpGet;
  return fetch(`http://127.0.0.1:${portOf[port]}${path}`).then(
    ({ status }) => status,
    () => 0,
  );
}

async function becomes(what, ask, wanted) {
  const deadline = Date.now() + 120_000;
  let seen = await ask();
  for (; seen !== wanted && Date.now() < deadline; seen = await ask()) await pause(100);
  hold(`${what}${seen === wanted ? '' : ` (seen: ${seen})`}`, seen === wanted);
}

/** Runs Node as the containers run it, if this machine lets us. */
async function commandOf(root) {
  const confined = ['unshare', '-m', 'sh', join(project, 'scripts/chart/as-container.sh'), root, process.execPath];
  const [command, ...args] = confined;
  const { isRight, said } = await ran(command, [...args, '--check', bootstrap]);
  console.log(
    isRight ? '  as user 1000, on a root that it cannot write' : `  not tried: user 1000 on a root that it cannot write (${said.trim()})`,
  );
  return isRight ? confined : [process.execPath];
}

/** Runs the parts with the chart's environment on an engine of this machine. Only addresses, ports and paths differ. */
async function checkRunning(documents) {
  console.log('the parts, run with the environment of the chart');
  const own = environmentOf(deploymentOf(documents, 'api'), []);
  const engine = await environment(join(dir, 'engine'), { LEADGATE_KEYS_FILE: own.LEADGATE_KEYS_FILE });
  stops.push(startChild(process.execPath, [bootstrap, 'engine'], engine).stop);
  const portOf = { http: await freePort(), metrics: await freePort() };
  const address = { HOST: '127.0.0.1', PORT: portOf.http, WORKER_METRICS_PORT: portOf.metrics };
  const root = dirname(own.LEADGATE_DATA_DIR);
  const directories = { HOME: join(root, 'home'), TMPDIR: join(root, 'tmp') };
  const unset = Object.fromEntries(variableNames.map((name) => [name, '']));
  const env = { ...process.env, ...unset, ...own, ...directories, ...address, TEMPORAL_ADDRESS: `127.0.0.1:${engine.TEMPORAL_PORT}` };
  const [command, ...before] = await commandOf(root);
  const start = (document) => {
    const args = [...before, bootstrap, ...containerOf(document).args];
    const child = spawn(command, args, { env, stdio: ['ignore', 'ignore', 'inherit'] });
    const status = once(child, 'exit').then(([code]) => code);
    stops.push(async () => (child.kill('SIGKILL'), await status));
    return { child, status };
  };
  const [api, worker, replay] = [
    deploymentOf(documents, 'api'),
    deploymentOf(documents, 'worker'),
    documents.find(({ kind }) => kind === 'Job'),
  ];
  const started = { worker: start(worker) };
  await becomes('a worker starts', () => probe(worker, 'startupProbe', portOf), 200);
  started.api = start(api);
  await becomes('an API starts', () => probe(api, 'startupProbe', portOf), 200);
  await becomes('it is ready', () => probe(api, 'readinessProbe', portOf), 200);
  for (const document of [api, worker]) hold('it lives', (await probe(document, 'livenessProbe', portOf)) === 200);

  const [, gatewayKey] = readFileSync(own.GATEWAY_API_KEYS_FILE, 'utf8').split(':');
  const metrics = await (await fetch(`http://127.0.0.1:${portOf.http}/metrics`, { headers: { 'x-gateway-key': gatewayKey } })).text();
  for (const { name, selector } of documents.flatMap(({ kind, spec }) =>
    kind === 'HorizontalPodAutoscaler' ? [spec.metrics[0].external.metric] : [],
  ))
    for (const { key: label, values } of selector.matchExpressions)
      holdNone(
        `/metrics has ${name} for each ${label} that scales`,
        values.filter((value) => !new RegExp(`^${name}\\{.*${label}="${value}".*\\} \\d`, 'm').test(metrics)),
      );

  hold('the replay before an upgrade ends well', (await start(replay).status) === 0);
  for (const [part, document] of [
    ['api', api],
    ['worker', worker],
  ]) {
    const { terminationGracePeriodSeconds: graceS } = document.spec.template.spec;
    const from = Date.now();
    started[part].child.kill('SIGTERM');
    const status = await started[part].status;
    hold(`${part}: a stop ends well, within its grace`, status === 0 && Date.now() - from < graceS * 1000);
  }
}

try {
  const schemas = Object.fromEntries(await Promise.all(versions.map(async (version) => [version, await kubernetesSchemas(`v${version}`)])));
  await checkPage();
  const files = [join(dir, 'values.yaml'), ...readdirSync(join(chart, 'ci')).map((name) => join(chart, 'ci', name))];
  for (const file of files) await checkValues(file, schemas).catch((error) => hold(error.message, false));
  await checkRefusals();
  await checkCompose();
  const scaled = join(dir, 'scaled.json');
  writeFileSync(scaled, JSON.stringify({ api: { autoscaling: { enabled: true } }, worker: { autoscaling: { enabled: true } } }));
  const { out } = await render(join(chart, 'ci/minimal-values.yaml'), '-f', scaled);
  await checkRunning(parseAllDocuments(out).map((document) => document.toJS()));
} finally {
  await end();
}
console.log(`chart: ${problems.length > 0 ? 'failed' : 'passed'}`);
process.exitCode = problems.length > 0 ? 1 : 0;
