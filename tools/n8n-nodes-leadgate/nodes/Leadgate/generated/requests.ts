/** Written by `npm run reference` from src/contract. */
import type { INodeProperties } from 'n8n-workflow';
import { lead } from './lead';
import { leadForm } from './lead-form';
import { recruitmentSystem } from './recruitment-system';
import { screeningPlatform } from './screening-platform';
import { siteSystem } from './site-system';
import { taskBoard } from './task-board';

export const resource: INodeProperties = {
  displayName: 'Resource',
  name: 'resource',
  type: 'options',
  noDataExpression: true,
  options: [
    {
      name: 'Lead',
      value: 'lead'
    },
    {
      name: 'Lead Form',
      value: 'leadForm'
    },
    {
      name: 'Recruitment System',
      value: 'recruitmentSystem'
    },
    {
      name: 'Screening Platform',
      value: 'screeningPlatform'
    },
    {
      name: 'Site System',
      value: 'siteSystem'
    },
    {
      name: 'Task Board',
      value: 'taskBoard'
    }
  ],
  default: 'siteSystem'
};

export const fields: INodeProperties[] = [...lead, ...leadForm, ...recruitmentSystem, ...screeningPlatform, ...siteSystem, ...taskBoard];

/** The operations that send leads, and those that accept an Idempotency-Key. */
export const leadOperations = [
  'sendToRecruit',
  'sendToLeadforms',
  'sendToLeadformsSandbox',
  'sendPatient',
  'withPrescreen',
  'withPrescreenSendToRt',
  'withPrescreenSendComments',
  'noPrescreen',
  'noPrescreenSendToRt',
  'noPrescreenSendComments'
];
export const keyedOperations = [
  'createProject',
  'createList',
  'createTodo',
  'updateTodo',
  'assignTodo',
  'createComment',
  'sendToRecruit',
  'sendToLeadforms',
  'sendToLeadformsSandbox',
  'sendPatient',
  'withPrescreen',
  'withPrescreenGetApiKey',
  'withPrescreenCheckEmail',
  'withPrescreenFormatData',
  'withPrescreenSendToRt',
  'withPrescreenSendComments',
  'noPrescreen',
  'noPrescreenGetApiKey',
  'noPrescreenCheckEmail',
  'noPrescreenFormatData',
  'noPrescreenSendToRt',
  'noPrescreenSendComments',
  'getSubjects',
  'getPatientStatuses',
  'getSites',
  'getStudies',
  'getInterviewQuestions',
  'getReferralSources',
  'resendLead',
  'confirmLead',
  'discardLead',
  'tryLead',
  'redriveLead',
  'startRedrive',
  'startDecision',
  'startReconciliation',
  'applyReconciliation',
  'startResend',
  'pauseUpstream',
  'resumeUpstream'
];

export interface OperationRequest {
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly path: string;
  readonly kind: 'lead' | 'read' | 'keyed' | 'act';
  readonly required: readonly string[];
  readonly json: readonly string[];
}

