/** The files for workflow tools are what the contract says, and do what they are for; the n8n one in a real n8n: `npm run test:n8n`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectDir } from '../../src/config/config';
import { endpointTable } from '../../src/contract';
import { alertsIdOf } from '../../src/domain/alerts';
import { reference } from '../../src/reference/written-files';
import { startGateway, type Gateway } from '../support/gateway';
import { ownNamespace } from '../support/namespace';
import { until } from '../support/until';

const collectionPath = 'docs/tools/leadgate.postman_collection.json';
const workflowPath = 'docs/tools/n8n-lead.json';

const written = reference();
const typedPaths = Object.keys(written).filter((path) => path.includes('/written/'));

it.each([collectionPath, workflowPath, ...typedPaths])('%s is what the contract says; when this fails: npm run reference', (path) =>
  expect(readFileSync(join(projectDir, path), 'utf8') === written[path]).toBe(true),
);

interface Named {
  readonly key: string;
  readonly value: string;
  readonly disabled?: boolean;
}

interface Item {
  readonly id: string;
  readonly name: string;
  readonly request: {
    readonly method: string;
    readonly header: readonly Named[];
    readonly url: { readonly raw: string; readonly variable?: readonly Named[] };
    readonly body?: { readonly raw: string };
  };
}

describe('the Postman collection', () => {
  const folders = (JSON.parse(written[collectionPath] ?? '') as { item: { name: string; item: Item[] }[] }).item;
  const items = folders.flatMap(({ item }) => item);
  let gateway: Gateway;
  beforeAll(async () => {
    const board = { ALERT_BOARD_PROJECT: 'project-template', ALERT_BOARD_LIST: 'list-up-next' };
    gateway = await startGateway({ settings: { ...board, TEMPORAL_NAMESPACE: await ownNamespace(`tools-${process.pid}`) } });
    const { client, config } = gateway;
    await until(() => client.workflow.getHandle(alertsIdOf(config.TASK_QUEUE)).describe(), 'the alerting runs');
  });
  afterAll(() => gateway.stop());

  it('has every route, in the folder of its group', () => {
    for (const [name, { group }] of endpointTable)
      expect([name, folders.find(({ item }) => item.some(({ id }) => id === name))?.name]).toEqual([name, group]);
  });

  /** As Postman sends it with nothing changed: variables filled in, what is off left out. */
  async function send({ request: { method, header, url, body } }: Item) {
    const filled = (url.variable ?? []).reduce(
      (raw, { key, value }) => raw.replace(`:${key}`, encodeURIComponent(value.replace(/\{\{(\w+)\}\}/, '$1'))),
      url.raw,
    );
    const headers = header.flatMap(({ key, value, disabled }): [string, string][] =>
      disabled ? [] : [[key, value.replace('{{$guid}}', crypto.randomUUID())]],
    );
    const address = filled.replace('{{baseUrl}}', gateway.url);
    const response = await fetch(address, { method, headers: [...headers, ['x-gateway-key', '']], body: body?.raw, redirect: 'manual' });
    return { status: response.status, text: await response.text() };
  }

  const needsLead = ({ request: { url } }: Item) => (url.variable ?? []).some(({ value }) => value.startsWith('{{'));

  it('is sent as it is and taken, wherever it needs no lead that is there', async () => {
    const answers = [];
    for (const item of items.filter((one) => !needsLead(one))) answers.push({ ...(await send(item)), id: item.id });
    expect(answers.length).toBeGreaterThan(50);
    expect(answers.filter(({ status }) => status !== 200).map(({ id, status, text }) => [id, status, text.slice(0, 200)])).toEqual([]);
  });

  it('lacks nothing but the lead where it needs one', async () => {
    const answers = await Promise.all(items.filter(needsLead).map(async (item) => [item.id, (await send(item)).status]));
    expect(answers.length).toBeGreaterThan(5);
    expect(answers.filter(([, status]) => status !== 404)).toEqual([]);
  });
});

describe('the n8n workflow', () => {
  const { nodes, connections } = JSON.parse(written[workflowPath] ?? '') as {
    nodes: { id: string; name: string; type: string; parameters: object }[];
    connections: Record<string, { main: { node: string }[][] }>;
  };
  const names = nodes.map(({ name }) => name);

  it('leads only to nodes that it has, and to every one of them', () => {
    const targets = Object.values(connections).flatMap(({ main }) => main.flat().map(({ node }) => node));
    expect(targets.filter((name) => !names.includes(name))).toEqual([]);
    const unreached = nodes.filter(({ name, type }) => !targets.includes(name) && !/webhook$|stickyNote$/.test(type));
    expect(unreached.map(({ name }) => name)).toEqual([]);
  });

  it('has every name and id once, and speaks of no node that it has not', () => {
    expect(new Set(names).size).toBe(nodes.length);
    expect(new Set(nodes.map(({ id }) => id)).size).toBe(nodes.length);
    const spoken = [...JSON.stringify(nodes).matchAll(/\$\('([^']+)'\)/g)].map(([, name]) => name);
    expect(spoken.length).toBeGreaterThan(3);
    expect(spoken.filter((name) => !names.includes(name ?? ''))).toEqual([]);
  });

  it('holds no secret and no address but the usual one', () => {
    const text = JSON.stringify(nodes);
    expect(text).not.toMatch(/credentials|gatewayKey/);
    expect(new Set(text.match(/https?:\/\/[^/'"\\ ]+/g))).toEqual(new Set(['http://127.0.0.1:8080']));
  });
});
