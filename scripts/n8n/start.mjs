/** Starts n8n on loopback with its own data, imports and publishes workflows, and waits until it answers. Telemetry is off. */
import { spawn } from 'node:child_process';
import { createWriteStream, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { run } from '../cached.mjs';
import { freePort } from '../service.mjs';
import { installN8n } from './install.mjs';

const startWithinMs = 180_000;

const silent = Object.fromEntries(
  [
    'N8N_DIAGNOSTICS_ENABLED',
    'N8N_VERSION_NOTIFICATIONS_ENABLED',
    'N8N_VERSION_NOTIFICATIONS_WHATS_NEW_ENABLED',
    'N8N_TEMPLATES_ENABLED',
    'N8N_PERSONALIZATION_ENABLED',
    'N8N_COMMUNITY_PACKAGES_ENABLED',
    'N8N_DYNAMIC_BANNERS_ENABLED',
    'N8N_HIRING_BANNER_ENABLED',
    'N8N_LICENSE_AUTO_RENEW_ENABLED',
  ].map((name) => [name, 'false']),
);

/** True once the webhook is registered, which is after n8n is ready: a GET is then refused, because only POST is registered. */
const isPublished = (url, webhook) =>
  fetch(`${url}/webhook/${webhook}`).then(
    async (response) => /not registered for GET/.test(await response.text()),
    () => false,
  );

/**
 * @param {object} options
 * @param {readonly object[]} options.workflows
 * @param {readonly string[]} options.webhooks the paths of webhooks for POST in them
 * @param {readonly object[]} [options.credentials]
 * @param {string} [options.nodes] a directory with nodes of our own
 */
export async function startN8n({ workflows, webhooks, credentials = [], nodes }) {
  const { node, env: tools, cli, modules } = await installN8n();
  const home = mkdtempSync(join(tmpdir(), 'leadgate-n8n-'));
  const [port, broker] = [await freePort(), await freePort()];
  const env = {
    ...tools,
    ...silent,
    N8N_DISABLED_MODULES: 'mcp-registry',
    N8N_USER_FOLDER: home,
    N8N_LISTEN_ADDRESS: '127.0.0.1',
    N8N_HOST: '127.0.0.1',
    N8N_PORT: String(port),
    N8N_RUNNERS_BROKER_PORT: String(broker),
    N8N_LOG_LEVEL: 'warn',
    NODE_ENV: 'production',
    // The events are verified in a Code node.
    NODE_FUNCTION_ALLOW_BUILTIN: 'crypto',
    // The nodes find n8n-workflow there, as an installed package would.
    ...(nodes && { N8N_CUSTOM_EXTENSIONS: nodes, NODE_PATH: modules }),
  };
  const log = join(home, 'n8n.log');
  let child;
  const stop = async () => {
    if (child && child.exitCode === null && child.signalCode === null) {
      const gone = new Promise((done) => child.once('exit', done));
      child.kill('SIGTERM');
      await Promise.race([gone, pause(15_000).then(() => child.kill('SIGKILL'))]);
      await gone;
    }
    rmSync(home, { recursive: true, force: true });
  };
  try {
    const imported = async (what, all) => {
      const file = join(home, `${what}.json`);
      writeFileSync(file, JSON.stringify(all));
      await run(node, [cli, `import:${what}`, `--input=${file}`], { cwd: home, env });
    };
    if (credentials.length > 0) await imported('credentials', credentials);
    await imported('workflow', workflows);
    for (const { id } of workflows) await run(node, [cli, 'publish:workflow', `--id=${id}`], { cwd: home, env });
    child = spawn(node, [cli, 'start'], { cwd: home, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const output = createWriteStream(log);
    child.stdout.pipe(output, { end: false });
    child.stderr.pipe(output, { end: false });
    const url = `http://127.0.0.1:${port}`;
    for (const deadline = Date.now() + startWithinMs; ; await pause(250)) {
      const published = await Promise.all(webhooks.map((webhook) => isPublished(url, webhook)));
      if (published.every(Boolean)) break;
      if (child.exitCode !== null || Date.now() > deadline) throw new Error(`n8n did not start:\n${readFileSync(log, 'utf8')}`);
    }
    return { url, data: join(home, '.n8n'), stop, said: () => readFileSync(log, 'utf8') };
  } catch (error) {
    await stop();
    throw error;
  }
}
