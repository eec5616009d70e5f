import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { parseConfig, projectDir, settings } from '../../src/config/config';
import { envExample } from '../../src/reference/written-files';

const written = readFileSync(join(projectDir, '.env.example'), 'utf8');
const allOn = parseEnv(written.replaceAll(/^#(?=[A-Z][A-Z0-9_]*=)/gm, ''));

describe('.env.example', () => {
  it('is what the settings say; when this fails: npm run reference', () => expect(written).toBe(envExample()));

  it('lists every setting', () =>
    expect(Object.keys(allOn).toSorted()).toEqual(
      Object.values(settings)
        .flatMap((group) => Object.keys(group))
        .toSorted(),
    ));

  it('changes nothing, neither copied as it is nor with every line on', () => {
    expect(parseEnv(written)).toEqual({});
    expect({ ...parseConfig(allOn), LEADGATE_DATA_DIR: '' }).toEqual({ ...parseConfig({}), LEADGATE_DATA_DIR: '' });
    expect(join(projectDir, allOn.LEADGATE_DATA_DIR ?? '')).toBe(parseConfig({}).LEADGATE_DATA_DIR);
  });

  it('holds no secret', () => {
    const secrets = Object.values(settings).flatMap((group) =>
      Object.entries(group).flatMap(([name, setting]) => (setting.meta()?.secret === true ? [name] : [])),
    );
    expect(secrets).toContain('LEADGATE_KEYS');
    expect(secrets.filter((name) => allOn[name] !== '')).toEqual([]);
  });
});