export const requests: Readonly<Record<string, OperationRequest>> = {
  listProjects: {
    method: 'GET',
    path: '/api/taskboard/projects',
    kind: 'read',
    required: [],
    json: []
  },
  createProject: {
    method: 'POST',
    path: '/api/taskboard/projects',
    kind: 'keyed',
    required: [
      'name'
    ],
    json: []
  },
  getProject: {
    method: 'GET',
    path: '/api/taskboard/projects/{id}',
    kind: 'read',
    required: [
      'id'
    ],
    json: []
  },
  listLists: {
    method: 'GET',
    path: '/api/taskboard/lists',
    kind: 'read',
    required: [
      'projectId'
    ],
    json: []
  },
  createList: {
    method: 'POST',
    path: '/api/taskboard/lists',
    kind: 'keyed',
    required: [
      'projectId',
      'title'
    ],
    json: []
  },
  listTodos: {
    method: 'GET',
    path: '/api/taskboard/todos',
    kind: 'read',
    required: [
      'projectId'
    ],
    json: []
  },
  createTodo: {
    method: 'POST',
    path: '/api/taskboard/todos',
    kind: 'keyed',
    required: [
      'todoListId',
      'title'
    ],
    json: []
  },
  getTodo: {
    method: 'GET',
    path: '/api/taskboard/todos/{id}',
    kind: 'read',
    required: [
      'id'
    ],
    json: []
  },
  updateTodo: {
    method: 'PATCH',
    path: '/api/taskboard/todos/{id}',
    kind: 'keyed',
    required: [
      'id'
    ],
    json: []
  },
  assignTodo: {
    method: 'POST',
    path: '/api/taskboard/todos/{id}/assign',
    kind: 'keyed',
    required: [
      'id'
    ],
    json: []
  },
  listComments: {
    method: 'GET',
    path: '/api/taskboard/todos/{id}/comments',
    kind: 'read',
    required: [
      'id'
    ],
    json: []
  },
  createComment: {
    method: 'POST',
    path: '/api/taskboard/todos/{id}/comments',
    kind: 'keyed',
    required: [
      'id',
      'text'
    ],
    json: []
  },
  listUsers: {
    method: 'GET',
    path: '/api/taskboard/users',
    kind: 'read',
    required: [],
    json: []
  },
  sendToRecruit: {
    method: 'POST',
    path: '/api/recruit/send-to-recruit',
    kind: 'lead',
    required: [
      'bearerToken',
      'clientId',
      'siteId',
      'environment',
      'firstName',
      'lastName'
    ],
    json: []
  },
  sendToLeadforms: {
    method: 'POST',
    path: '/api/scr/send-to-leadforms',
    kind: 'lead',
    required: [
      'first_name',
      'last_name'
    ],
    json: []
  },
  sendToLeadformsSandbox: {
    method: 'POST',
    path: '/api/scr-sandbox/send-to-leadforms',
    kind: 'lead',
    required: [
      'first_name',
      'last_name'
    ],
    json: []
  },
  listLeadformsSites: {
    method: 'GET',
    path: '/api/scr/sites',
    kind: 'read',
    required: [],
    json: []
  },
  sendPatient: {
    method: 'POST',
    path: '/api/screening/send-patient',
    kind: 'lead',
    required: [
      'study_id',
      'site_id',
      'first_name',
      'last_name'
    ],
    json: [
      'questions'
    ]
  },
  withPrescreen: {
    method: 'POST',
    path: '/api/clinicsys/with-prescreen',
    kind: 'lead',
    required: [
      'StudyID',
      'ReferrerID',
      'instanceName',
      'firstName',
      'lastName',
      'email'
    ],
    json: []
  },
  withPrescreenGetApiKey: {
    method: 'POST',
    path: '/api/clinicsys/with-prescreen/get-api-key',
    kind: 'keyed',
    required: [
      'instanceName'
    ],
    json: []
  },
  withPrescreenCheckEmail: {
    method: 'POST',
    path: '/api/clinicsys/with-prescreen/check-email',
    kind: 'keyed',
    required: [
      'instanceName',
      'email',
      'key'
    ],
    json: []
  },
  withPrescreenFormatData: {
    method: 'POST',
    path: '/api/clinicsys/with-prescreen/format-data',
    kind: 'keyed',
    required: [],
    json: []
  },
  withPrescreenSendToRt: {
    method: 'POST',
    path: '/api/clinicsys/with-prescreen/send-to-rt',
    kind: 'lead',
    required: [
      'StudyID',
      'ReferrerID',
      'instanceName',
      'firstName',
      'lastName',
      'key'
    ],
    json: []
  },
  withPrescreenSendComments: {
    method: 'POST',
    path: '/api/clinicsys/with-prescreen/send-comments',
    kind: 'lead',
    required: [
      'instanceName',
      'key',
      'rtResponse'
    ],
    json: [
      'rtResponse'
    ]
  },
  noPrescreen: {
    method: 'POST',
    path: '/api/clinicsys/no-prescreen',
    kind: 'lead',
    required: [
      'StudyID',
      'ReferrerID',
      'instanceName',
      'firstName',
      'lastName',
      'email'
    ],
    json: []
  },
  noPrescreenGetApiKey: {
    method: 'POST',
    path: '/api/clinicsys/no-prescreen/get-api-key',
    kind: 'keyed',
    required: [
      'instanceName'
    ],
    json: []
  },
  noPrescreenCheckEmail: {
    method: 'POST',
    path: '/api/clinicsys/no-prescreen/check-email',
    kind: 'keyed',
    required: [
      'instanceName',
      'email',
      'key'
    ],
    json: []
  },
  noPrescreenFormatData: {
    method: 'POST',
    path: '/api/clinicsys/no-prescreen/format-data',
    kind: 'keyed',
    required: [],
    json: []
  },
  noPrescreenSendToRt: {
    method: 'POST',
    path: '/api/clinicsys/no-prescreen/send-to-rt',
    kind: 'lead',
    required: [
      'StudyID',
      'ReferrerID',
      'instanceName',
      'firstName',
      'lastName',
      'key',
      'emailExists'
    ],
    json: []
  },
  noPrescreenSendComments: {
    method: 'POST',
    path: '/api/clinicsys/no-prescreen/send-comments',
    kind: 'lead',
    required: [
      'instanceName',
      'key',
      'rtResponse'
    ],
    json: [
      'rtResponse'
    ]
  },
  getSubjects: {
    method: 'POST',
    path: '/api/clinicsys/toolkit/get-subjects',
    kind: 'keyed',
    required: [
      'instanceName',
      'email'
    ],
    json: []
  },
  getPatientStatuses: {
    method: 'POST',
    path: '/api/clinicsys/toolkit/get-patient-statuses',
    kind: 'keyed',
    required: [
      'instanceName',
      'subjectID'
    ],
    json: []
  },
  listSites: {
    method: 'GET',
    path: '/api/clinicsys/toolkit/sites',
    kind: 'read',
    required: [
      'instanceName'
    ],
    json: []
  },
  listStudies: {
    method: 'GET',
    path: '/api/clinicsys/toolkit/studies',
    kind: 'read',
    required: [
      'instanceName'
    ],
    json: []
  },
  listInterviewQuestions: {
    method: 'GET',
    path: '/api/clinicsys/toolkit/interview-questions',
    kind: 'read',
    required: [
      'instanceName'
    ],
    json: []
  },
  listReferralSources: {
    method: 'GET',
    path: '/api/clinicsys/toolkit/referral-sources/{siteName}',
    kind: 'read',
    required: [
      'instanceName',
      'siteName'
    ],
    json: []
  },
  getSites: {
    method: 'POST',
    path: '/api/clinicsys/toolkit/get-sites',
    kind: 'keyed',
    required: [
      'instanceName'
    ],
    json: []
  },
  getStudies: {
    method: 'POST',
    path: '/api/clinicsys/toolkit/get-studies',
    kind: 'keyed',
    required: [
      'instanceName'
    ],
    json: []
  },
  getInterviewQuestions: {
    method: 'POST',
    path: '/api/clinicsys/toolkit/get-interview-questions',
    kind: 'keyed',
    required: [
      'instanceName'
    ],
    json: []
  },
  getReferralSources: {
    method: 'POST',
    path: '/api/clinicsys/toolkit/get-referral-sources',
    kind: 'keyed',
    required: [
      'instanceName',
      'siteName'
    ],
    json: []
  },
  countLeadsByDay: {
    method: 'GET',
    path: '/api/leads/history',
    kind: 'read',
    required: [],
    json: []
  },
  countLeads: {
    method: 'GET',
    path: '/api/leads/counts',
    kind: 'read',
    required: [],
    json: []
  },
  listLeads: {
    method: 'GET',
    path: '/api/leads',
    kind: 'read',
    required: [],
    json: []
  },
  getLead: {
    method: 'GET',
    path: '/api/leads/{leadId}',
    kind: 'read',
    required: [
      'leadId'
    ],
    json: []
  },
  getExchanges: {
    method: 'GET',
    path: '/api/leads/{leadId}/exchanges',
    kind: 'read',
    required: [
      'leadId'
    ],
    json: []
  },
  getEvents: {
    method: 'GET',
    path: '/api/leads/{leadId}/events',
    kind: 'read',
    required: [
      'leadId'
    ],
    json: []
  },
  sendEventsAgain: {
    method: 'POST',
    path: '/api/leads/{leadId}/events',
    kind: 'act',
    required: [
      'leadId'
    ],
    json: []
  },
  sendEventAgain: {
    method: 'POST',
    path: '/api/leads/{leadId}/events/{eventId}/resend',
    kind: 'act',
    required: [
      'leadId',
      'eventId'
    ],
    json: []
  },
  resendLead: {
    method: 'POST',
    path: '/api/leads/{leadId}/resend',
    kind: 'keyed',
    required: [
      'leadId',
      'reason'
    ],
    json: []
  },
  confirmLead: {
    method: 'POST',
    path: '/api/leads/{leadId}/confirm',
    kind: 'keyed',
    required: [
      'leadId',
      'reason',
      'upstreamId'
    ],
    json: []
  },
  discardLead: {
    method: 'POST',
    path: '/api/leads/{leadId}/discard',
    kind: 'keyed',
    required: [
      'leadId',
      'reason'
    ],
    json: []
  },
  tryLead: {
    method: 'POST',
    path: '/api/leads/{leadId}/try',
    kind: 'keyed',
    required: [
      'leadId',
      'reason'
    ],
    json: []
  },
  redriveLead: {
    method: 'POST',
    path: '/api/leads/{leadId}/redrive',
    kind: 'keyed',
    required: [
      'leadId',
      'reason'
    ],
    json: [
      'fields'
    ]
  },
  startRedrive: {
    method: 'POST',
    path: '/api/redrives',
    kind: 'keyed',
    required: [
      'filter',
      'reason'
    ],
    json: [
      'filter',
      'fields'
    ]
  },
  listRedrives: {
    method: 'GET',
    path: '/api/redrives',
    kind: 'read',
    required: [],
    json: []
  },
  getRedrive: {
    method: 'GET',
    path: '/api/redrives/{redriveId}',
    kind: 'read',
    required: [
      'redriveId'
    ],
    json: []
  },
  stopRedrive: {
    method: 'POST',
    path: '/api/redrives/{redriveId}/stop',
    kind: 'act',
    required: [
      'redriveId',
      'reason'
    ],
    json: []
  },
  startDecision: {
    method: 'POST',
    path: '/api/decisions',
    kind: 'keyed',
    required: [
      'filter',
      'verb',
      'reason'
    ],
    json: [
      'filter'
    ]
  },
  listDecisions: {
    method: 'GET',
    path: '/api/decisions',
    kind: 'read',
    required: [],
    json: []
  },
  getDecision: {
    method: 'GET',
    path: '/api/decisions/{decisionId}',
    kind: 'read',
    required: [
      'decisionId'
    ],
    json: []
  },
  stopDecision: {
    method: 'POST',
    path: '/api/decisions/{decisionId}/stop',
    kind: 'act',
    required: [
      'decisionId',
      'reason'
    ],
    json: []
  },
  startReconciliation: {
    method: 'POST',
    path: '/api/reconciliations',
    kind: 'keyed',
    required: [
      'since'
    ],
    json: [
      'flows'
    ]
  },
  listReconciliations: {
    method: 'GET',
    path: '/api/reconciliations',
    kind: 'read',
    required: [],
    json: []
  },
  getReconciliation: {
    method: 'GET',
    path: '/api/reconciliations/{reconciliationId}',
    kind: 'read',
    required: [
      'reconciliationId'
    ],
    json: []
  },
  stopReconciliation: {
    method: 'POST',
    path: '/api/reconciliations/{reconciliationId}/stop',
    kind: 'act',
    required: [
      'reconciliationId',
      'reason'
    ],
    json: []
  },
  applyReconciliation: {
    method: 'POST',
    path: '/api/reconciliations/{reconciliationId}/apply',
    kind: 'keyed',
    required: [
      'reconciliationId',
      'reason'
    ],
    json: []
  },
  listDeliveries: {
    method: 'GET',
    path: '/api/events',
    kind: 'read',
    required: [],
    json: []
  },
  startResend: {
    method: 'POST',
    path: '/api/events/resends',
    kind: 'keyed',
    required: [
      'filter',
      'reason'
    ],
    json: [
      'filter'
    ]
  },
  listResends: {
    method: 'GET',
    path: '/api/events/resends',
    kind: 'read',
    required: [],
    json: []
  },
  getResend: {
    method: 'GET',
    path: '/api/events/resends/{resendId}',
    kind: 'read',
    required: [
      'resendId'
    ],
    json: []
  },
  stopResend: {
    method: 'POST',
    path: '/api/events/resends/{resendId}/stop',
    kind: 'act',
    required: [
      'resendId',
      'reason'
    ],
    json: []
  },
  getTraffic: {
    method: 'GET',
    path: '/api/traffic',
    kind: 'read',
    required: [],
    json: []
  },
  listUpstreams: {
    method: 'GET',
    path: '/api/upstreams',
    kind: 'read',
    required: [],
    json: []
  },
  pauseUpstream: {
    method: 'POST',
    path: '/api/upstreams/pause',
    kind: 'keyed',
    required: [
      'upstream',
      'reason'
    ],
    json: []
  },
  resumeUpstream: {
    method: 'POST',
    path: '/api/upstreams/resume',
    kind: 'keyed',
    required: [
      'upstream',
      'reason'
    ],
    json: []
  }
};
