/** Written by `npm run reference` from src/domain. */
export const states = /** @type {const} */ (['running', 'waiting', 'verifying', 'parked', 'delivered', 'skipped', 'failed', 'discarded']);
export const overStates = /** @type {const} */ (['delivered', 'skipped', 'failed', 'discarded']);
export const settledStates = /** @type {const} */ (['delivered', 'skipped', 'failed', 'discarded', 'parked']);
export const deliveredStates = /** @type {const} */ (['delivered', 'skipped']);
export const flows = /** @type {const} */ (['with-prescreen', 'no-prescreen', 'recruit', 'leadforms', 'leadforms-sandbox', 'screening']);
export const upstreams = /** @type {const} */ (['key-service', 'V1', 'V2', 'recruitment', 'leadforms', 'screening']);
export const leadCodes = /** @type {const} */ (['UPSTREAM_REJECTED', 'UPSTREAM_ERROR', 'UPSTREAM_PAUSED', 'OUTCOME_UNKNOWN', 'RATE_LIMITED', 'UNAUTHORIZED', 'CONFIG_ERROR', 'POSSIBLE_REPEAT', 'RUN_ENDED']);
export const attemptFailures = /** @type {const} */ (['NOT_SENT', 'REFUSED', 'KEY_REFUSED', 'UNKNOWN', 'CONFIG_ERROR']);
export const sends = /** @type {const} */ (['forwardLead', 'sendToRt', 'sendComments']);
export const eventTypes = /** @type {const} */ (['lead.accepted', 'lead.delivered', 'lead.skipped', 'lead.parked', 'lead.failed', 'lead.discarded', 'lead.redriven']);
export const deliveryStates = /** @type {const} */ (['waiting', 'told', 'given-up']);
export const receivers = /** @type {const} */ (['webhook', 'callback']);
export const findings = /** @type {const} */ (['missing', 'twice', 'unknown-here', 'not-comparable', 'matched']);
export const proposals = /** @type {const} */ (['confirm', 'resend']);
