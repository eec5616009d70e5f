/** Creates the leads of a trial: new people, with sentinels that make the simulators fail. */
import { endpoints } from '../../src/contract';
import { isObject } from '../../src/domain/formats';

export const flows = ['no-prescreen', 'with-prescreen', 'recruit', 'leadforms', 'screening'] as const;
export type FlowName = (typeof flows)[number];

/** The flows of the site system have four calls each, the others have one. */
export const siteFlows = ['no-prescreen', 'with-prescreen'] as const satisfies FlowName[];
export const isSite = (flow: FlowName): boolean => siteFlows.some((site) => site === flow);

export interface TestLead {
  /** Part of every request to an upstream, so that it can be attributed to this lead. */
  readonly tag: string;
  readonly flow: FlowName;
  readonly path: string;
  readonly email: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** Absent for a caller without an Idempotency-Key. */
  readonly key?: string;
  /** How many callers send it concurrently. */
  readonly callers: number;
}

export interface TestLeadOptions {
  readonly flow?: FlowName;
  /** Such as `v1-reset-once`: those of the key call are part of the instance, the others of the e-mail. */
  readonly sentinels?: readonly string[];
  /** Leads of one group share an instance, and so its hold. */
  readonly group: string;
  readonly callers?: number;
  readonly withoutKey?: true;
  /** The same person as this lead, with another body. */
  readonly person?: TestLead;
}

const patientIn = (body: unknown) => at(body, 'rtResponse', 'PatientID');

const rows: Readonly<
  Record<FlowName, { readonly path: string; readonly example: Readonly<Record<string, unknown>>; idIn(body: unknown): unknown }>
> = {
  'no-prescreen': { path: endpoints.noPrescreen.path, example: endpoints.noPrescreen.example, idIn: patientIn },
  'with-prescreen': { path: endpoints.withPrescreen.path, example: endpoints.withPrescreen.example, idIn: patientIn },
  recruit: {
    path: endpoints.sendToRecruit.path,
    example: endpoints.sendToRecruit.example,
    idIn: (body) => at(body, 'recruitResponse', 'patientInfo', 'patientId'),
  },
  leadforms: {
    path: endpoints.sendToLeadforms.path,
    example: endpoints.sendToLeadforms.example,
    idIn: (body) => at(body, 'leadformsResponse', 'submission_id'),
  },
  screening: {
    path: endpoints.sendPatient.path,
    example: endpoints.sendPatient.example,
    idIn: (body) => at(body, 'screeningResponse', 'id'),
  },
};

const at = (value: unknown, ...names: string[]): unknown =>
  names.reduce<unknown>((inner, name) => (isObject(inner) ? inner[name] : undefined), value);

/** The upstream's id in a success body. */
export const idIn = (flow: FlowName, body: unknown): string => String(rows[flow].idIn(body));

/** The simulator call that stores a lead of each flow. */
export const sendCall: Readonly<Record<FlowName, string>> = {
  'no-prescreen': 'v1',
  'with-prescreen': 'v1',
  recruit: 'recruit',
  leadforms: 'leadforms',
  screening: 'screening',
};

let made = 0;

export function newLead({ flow = 'no-prescreen', sentinels = [], group, callers = 1, withoutKey, person }: TestLeadOptions): TestLead {
  const tag = `t${process.pid}x${++made}`;
  const inInstance = sentinels.filter((word) => word.startsWith('key-'));
  const inEmail = sentinels.filter((word) => !word.startsWith('key-'));
  const email = person?.email ?? `${[tag, ...inEmail].join('+')}@example.org`;
  const { path, example } = rows[flow];
  const own = {
    instanceName: person?.body.instanceName ?? ['erg-oct', group, ...inInstance, ...(inInstance.length > 0 ? [tag] : [])].join('.'),
    protocol: `AD-${tag}`,
  };
  const body = { ...example, email, ...(isSite(flow) && own) };
  return { tag, flow, path, email, body, callers, ...(!withoutKey && { key: `key-${tag}` }) };
}
