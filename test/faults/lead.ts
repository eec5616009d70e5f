/** Makes the leads of a trial: new people, with sentinels that make the simulators fail. */
import { endpoints } from '../../src/contract';
import { isObject } from '../../src/domain/formats';

export const flows = ['no-prescreen', 'with-prescreen', 'recruit', 'leadforms', 'screening'] as const;
export type FlowName = (typeof flows)[number];

/** Those of the site system: four calls each, the others have one. */
export const siteFlows = ['no-prescreen', 'with-prescreen'] as const satisfies FlowName[];
export const isSite = (flow: FlowName): boolean => siteFlows.some((site) => site === flow);

export interface Lead {
  /** Stands in everything that goes upstream, so that every request can be told to be this lead's. */
  readonly tag: string;
  readonly flow: FlowName;
  readonly path: string;
  readonly email: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** Absent: a caller who sends no Idempotency-Key. */
  readonly key?: string;
  /** How many callers send it at the same time. */
  readonly callers: number;
}

export interface Wanted {
  readonly flow?: FlowName;
  /** As `v1-reset-once`: those of the key call stand in the instance, the others in the e-mail. */
  readonly sentinels?: readonly string[];
  /** Leads of one group share an instance, and so what the gateway makes of its failures. */
  readonly group: string;
  readonly callers?: number;
  readonly withoutKey?: true;
  /** The same person as this lead, with another body. */
  readonly person?: Lead;
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

/** Of the simulators' calls, the one that commits a lead of this flow. */
export const sendCall: Readonly<Record<FlowName, string>> = {
  'no-prescreen': 'v1',
  'with-prescreen': 'v1',
  recruit: 'recruit',
  leadforms: 'leadforms',
  screening: 'screening',
};

let made = 0;

export function newLead({ flow = 'no-prescreen', sentinels = [], group, callers = 1, withoutKey, person }: Wanted): Lead {
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
