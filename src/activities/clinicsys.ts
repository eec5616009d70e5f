/**
 * Calls the site system (group E): each activity makes one request to its key service, API V1 or API V2. The workflow acts on the outcome.
 */
import type { Config } from '../config/config';
import { ofAccount, type AccountSetting, type Upstreams } from '../config/upstreams';
import {
  formatFields,
  readComment,
  readKey,
  readSubjects,
  readV1,
  readV2List,
  isKeyRefusal,
  siteInstance,
  type Account,
  type EmailCheck,
  type Flow,
  type FlowRecord,
  type RtResponse,
  type V2Data,
  v1NameOf,
} from '../domain/clinicsys';
import type { BypassHold } from '../domain/hold';
import type { UpstreamName } from '../domain/upstreams';
import type { JsonObject } from '../domain/lead';
import { outcomeOf, outcomeOfRead, type BodyReading, type ExchangeFacts, type HttpResult, type Outcome } from '../domain/outcome';
import type { KeyRing } from '../keys/ring';
import type { CircuitBreaker } from './circuit-breaker';
import { deadlineMs, read, send, type Call, type LastCheck } from './http';
import { briefly, factsOf, attemptFailure, unwrapOutcome } from './outcome';

export interface Instance {
  readonly account: Account;
  readonly instanceName: string;
  readonly bypassHold?: BypassHold;
}

export interface KeyedInstance extends Instance {
  readonly key: string;
}

/** A key from the cache has no `httpStatus`. */
export interface ApiKey extends ExchangeFacts {
  readonly key: string;
  readonly created: string;
}

export type V2List = 'sites' | 'studies' | 'interview-questions' | 'referral-sources';

/** The most bytes of a list of V2. The engine stores a result of up to 2 MB. */
const listMostBytes = 1_048_576;

export interface ClinicsysNeeds {
  readonly config: Config;
  readonly keys: KeyRing;
  readonly upstreams: Upstreams;
  readonly breaker: CircuitBreaker;
}

