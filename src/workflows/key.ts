/** A key that is refused is fetched again, once: whatever is asked of the site system, the rule is the same. */
import type { ApiKey, Instance } from '../activities/clinicsys';
import type { Rules } from '../domain/lead';
import { failedAttempt } from './attempt';
import { repeatable } from './proxies';
import { queueOf } from './queue';

/** `call` gets the new key where the one that it has was refused. */
export async function renewingKey<T>(rules: Rules, instance: Instance, call: (renewed?: ApiKey) => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (failedAttempt(error).type !== 'KEY_REFUSED') throw error;
    return call(await repeatable('key service: a new key', rules.keyTimeoutMs, 1, queueOf(rules, 'key-service')).getApiKey(instance, true));
  }
}
