/** Prepares a request before anything is started: checks the settings that it needs, and makes the payload of a flow that forwards it. */
import type { Config } from '../config/config';
import { forwardUrl, settingOf, type Upstreams } from '../config/upstreams';
import type { Endpoint } from '../contract/endpoint';
import { ApiError } from '../contract/errors';
import type { SandboxBinding } from '../domain/execution-context';
import { isAbsent, pick, text } from '../domain/formats';
import type { ForwardFlow, Prepared } from '../domain/forward';
import type { Detail, JsonObject } from '../domain/lead';
import { filledFromSite, leadformsPayload } from '../domain/leadforms';
import { recruitPayload } from '../domain/recruit';
import { screeningPayload } from '../domain/screening';

/** A request whose settings are all there. */
export interface Ready {
  /** The payload for a flow that forwards one request; undefined for the others. */
  readonly prepared: Prepared | undefined;
  /** For each setting that it needs: whether the sandbox stands in. */
  readonly binding: SandboxBinding;
}

export interface Preparation {
  /** Problems beyond single fields, such as an unknown site. They are reported together with the wrong fields. */
  problems(flow: string | undefined, given: JsonObject): readonly Detail[];
  /** Prepares the request before anything is started. Throws CONFIG_ERROR if a setting that it needs is missing. */
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
      return { prepared, binding };
    },
  };
}

function leadforms(flow: ForwardFlow, config: Config, upstreams: Upstreams): Preparer {
  const sites = (body: JsonObject) => upstreams.sites(forwardUrl(flow, body));
  /** The site is named by `site`, or else by `location`. */
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
