/** Declares the workflows of the bare service: the five steps, the same with search attributes, and no step. */
import { proxyLocalActivities, upsertSearchAttributes } from '@temporalio/workflow';

const { getApiKey, checkEmail, formatData, sendToRt, sendComments } = proxyLocalActivities({ startToCloseTimeout: '1 minute' });

export async function bare(lead) {
  return sendComments(await sendToRt(await formatData(await checkEmail(await getApiKey(lead)))));
}

/** The same steps, with search attributes. */
export async function guarded(lead) {
  const record = await bare(lead);
  upsertSearchAttributes({ LeadState: ['delivered'], LeadStep: ['send-comments'], LeadUpdatedAt: [new Date(Date.now())] });
  return record;
}

/** No step, only the expected answer. */
export async function empty(lead) {
  return { ...lead, rtV2Response: { data: { subjectId: 1 } } };
}
