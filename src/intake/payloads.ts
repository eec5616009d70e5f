/** Builds the payloads of the flows that forward one request (groups B, C and D), and validates what only these flows require. */
import type { Config } from '../config/config';
import { forwardUrl, type Upstreams } from '../config/upstreams';
import { isAbsent, text } from '../domain/formats';
import type { ForwardFlow, PreparedLead } from '../domain/forward';
import type { Detail, JsonObject } from '../domain/lead';
import { filledFromSite, leadformsPayload } from '../domain/leadforms';
import { recruitPayload } from '../domain/recruit';
import { screeningPayload } from '../domain/screening';

export interface Payload {
  problems?(given: JsonObject): readonly Detail[];
  /** Returns the settings that are missing for the payload. */
  missing?(body: JsonObject): readonly string[];
  prepare(body: JsonObject): PreparedLead;
}

export const payloadsOf = (config: Config, upstreams: Upstreams): Readonly<Record<ForwardFlow, Payload>> => ({
  recruit: { prepare: recruitPayload },
  leadforms: leadforms('leadforms', config, upstreams),
  'leadforms-sandbox': leadforms('leadforms-sandbox', config, upstreams),
  screening: { prepare: (body) => screeningPayload({ body, maps: upstreams.maps() }) },
});

function leadforms(flow: ForwardFlow, config: Config, upstreams: Upstreams): Payload {
  const sites = (body: JsonObject) => upstreams.sites(forwardUrl(flow, body));
  /** `site` names the site, else `location` does. */
  const placeOf = ({ site, location }: JsonObject) =>
    isAbsent(site) ? { field: 'location', value: location } : { field: 'site', value: site };
  const siteOf = (body: JsonObject) => sites(body)?.find(text(placeOf(body).value) ?? '');
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
      return [{ field, message: `is not a known site. The known sites are: ${names}` }];
    },

    missing(body) {
      const site = siteOf(body);
      const names = site ? lacking(body).filter((name) => name === 'key' && site.key === undefined) : lacking(body);
      return names.length > 0 ? [site?.keySetting ?? 'LEADFORMS_SITES_FILE'] : [];
    },

    prepare(body) {
      const site = siteOf(body);
      const { LEADFORMS_CAMPAIGN_TEMPLATE: campaignTemplate, LEADFORMS_KEY_IN, SCR_SANDBOX_BOUNCE_MODE } = config;
      return {
        ...leadformsPayload({ body, site, campaignTemplate, keyInBody: LEADFORMS_KEY_IN !== 'header' }),
        ...(site && { site: site.slug }),
        ...(flow === 'leadforms-sandbox' && SCR_SANDBOX_BOUNCE_MODE && { bounce: true }),
      };
    },
  };
}
