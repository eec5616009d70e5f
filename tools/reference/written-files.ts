/** Lists the generated files. `npm run reference` writes them, and tests compare them with the files in the project. */
import { relative } from 'node:path';
import type { z } from 'zod';
import { fileOf } from '../../src/config/secrets';
import { isSecret, projectDir, settings, variablesOf } from '../../src/config/settings';
import { version } from '../../src/config/version';
import { dynamicConfigFile } from '../../src/engine/tuning';
import { chartFiles } from './chart';
import { clientFiles } from './client';
import { consoleFiles } from './console';
import { n8nWorkflow } from './n8n';
import { n8nEventsWorkflow } from './n8n-events';
import { n8nPackage } from './n8n-package';
import { openApi } from './openapi';
import { postmanCollection } from './postman';
import { taskboardFiles } from './taskboard-operations';

const envHead = `# Every setting of Leadgate with its default. Copy this file to .env, remove the # of a line, and change its value. A variable
# of the environment overrides .env. All lines are comments, so that a copy follows the defaults of newer versions.
# A secret can be in a file: <NAME>_FILE has its path. Not listed here: NODE_ENV=production requires configured keys,
# TEMPORAL_… sets certificates and profiles (docs/scale.md), OTEL_EXPORTER_OTLP_ENDPOINT sends traces to a collector.
# Written by \`npm run reference\` from src/config/settings.ts.
`;

/** Writes a default value as text; a path inside the project becomes relative. */
function written(standard: unknown): string {
  if (standard === undefined) return '';
  if (typeof standard !== 'string') return String(standard);
  return standard.startsWith(projectDir) ? relative(projectDir, standard) : standard;
}

/** Returns the default of a setting, or '' if it has none. */
function defaultOf(setting: z.ZodType): string {
  const { data, success } = setting.safeParse(undefined);
  const isText = success && typeof data === 'object' ? JSON.stringify(data) : data;
  return written(isText);
}

/** Quotes a value with a space, # or ", as .env files require. */
const quoted = (value: string) => (/[\s#"]/.test(value) ? `'${value}'` : value);

export function envExample(): string {
  const groups = Object.entries(settings).map(([group, members]) => {
    const lines = Object.entries(members).map((row) => {
      const all = variablesOf(row);
      const files = all.flatMap(({ name, form }) => (isSecret(form) ? [`#${fileOf(name)}=`] : []));
      const [first = '', ...others] = all.map(({ name, form }) => `${name}=${quoted(defaultOf(form))}`);
      return [
        `# ${row[1].description ?? ''}${files.length > 0 ? ' (secret)' : ''}`,
        ...(others.length > 0 ? [`# also ${others.map((other) => other.replace(/=$/, '')).join(', ')}`] : []),
        `#${first}`,
        ...files,
        '',
      ].join('\n');
    });
    return `\n# --- ${group} ---\n\n${lines.join('\n')}`;
  });
  return `${envHead}${groups.join('')}`;
}

/** Returns the text of each file by its path. */
export function reference(): Readonly<Record<string, string>> {
  const document = openApi(version);
  return {
    'docs/openapi.json': `${JSON.stringify(document, null, 2)}\n`,
    'docs/tools/leadgate.postman_collection.json': postmanCollection(document),
    'docs/tools/n8n-lead.json': n8nWorkflow(),
    'docs/tools/n8n-events.json': n8nEventsWorkflow(),
    '.env.example': envExample(),
    'config/engine/dynamic.yaml': dynamicConfigFile(),
    ...chartFiles(),
    ...clientFiles(),
    ...n8nPackage(),
    ...consoleFiles(),
    ...taskboardFiles(),
  };
}
