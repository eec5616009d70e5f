/** Sends a prepared lead of groups B, C and D with one request. It adds the caller's credential, or the server's own. */
import type { Config } from '../config/config';
import { forwardUrl, settingOf, timeoutMs, type Upstreams } from '../config/upstreams';
import { text } from '../domain/formats';
import type { AcceptedLead, ForwardFlow, PreparedLead } from '../domain/forward';
import { destinationOf, forwarders } from '../domain/forwarders';
import type { BypassHold } from '../domain/hold';
import type { JsonObject } from '../domain/lead';
import { outcomeOf, type ExchangeFacts } from '../domain/outcome';
import type { KeyRing } from '../keys/ring';
import type { CircuitBreaker } from './circuit-breaker';
import { deadlineMs, send, type Call } from './http';
import { factsOf, attemptFailure, unwrapOutcome } from './outcome';

interface OutgoingLead {
  /** The upstream's base URL. */
  readonly base: string;
  readonly body: JsonObject;
  readonly payload: JsonObject;
  /** The credential: the caller's, or the server's own. */
  readonly secret: string;
}

interface WireRequest {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly payload: JsonObject;
}

/** The lead to send. */
type LeadToSend = Pick<PreparedLead, 'payload' | 'site'> & { readonly bypassHold?: BypassHold };

export interface ForwardResult extends ExchangeFacts {
  readonly response: JsonObject;
  readonly patientHash?: string;
}

export interface ForwardNeeds {
  readonly config: Config;
  readonly keys: KeyRing;
  readonly upstreams: Upstreams;
  readonly breaker: CircuitBreaker;
}

export function forwardActivities({ config, keys, upstreams, breaker }: ForwardNeeds) {
  const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });

  function leadforms({ base, payload, secret }: OutgoingLead): WireRequest {
    return {
      url: `${base}/v1/forms/submit`,
      headers: config.LEADFORMS_KEY_IN === 'body' ? {} : bearer(secret),
      payload: 'key' in payload ? { ...payload, key: secret } : payload,
    };
  }

  const requestOf: Readonly<Record<ForwardFlow, (outgoing: OutgoingLead) => WireRequest>> = {
    recruit: ({ base, body, payload, secret }) => ({
      url: `${base}${config.RECRUIT_PATIENT_PATH}?${new URLSearchParams({ client_id: text(body.clientId) ?? '' }).toString()}`,
      headers: bearer(secret),
      payload,
    }),
    leadforms,
    'leadforms-sandbox': leadforms,
    screening: ({ base, payload, secret }) => ({ url: `${base}/api/vip/patients`, headers: { 'x-api-key': secret }, payload }),
  };

  /** The server's own credential, for a caller who sent none: the site's current key, or the setting's. */
  function ownSecret(flow: ForwardFlow, body: JsonObject, site: string | undefined): string {
    const known = site === undefined ? undefined : upstreams.sites(forwardUrl(flow, body))?.find(site);
    const secret = site === undefined ? upstreams.find(['SCREENING_API_KEY'])?.value : known?.key;
    if (secret !== undefined) return secret;
    throw attemptFailure('CONFIG_ERROR', {
      message: `Not set on the server: ${site === undefined ? 'SCREENING_API_KEY' : (known?.keySetting ?? 'LEADFORMS_SITES_FILE')}`,
    });
  }

  return {
    async forwardLead(flow: ForwardFlow, body: JsonObject, { payload, site, bypassHold = false }: LeadToSend): Promise<ForwardResult> {
      const { who, credential, responseField, read } = forwarders[flow];
      const address = forwardUrl(flow, body);
      const base = upstreams.find(address)?.value;
      if (base === undefined) throw attemptFailure('CONFIG_ERROR', { message: `Not set on the server: ${settingOf(address)}` });
      const given = text(body[credential]);
      const secret = given ?? ownSecret(flow, body, site);
      const wire = requestOf[flow]({ base: base.replace(/\/+$/, ''), body, payload, secret });
      const call: Call = {
        method: 'POST',
        url: wire.url,
        headers: { 'content-type': 'application/json', ...wire.headers },
        body: JSON.stringify(wire.payload),
        timeoutMs: deadlineMs(timeoutMs(config, flow)),
        secrets: [secret],
      };
      const asked = { who, ...destinationOf(flow, body) };
      const outcome = await breaker(asked, bypassHold, async (lastCheck) => outcomeOf(await send(call, lastCheck), read));
      if (outcome.outcome === 'refused') {
        const note = { status: outcome.status, body: outcome.body };
        const isCredential = outcome.status === 401 || outcome.status === 403;
        if (isCredential && given !== undefined)
          throw attemptFailure('REFUSED', { ...note, code: 'UNAUTHORIZED', message: `${who} refused the ${credential} that was sent` });
        if (isCredential) throw attemptFailure('KEY_REFUSED', { ...note, message: `${who} refused the server's own ${credential}` });
        throw attemptFailure('REFUSED', { ...note, message: `${who} refused the lead: see ${responseField} for its answer` });
      }
      const { response, patientId }: AcceptedLead = unwrapOutcome(who, outcome);
      return { ...factsOf(outcome), response, ...(patientId && { patientHash: keys.hash('patient', patientId) }) };
    },
  };
}
