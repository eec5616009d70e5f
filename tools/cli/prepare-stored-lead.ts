/**
 * Computes what a stored lead would send to its upstream with any settings, or why it would be refused. It uses the preparation of the
 * intake, and starts and sends nothing.
 */
import type { Config } from '../../src/config/config';
import { forwardUrl, type Upstreams } from '../../src/config/upstreams';
import { endpoints, type EndpointName } from '../../src/contract';
import type { Endpoint } from '../../src/contract/endpoint';
import { ApiError } from '../../src/contract/errors';
import { readInput } from '../../src/contract/input';
import { rtRequestPayload, type Flow, v1NameOf } from '../../src/domain/clinicsys';
import { text } from '../../src/domain/formats';
import { secretPlaceholder, type ForwardFlow, type PreparedLead } from '../../src/domain/forward';
import { isPersonal } from '../../src/domain/found-by';
import type { Detail, JsonObject } from '../../src/domain/lead';
import { hidden, isShown } from '../../src/domain/mask';
import { createPreparation } from '../../src/intake/intake';

/** A field of the request to the upstream. */
export interface SentField {
  /** Compared, and never shown. */
  readonly value: unknown;
  /** The value if it is a business term or a setting; masked otherwise. */
  readonly shown: unknown;
}

/** A reason why the lead would be refused. */
export interface Problem extends Partial<Detail> {
  readonly message: string;
  /** The stored value of the field, if it is a business term. */
  readonly given?: unknown;
}

export type PreparedStoredLead =
  { readonly fields: Readonly<Record<string, SentField>> } | { readonly problems: readonly [Problem, ...Problem[]] };

export interface StoredInput {
  /** The name of the lead's route. */
  readonly name: string;
  readonly body: JsonObject;
}

const v1Setting = 'CLINICSYS_V1_APPLY_URL';

export function createStoredLeadPreparation(config: Config, upstreams: Upstreams): (stored: StoredInput) => PreparedStoredLead {
  const preparation = createPreparation(config, upstreams);

  /** Adds the site's key, which the payload conceals, so that a changed key counts as a difference. */
  function forwardFields({ payload, origins, site }: PreparedLead, flow: ForwardFlow, body: JsonObject): Record<string, SentField> {
    const key = text(body.key) ?? upstreams.sites(forwardUrl(flow, body))?.find(site ?? '')?.key;
    const fields = Object.entries(payload).map(([field, value]): [string, SentField] => {
      const isSetting = origins[field] === 'site configuration' || origins[field] === 'default';
      return [field, { value, shown: isSetting ? value : shown(field, value, body) }];
    });
    return { ...Object.fromEntries(fields), ...(site !== undefined && { key: { value: key, shown: secretPlaceholder } }) };
  }

  /** Settings change only the names of V1's fields, so compare the names. */
  function v1Fields(flow: Flow, body: JsonObject): Record<string, SentField> {
    const payload = rtRequestPayload(body, flow, new Date().toISOString().slice(0, 10));
    const names = Object.keys(payload).map((field) => [field, v1NameOf(config.CLINICSYS_V1_FIELD_MAP, field)] as const);
    return Object.fromEntries(names.map(([field, name]) => [field, { value: name, shown: name }]));
  }

  function fieldsOf({ flow, uses }: Endpoint, body: JsonObject, prepared?: PreparedLead): Record<string, SentField> {
    if (prepared) return forwardFields(prepared, flow as ForwardFlow, body);
    return uses?.(body).some((need) => need.includes(v1Setting)) ? v1Fields(flow as Flow, body) : {};
  }

  return ({ name, body: stored }) => {
    const endpoint: Endpoint = endpoints[name as EndpointName];
    try {
      const { body } = readInput(stored, endpoint, (given) => preparation.problems(endpoint.flow, given));
      return { fields: fieldsOf(endpoint, body, preparation.prepare(endpoint, body).prepared) };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const { message, extras } = error;
      const [first = { message }, ...rest] = (extras.details ?? []).map((detail) => withGiven(detail, stored));
      return { problems: [first, ...rest] };
    }
  };
}

const isTerm = (field: string, value: unknown, body: JsonObject): boolean => isShown(field, value) && !isPersonal(String(value), body);

const shown = (field: string, value: unknown, body: JsonObject): unknown => (isTerm(field, value, body) ? value : hidden);

function withGiven(detail: Detail, stored: JsonObject): Problem {
  const given = text(stored[detail.field]);
  return given !== undefined && isTerm(detail.field, given, stored) ? { ...detail, given } : detail;
}
