import { proxyLocalActivities, upsertSearchAttributes } from '@temporalio/workflow';

const { getApiKey, checkEmail, formatData, sendToRt, sendComments } = proxyLocalActivities({ startToCloseTimeout: '1 minute' });

export async function bare(lead) {
  return sendComments(await sendToRt(await formatData(await checkEmail(await getApiKey(lead)))));
}

/** The same, found by what became of it. */
export async function guarded(lead) {
  const record = await bare(lead);
  upsertSearchAttributes({ LeadState: ['delivered'], LeadStep: ['send-comments'], LeadUpdatedAt: [new Date(Date.now())] });
  return record;
}

/** No step at all, and the answer that is expected. */
export async function empty(lead) {
  return { ...lead, rtV2Response: { data: { subjectId: 1 } } };
}
