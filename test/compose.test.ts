/** docker-compose.yml and Dockerfile agree with the code. Read line by line: both are written in one plain style. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { settings } from '../src/config';
import { dynamicConfigFile } from '../src/engine/tuning';
import { searchAttributes } from '../src/temporal';

const projectDir = join(__dirname, '..');
const read = (path: string) => readFileSync(join(projectDir, path), 'utf8');
const compose = read('docker-compose.yml');
const dockerfile = read('Dockerfile');
const all = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, found = '']) => found);

const known = Object.values(settings).flatMap((group) => Object.keys(group));

/** A top-level part or a service of the file, with its lines. */
const block = (name: string, indent: string) =>
  compose.split(`\n${indent}${name}:`)[1]?.split(new RegExp(`\\n${indent}(?=\\S)(?!#)`))[0] ?? '';

describe('docker-compose.yml', () => {
  it('sets nothing on our parts that is no setting', () => {
    const named = [...all(block('x-part', ''), /^ {4}([A-Z][A-Z0-9_]*):/gm), ...all(block('sandbox', '  '), /^ {6}([A-Z][A-Z0-9_]*):/gm)];
    expect(named.length).toBeGreaterThan(6);
    expect(named.filter((name) => !known.includes(name))).toEqual([]);
  });

  it('asks its reader for nothing that is no setting', () => {
    const asked = all(compose, /(?<!\$)\$\{(\w+)/g);
    expect(asked.length).toBeGreaterThan(3);
    expect(asked.filter((name) => !known.includes(name))).toEqual([]);
  });

  it('pins every image to one version', () => {
    const images = all(compose, /^ +image: (\S+)$/gm);
    expect(images.length).toBeGreaterThanOrEqual(7);
    expect(images.filter((image) => !/:\d+\.\d+(\.\d+)?(-[a-z]+)?$/.test(image))).toEqual([]);
    const { version } = JSON.parse(read('package.json')) as { version: string };
    expect(images.filter((image) => image.startsWith('leadgate:') && image !== `leadgate:${version}`)).toEqual([]);
    const [server, ...tools] = images.filter((image) => /temporalio\/(server|admin-tools)/.test(image)).map((image) => image.split(':')[1]);
    expect(new Set(tools)).toEqual(new Set([server]));
  });

  it('publishes ports on this machine only', () => {
    const ports = all(compose, /^ +ports:\n((?: +- .*\n)+)/gm).flatMap((list) => all(list, /- ['"]?(\S+?)['"]?$/gm));
    expect(ports.length).toBeGreaterThanOrEqual(3);
    expect(ports.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
  });

  it('holds no secret, and takes each from a file outside the repository', () => {
    expect(all(compose, /(?:PASSWORD|PWD|KEYS|TOKEN|SECRET): (?!'')(\S+)/g)).toEqual([]);
    expect(all(compose, /^ +file: (\S+)$/gm).every((file) => file.startsWith('./secrets/'))).toBe(true);
  });
});

describe('config/engine', () => {
  it('makes the search attributes that the code uses', () => {
    const [list = ''] = all(read('config/engine/setup-namespace.sh'), /^for attribute in ([^;]+);/gm);
    const made = list.split(' ').map((attribute) => attribute.split(':'));
    expect(Object.fromEntries(made)).toEqual(searchAttributes);
  });

  it('sets the server as the embedded engine is set; when this fails: npm run reference', () =>
    expect(read('config/engine/dynamic.yaml')).toBe(dynamicConfigFile()));

  it('holds what docker-compose.yml mounts', () => {
    const files = all(compose, /\/setup\/([\w.-]+)/g);
    const dynamic = all(compose, /dynamicconfig\/([\w.-]+\.yaml)/g);
    expect(readdirSync(join(projectDir, 'config/engine')).toSorted()).toEqual([...files, ...dynamic].toSorted());
  });
});

describe('Dockerfile', () => {
  it('pins one Node for all stages, and does not run as root', () => {
    const bases = all(dockerfile, /^FROM (\S+)/gm);
    expect(new Set(bases).size).toBe(1);
    expect(bases[0]).toMatch(/^node:22\.\d+\.\d+-bookworm-slim$/);
    expect(dockerfile).toMatch(/^USER node$/m);
  });

  it('copies only what .dockerignore lets in', () => {
    const sources = all(dockerfile, /^COPY (?!--from)(.+) \S+$/gm).flatMap((list) => list.split(' '));
    const allowed = all(read('.dockerignore'), /^!(\S+)$/gm);
    const outside = sources.filter((source) => !allowed.some((one) => source === one || source.startsWith(`${one}/`)));
    expect(sources.length).toBeGreaterThan(5);
    expect(outside).toEqual([]);
  });
});
