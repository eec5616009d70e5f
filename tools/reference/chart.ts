/**
 * Generates the schema of the Helm chart's values from the settings. A plain setting has the type of its variable. A secret is not among them:
 * it is the name of a Secret and of a key in it. Nothing else is accepted.
 */
import { z } from 'zod';
import { packageSecrets } from '../../src/config/config';
import { isSecret, variables } from '../../src/config/settings';

type Schema = Readonly<Record<string, unknown>>;

/** The chart gives these their values. */
const ofChart = [
  'PORT',
  'HOST',
  'TEMPORAL_ADDRESS',
  'TEMPORAL_NAMESPACE',
  'LEADGATE_DATA_DIR',
  'LEADGATE_KEYS_FILE',
  'WORKER_METRICS_PORT',
];
const ofSandbox = ['SANDBOX', 'SANDBOX_PORT'];
/** The chart has one Deployment of workers, so an old build would end with the upgrade. */
const ofBuilds = ['WORKER_BUILD_ID'];
/** These belong to the embedded engine, to the decoder, to profiles of Temporal, and to the image. */
const ofOthers = [
  ...['TEMPORAL_PORT', 'TEMPORAL_UI_PORT', 'TEMPORAL_CLI_PATH', 'BACKUP_DIR', 'BACKUP_EVERY_H', 'DECODER_PORT', 'DECODER_TOKEN'],
  ...['TEMPORAL_PROFILE', 'TEMPORAL_CONFIG_FILE', 'NODE_ENV'],
];
const files = ['LEADFORMS_SITES_FILE', 'SCREENING_MAPS_FILE'];
const notPlain = [...ofChart, ...ofSandbox, ...ofBuilds, ...ofOthers, ...files];

const object = (properties: Readonly<Record<string, Schema>>, required: readonly string[] = []): Schema => ({
  type: 'object',
  additionalProperties: false,
  properties,
  ...(required.length > 0 && { required }),
});
const each = (names: readonly string[], schema: Schema): Readonly<Record<string, Schema>> =>
  Object.fromEntries(names.map((name) => [name, schema]));
const described = (description: string, schema: Schema): Schema => ({ description, ...schema });
const anyOf = (...known: readonly string[]): Schema => ({ type: 'string', enum: known });
const listOf = (items: Schema): Schema => ({ type: 'array', items });

const text: Schema = { type: 'string' };
const flag: Schema = { type: 'boolean' };
const count: Schema = { type: 'integer', minimum: 1 };
/** What Kubernetes itself checks. */
const free: Schema = { type: 'object' };
const words: Schema = { type: 'object', additionalProperties: text };
const objectName: Schema = { type: 'string', pattern: String.raw`^[a-z0-9]([-.a-z0-9]{0,251}[a-z0-9])?$` };
const keyName: Schema = { type: 'string', pattern: '^[-._a-zA-Z0-9]{1,253}$' };

const inSecret = object({ secret: objectName, key: keyName }, ['secret', 'key']);
const inConfigMap = object({ configMap: objectName, key: keyName }, ['configMap', 'key']);

/** No URL may hold a user and a password. */
const withoutPassword: Schema = { type: 'string', not: { pattern: '://[^/?#]*@' } };

const httpUrl: Schema = { type: 'string', pattern: '^https?://[^/?#@]+([/?#].*)?$' };

/** The schema of a variable's value. Words must be quoted: YAML 1.1, which Helm reads, takes `on` for true. */
function plainSchema(form: z.ZodType): Schema {
  const { type, minimum, maximum, enum: known, format } = z.toJSONSchema(form, { io: 'output', unrepresentable: 'any' }) as Schema;
  if (type === 'integer' || type === 'number') return { type, minimum, maximum };
  if (Array.isArray(known)) return { type: 'string', enum: known };
  return format === 'uri' ? httpUrl : withoutPassword;
}

const ownNames = Object.keys(variables);
const secretNames = ownNames.filter((name) => isSecret(variables[name] as z.ZodType) && !notPlain.includes(name));
const plainNames = ownNames.filter((name) => !isSecret(variables[name] as z.ZodType) && !notPlain.includes(name));

const settings = object({
  ...Object.fromEntries(plainNames.map((name) => [name, plainSchema(variables[name] as z.ZodType)])),
  TEMPORAL_TLS: flag,
  TEMPORAL_TLS_SERVER_NAME: text,
});

const secrets = object(each([...secretNames, ...packageSecrets], inSecret), ['LEADGATE_KEYS', 'GATEWAY_API_KEYS']);

const siteKeys: Schema = {
  type: 'object',
  propertyNames: { pattern: String.raw`^[A-Za-z_]\w*$`, not: { enum: ownNames } },
  additionalProperties: inSecret,
};

const mounted = object({
  ...each([...files, 'NODE_EXTRA_CA_CERTS', 'TEMPORAL_TLS_SERVER_CA_CERT_PATH'], { oneOf: [inConfigMap, inSecret] }),
  ...each(['TEMPORAL_TLS_CLIENT_CERT_PATH', 'TEMPORAL_TLS_CLIENT_KEY_PATH'], inSecret),
});

const autoscaling = object({ enabled: flag, minReplicas: count, maxReplicas: count, openLeadsPerReplica: count });
const part = object({ replicas: count, resources: free, autoscaling });
const peers = listOf(free);

const schema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'Values of the Leadgate chart; written by `npm run reference` from src/config/settings.ts',
  ...object(
    {
      global: described('Set by Helm for a chart that is part of another.', free),
      nameOverride: text,
      fullnameOverride: text,
      image: object(
        {
          repository: { type: 'string', pattern: '^[a-z0-9][a-z0-9._/:-]*$' },
          tag: text,
          digest: { type: 'string', pattern: '^(sha256:[0-9a-f]{64})?$' },
          pullPolicy: anyOf('Always', 'IfNotPresent', 'Never'),
        },
        ['repository'],
      ),
      imagePullSecrets: listOf(object({ name: objectName }, ['name'])),
      temporal: object({ address: { type: 'string', pattern: '^[A-Za-z0-9.-]+:[0-9]{1,5}$' }, namespace: keyName }, ['address']),
      settings: described('Settings of .env.example that are no secrets, by name.', settings),
      secrets: described('Secret settings of .env.example, each by the Secret and the key that hold it.', secrets),
      siteKeys: described('What `key_env` names in the file of sites.', siteKeys),
      files: described('Files by the setting that names them.', mounted),
      data: object({
        existingClaim: text,
        storageClass: text,
        accessMode: anyOf('ReadWriteMany', 'ReadWriteOnce'),
        size: { type: 'string', pattern: '^[0-9]+[KMGT]i$' },
      }),
      api: part,
      worker: part,
      pod: object({ annotations: words, labels: words, nodeSelector: words, tolerations: listOf(free), affinity: free }),
      networkPolicy: object({
        enabled: flag,
        ...each(['callers', 'monitoring', 'dns', 'temporal'], peers),
        ...each(['apiEgress', 'workerEgress'], listOf(free)),
      }),
      replayBeforeUpgrade: object({ enabled: flag, timeoutSeconds: count }),
    },
    ['image', 'temporal', 'secrets'],
  ),
};

export const chartFiles = (): Readonly<Record<string, string>> => ({
  'deploy/helm/leadgate/values.schema.json': `${JSON.stringify(schema, null, 2)}\n`,
});
