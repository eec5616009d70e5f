import { proxyLocalActivities } from '@temporalio/workflow';

const { getApiKey, checkEmail, formatData, sendToRt, sendComments } = proxyLocalActivities({ startToCloseTimeout: '1 minute' });

export async function bare(lead) {
  return sendComments(await sendToRt(await formatData(await checkEmail(await getApiKey(lead)))));
}

/** No step at all, and the answer that is expected. */
export async function empty(lead) {
  return { ...lead, rtV2Response: { data: { subjectId: 1 } } };
}
