/** Declares the workflow of untuned Temporal: the five steps as activities. */
import { proxyActivities } from '@temporalio/workflow';

const { getApiKey, checkEmail, formatData, sendToRt, sendComments } = proxyActivities({ startToCloseTimeout: '1 minute' });

export async function chain(lead) {
  return sendComments(await sendToRt(await formatData(await checkEmail(await getApiKey(lead)))));
}
