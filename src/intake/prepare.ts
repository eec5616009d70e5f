/**
 * Groups B, C and D: what is sent on is made when the lead comes in. So a run does the same whenever it is replayed, whatever the
 * site configuration is then, and a lead that cannot be sent is a 400 and no run.
 */
import type { Config } from '../config/config';
import type { Endpoint } from '../contract/endpoint';
import { isAbsent, pick, text } from '../domain/formats';
import type { ForwardFlow, Prepared } from '../domain/forward';
import type { SandboxBinding } from '../domain/sandbox-binding';
import type { Detail, JsonObject } from '../domain/lead';
import { filledFromSite, leadformsPayload } from '../domain/leadforms';
import { recruitPayload } from '../domain/recruit';
import { screeningPayload } from '../domain/screening';
import { forwardUrl, settingOf } from '../config/needs';
import type { Upstreams } from '../config/upstreams';
import { ApiError } from '../contract/errors';

/** One that can be sent: what it needs is set. */
export interface Ready {
  /** undefined for the flows that make their own way. */
  readonly prepared: Prepared | undefined;
  /** For which of its upstreams a simulator stands in. */
  readonly binding: SandboxBinding;
  /** For one of them at least. */
  readonly isSandbox: boolean;
}

export interface Preparation {
  /** What is wrong with a body beyond its single fields; told together with those. */
  problems(flow: string | undefined, given: JsonObject): readonly Detail[];
  /** Known before anything is started: what is missing, and whether the sandbox stands in. */
  ready(endpoint: Endpoint, body: JsonObject): Ready;
}

interface Preparer {
  problems?(given: JsonObject): readonly Detail[];
  prepare(body: JsonObject): Prepared;
}

export function createPreparation(config: Config, upstreams: Upstreams): Preparation {
  const preparers: Readonly<Record<ForwardFlow, Preparer>> = {
    recruit: { prepare: recruitPayload },
    leadforms: leadforms('leadforms', config, upstreams),
    'leadforms-sandbox': leadforms('leadforms-sandbox', config, upstreams),
    screening: { prepare: (body) => screeningPayload({ body, maps: upstreams.maps() }) },
  };
  const of = (flow = '') => pick<Preparer>(preparers, flow);
  return {
    problems: (flow, given) => of(flow)?.problems?.(given) ?? [],

    ready({ flow, uses }, body) {
      const prepared = of(flow)?.prepare(body);
      const needs = prepared?.bounce ? [] : (uses?.(body) ?? []);
      const missing = needs.filter((need) => !upstreams.find(need)).map(settingOf);
      if (missing.length > 0) throw new ApiError('CONFIG_ERROR', `Not set on the server: ${missing.join(', ')}`);
      const binding = Object.fromEntries(needs.map((need) => [settingOf(need), Boolean(upstreams.find(need)?.sandbox)]));
      return { prepared, binding, isSandbox: Object.values(binding).includes(true) };
    },
  };
}

function leadforms(flow: ForwardFlow, config: Config, upstreams: Upstreams): Preparer {
  const sites = (body: JsonObject) => upstreams.sites(forwardUrl(flow, body));
  /** `site` counts; `location` where it is not given. */
  const placeOf = ({ site, location }: JsonObject) =>
    isAbsent(site) ? { field: 'location', value: location } : { field: 'site', value: site };
  const lacking = (body: JsonObject) => filledFromSite.filter((name) => isAbsent(body[name]));

  return {
    problems(given) {
      const { field, value } = placeOf(given);
      const missing = lacking(given);
      if (missing.length === 0) return [];
      if (isAbsent(value)) return missing.map((name) => ({ field: name, message: 'is required when neither site nor location is given' }));
      const known = sites(given);
      if (!known || typeof value !== 'string' || known.find(value)) return [];
      const names = known.all.map(({ name }) => name).join(', ');
      return [{ field, message: `is not a known site. The known ones are: ${names}` }];
    },

    prepare(body) {
      const site = sites(body)?.find(text(placeOf(body).value) ?? '');
      const missing = site ? lacking(body).filter((name) => name === 'key' && site.key === undefined) : lacking(body);
      if (missing.length > 0) throw new ApiError('CONFIG_ERROR', `Not set on the server: ${site?.keySetting ?? 'LEADFORMS_SITES_FILE'}`);
      const { LEADFORMS_CAMPAIGN_TEMPLATE: campaignTemplate, LEADFORMS_KEY_IN, SCR_SANDBOX_BOUNCE_MODE } = config;
      return {
        ...leadformsPayload({ body, site, campaignTemplate, keyInBody: LEADFORMS_KEY_IN !== 'header' }),
        ...(site && { site: site.slug }),
        ...(flow === 'leadforms-sandbox' && SCR_SANDBOX_BOUNCE_MODE && { bounce: true }),
      };
    },
  };
}
