/** Runs the calls of the site-system toolkit: each gets an access key, then looks up one thing. A call is retried for seconds only. */
import type { Activities } from '../activities';
import type { V2List } from '../activities/clinicsys';
import { accountOf } from '../domain/clinicsys';
import { integer, text } from '../domain/formats';
import type { JsonObject, LeadReport } from '../domain/lead';
import type { LeadInput } from '../domain/lead-input';
import { CallRun, callPatienceMs } from './call';
import { reading, renewingKey } from './proxies';

type LookUp = (activities: Activities, keyed: Parameters<Activities['checkEmail']>[0], body: JsonObject) => Promise<object>;

const lookUp =
  (name: string, call: LookUp, counted = false) =>
  async (lead: LeadInput): Promise<LeadReport> => {
    const { body, rules } = lead;
    const run = new CallRun(lead, 'toolkit', ['get-api-key', name]);
    run.giveUpAt = Date.now() + callPatienceMs;
    const instance = { account: accountOf(body), instanceName: text(body.instanceName) ?? '', bypassHold: 'pause-too' as const };
    const { key } = await run.runStep({
      name: 'get-api-key',
      repeatable: true,
      attempt: async (attempt) => {
        const ask = reading('key service', { rules, upstream: 'key-service', timeoutMs: rules.keyTimeoutMs }, attempt);
        return { ...(await ask.getApiKey(instance)) };
      },
    });
    const found = await run.runStep({
      name,
      repeatable: true,
      attempt: (attempt) =>
        renewingKey(rules, instance, attempt, async (renewed) => ({
          ...(await call(
            reading(name, { rules, upstream: 'V2', timeoutMs: rules.timeoutMs }, attempt),
            { ...instance, key: renewed?.key ?? key },
            body,
          )),
        })),
    });
    const count = counted && 'data' in found && Array.isArray(found.data) ? { count: found.data.length } : {};
    return run.end('delivered', { success: true, ...count, ...found });
  };

const list = (name: V2List) => lookUp(name, (activities, keyed, { siteName }) => activities.listToolkit(keyed, name, text(siteName)), true);

export const subjects = lookUp('get-subjects', (activities, keyed, { email }) => activities.checkEmail(keyed, text(email) ?? ''));
export const patientStatuses = lookUp('get-patient-statuses', (activities, keyed, { subjectID }) =>
  activities.getPatientStatuses(keyed, integer(subjectID) ?? 0),
);
export const sites = list('sites');
export const studies = list('studies');
export const interviewQuestions = list('interview-questions');
export const referralSources = list('referral-sources');
