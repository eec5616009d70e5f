/** Exports the workflows, under the names that the contract uses. The worker registers every export of this file. */
import { orchestrate, singleStep } from './clinicsys';
import { forward } from './forward';
import * as toolkit from './toolkit';

export { alerts } from './alerts';
export { carryOrder } from './bulk';
export { erasePerson } from './erase';
export { leadEvents } from './events';
export { hold } from './hold';
export { lock } from './lock';
export { pauses } from './pauses';
export { reconcile } from './reconcile';
export { tellAlert } from './tell-alert';

export const sendToRecruit = forward('recruit');
export const sendToLeadforms = forward('leadforms');
export const sendToLeadformsSandbox = forward('leadforms-sandbox');
export const sendPatient = forward('screening');

export const withPrescreen = orchestrate('with-prescreen');
export const withPrescreenGetApiKey = singleStep('with-prescreen', 'get-api-key');
export const withPrescreenCheckEmail = singleStep('with-prescreen', 'check-email');
export const withPrescreenFormatData = singleStep('with-prescreen', 'format-data');
export const withPrescreenSendToRt = singleStep('with-prescreen', 'send-to-rt');
export const withPrescreenSendComments = singleStep('with-prescreen', 'send-comments');

export const noPrescreen = orchestrate('no-prescreen');
export const noPrescreenGetApiKey = singleStep('no-prescreen', 'get-api-key');
export const noPrescreenCheckEmail = singleStep('no-prescreen', 'check-email');
export const noPrescreenFormatData = singleStep('no-prescreen', 'format-data');
export const noPrescreenSendToRt = singleStep('no-prescreen', 'send-to-rt');
export const noPrescreenSendComments = singleStep('no-prescreen', 'send-comments');

export const getSubjects = toolkit.subjects;
export const getPatientStatuses = toolkit.patientStatuses;
export const listSites = toolkit.sites;
export const getSites = toolkit.sites;
export const listStudies = toolkit.studies;
export const getStudies = toolkit.studies;
export const listInterviewQuestions = toolkit.interviewQuestions;
export const getInterviewQuestions = toolkit.interviewQuestions;
export const listReferralSources = toolkit.referralSources;
export const getReferralSources = toolkit.referralSources;

export {
  assignTodo,
  createComment,
  createList,
  createTodo,
  getProject,
  getTodo,
  listComments,
  listLists,
  listProjects,
  listTodos,
  listUsers,
} from './taskboard';
export { updateTodo } from './taskboard-card';
export { createProject } from './taskboard-copy';
