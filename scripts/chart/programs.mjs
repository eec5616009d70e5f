/** Builds Helm, kubeconform and the check of docker-compose.yml from their Go modules, once, and makes the schemas of Kubernetes. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { cached, run } from '../cached.mjs';

const hourMs = 3_600_000;
const composeModule = fileURLToPath(new URL('../compose', import.meta.url));

const go = (args, { cwd, env = {} }) =>
  run('nice', ['-n', '10', 'go', ...args], { cwd, timeout: hourMs, env: { ...process.env, GOFLAGS: '-p=2', ...env } });

function install(name, path, version) {
  return cached(`${name}-${version}`, async (dir) => {
    console.log(`building ${name} ${version} with Go, once; Helm takes about four minutes on two cores …`);
    await go(['install', `${path}@${version}`], { cwd: dir, env: { GOBIN: dir } });
  });
}

function buildCompose() {
  const files = ['main.go', 'go.mod', 'go.sum'].map((name) => readFileSync(join(composeModule, name)));
  const hash = files.reduce((sum, file) => sum.update(file), createHash('sha256')).digest('hex');
  return cached(`compose-${hash.slice(0, 16)}`, (dir) => go(['build', '-o', join(dir, 'compose'), '.'], { cwd: composeModule }));
}

export async function programs() {
  return {
    helm: join(await install('helm', 'helm.sh/helm/v4/cmd/helm', 'v4.3.1'), 'helm'),
    kubeconform: join(await install('kubeconform', 'github.com/yannh/kubeconform/cmd/kubeconform', 'v0.8.0'), 'kubeconform'),
    compose: join(await buildCompose(), 'compose'),
  };
}

/** The API's own document has a quantity and an int-or-string as text, although YAML has them as numbers, too. */
const numberOrText = { type: ['string', 'number'] };

/** Refuses fields that the document does not know. */
function strict(name, definition) {
  if (name.endsWith('.api.resource.Quantity') || definition.format === 'int-or-string') return numberOrText;
  const isClosed = definition.properties && !('additionalProperties' in definition);
  return isClosed ? { ...definition, additionalProperties: false } : definition;
}

/** A change of this function needs a new number here. */
const form = 1;

/** Makes a directory of JSON schemas from the OpenAPI document of a version of Kubernetes, as kubeconform reads them. */
export const kubernetesSchemas = (version) =>
  cached(`kubernetes-schemas-${version}-${form}`, async (dir) => {
    const { stdout } = await promisify(execFile)('go', ['mod', 'download', '-json', `k8s.io/kubernetes@${version}`], { cwd: dir });
    const { definitions } = JSON.parse(readFileSync(join(JSON.parse(stdout).Dir, 'api/openapi-spec/swagger.json'), 'utf8'));
    const closed = Object.fromEntries(Object.entries(definitions).map(([name, definition]) => [name, strict(name, definition)]));
    writeFileSync(join(dir, '_definitions.json'), JSON.stringify({ definitions: closed }));
    for (const [name, definition] of Object.entries(definitions)) {
      const [type, ...others] = definition['x-kubernetes-group-version-kind'] ?? [];
      if (!type || others.length > 0) continue;
      const suffix = [type.group.split('.')[0], type.version].filter(Boolean).join('-');
      const schema = { $ref: `_definitions.json#/definitions/${name}` };
      writeFileSync(join(dir, `${type.kind.toLowerCase()}-${suffix}.json`), JSON.stringify(schema));
    }
  });