export function clinicsysActivities({ config, keys, upstreams, breaker }: ClinicsysNeeds) {
  const cachedKeys = new Map<string, ApiKey & { readonly until: number }>();

  function urlOf(setting: AccountSetting, account: Account): string {
    const found = upstreams.find(ofAccount(setting, account));
    if (!found) throw attemptFailure('CONFIG_ERROR', { message: `${setting} is not set for account ${account}` });
    return found.value;
  }

  const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

  /** Makes a request to V2, which always names the instance. */
  function v2Call(
    { account, instanceName, key }: KeyedInstance,
    path: string,
    query: Record<string, string | undefined> = {},
    body?: JsonObject,
  ): Call {
    const url = new URL(`${urlOf('CLINICSYS_V2_URL', account).replace(/\/+$/, '')}/api/v2/${path}`);
    for (const [name, value] of Object.entries({ instanceName, ...query })) if (value !== undefined) url.searchParams.set(name, value);
    return {
      method: body ? 'POST' : 'GET',
      url: url.href,
      headers: body ? { ...bearer(key), 'content-type': 'application/json' } : bearer(key),
      body: body && JSON.stringify(body),
      timeoutMs: deadlineMs(config.TIMEOUT_MS['site-system']),
      secrets: [key],
    };
  }

  /** Makes one exchange with an upstream, unless the upstream is held. */
  async function exchange<T extends object>(
    who: string,
    upstream: UpstreamName,
    instance: Instance,
    ask: (lastCheck?: LastCheck) => Promise<Outcome<T>>,
  ): Promise<T & ExchangeFacts> {
    const asked = { who, upstream, instance: siteInstance(instance.account, instance.instanceName) };
    const outcome = await breaker(asked, instance.bypassHold ?? false, ask);
    const value = unwrapOutcome(who, outcome, { upstream, ...(upstream !== 'key-service' && { keyRefused: isKeyRefusal }) });
    return { ...value, ...factsOf(outcome) };
  }

  /** A hold may probe with the same read for days, so little is kept of each answer. */
  function outcomeIn<T>({ bypassHold }: Instance, result: HttpResult, readBody: (body: unknown) => BodyReading<T>): Outcome<T> {
    const outcome = outcomeOfRead(result, readBody);
    return bypassHold === true && 'raw' in outcome ? { ...outcome, raw: briefly(outcome.raw) } : outcome;
  }

  const v2List = (
    who: string,
    keyed: KeyedInstance,
    path: string,
    query?: Record<string, string | undefined>,
  ): Promise<V2Data & ExchangeFacts> =>
    exchange(who, 'V2', keyed, async () =>
      outcomeIn(keyed, await read({ ...v2Call(keyed, path, query), answerMostBytes: listMostBytes }), readV2List),
    );

  function v1Body(payload: JsonObject): Pick<Call, 'headers' | 'body'> {
    const renamed = Object.entries(payload).map(([name, value]) => [v1NameOf(config.CLINICSYS_V1_FIELD_MAP, name), value] as const);
    if (config.CLINICSYS_V1_FORMAT === 'json')
      return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(Object.fromEntries(renamed)) };
    const form = new URLSearchParams(renamed.map(([name, value]): [string, string] => [name, String(value)]));
    return { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: form.toString() };
  }

  return {
    /** Gets an access key. `fresh` bypasses the cache after a refusal of the cached key. */
    async getApiKey(instance: Instance, fresh = false): Promise<ApiKey> {
      const { account, instanceName } = instance;
      const cacheName = `${account}/${instanceName}`;
      const cached = cachedKeys.get(cacheName);
      if (cached && !fresh && cached.until > Date.now()) return { key: cached.key, created: cached.created };
      const call: Call = {
        method: 'POST',
        url: urlOf('KEY_SERVICE_URL', account),
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ account, instanceName }),
        timeoutMs: deadlineMs(config.TIMEOUT_MS['key-service']),
        givesSecret: true,
      };
      let answeredAt: string | undefined;
      const { key, created, ...facts } = await exchange('The key service', 'key-service', instance, async () => {
        const result = await read(call);
        answeredAt = result.saw === 'answer' ? result.date : undefined;
        return outcomeIn(instance, result, readKey);
      });
      const apiKey = { key, created: created ?? answeredAt ?? new Date().toUTCString() };
      for (const [other, { until }] of cachedKeys) if (until <= Date.now()) cachedKeys.delete(other);
      if (config.KEY_CACHE_TTL_S > 0) cachedKeys.set(cacheName, { ...apiKey, until: Date.now() + config.KEY_CACHE_TTL_S * 1000 });
      return { ...apiKey, ...facts };
    },

    async checkEmail(keyed: KeyedInstance, email: string): Promise<EmailCheck & ExchangeFacts> {
      return exchange('The e-mail look-up', 'V2', keyed, async () =>
        outcomeIn(keyed, await read(v2Call(keyed, 'subjects', { email })), readSubjects),
      );
    },

    async formatData(record: FlowRecord, flow: Flow): Promise<JsonObject> {
      return formatFields(record, flow, new Date().toISOString().slice(0, 10));
    },

    async sendToRt(keyed: KeyedInstance, payload: JsonObject): Promise<ExchangeFacts & { rtResponse: RtResponse; patientHash: string }> {
      const { account, key } = keyed;
      const { headers, body } = v1Body(payload);
      const call: Call = {
        method: 'POST',
        url: urlOf('CLINICSYS_V1_APPLY_URL', account),
        headers: { ...bearer(key), ...headers },
        body,
        timeoutMs: deadlineMs(config.TIMEOUT_MS['site-system']),
        secrets: [key],
      };
      const { httpStatus, ...rtResponse } = await exchange('The V1 apply endpoint', 'V1', keyed, async (lastCheck) =>
        outcomeOf(await send(call, lastCheck), readV1),
      );
      return { httpStatus, rtResponse, patientHash: keys.hash('patient', String(rtResponse.PatientID)) };
    },

    async sendComments(keyed: KeyedInstance, subjectId: number, comment: string): Promise<JsonObject & ExchangeFacts> {
      const call = v2Call(keyed, `subjects/${subjectId}/comments`, {}, { comment });
      return exchange('The comments endpoint', 'V2', keyed, async (lastCheck) => outcomeOf(await send(call, lastCheck), readComment));
    },

    async readComments(keyed: KeyedInstance, subjectId: number): Promise<V2Data & ExchangeFacts> {
      return v2List('The comments endpoint', keyed, `subjects/${subjectId}/comments`);
    },

    async getPatientStatuses(keyed: KeyedInstance, subjectID: number): Promise<V2Data> {
      return v2List('The patient statuses report', keyed, 'reports/patient-statuses', { subjectID: String(subjectID) });
    },

    async listToolkit(keyed: KeyedInstance, list: V2List, siteName?: string): Promise<V2Data> {
      if (list !== 'referral-sources') return v2List('The site system', keyed, list, { siteName });
      return v2List('The site system', keyed, `sites/${encodeURIComponent(siteName ?? '')}/referral-sources`);
    },
  };
}
