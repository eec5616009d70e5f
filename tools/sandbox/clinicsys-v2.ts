/** Simulates V2: subjects, comments and reports. Each call needs a key and the name of the key's instance. */
import { sandboxPaths } from '../../src/config/sandbox-urls';
import { filled, jsonObject, type Copies, type SimulatedAnswer, type SimulatedCall, type SimulatedRequest } from './call';
import type { ClinicsysStore, SimulatedInstance } from './clinicsys-store';
import {
  addComment,
  emailOf,
  errorBody,
  failure,
  list,
  listReferrers,
  lookUp,
  ofSite,
  readComments,
  reportStatuses,
  unauthorized,
} from './clinicsys-v2-answers';

const base = `${sandboxPaths.CLINICSYS_V2_URL}/api/v2`;

type V2Call = {
  name: string;
  method: SimulatedCall['method'];
  path: string;
  about: string;
  readsSentinelsFrom?: string;
  sentinelTexts?(request: SimulatedRequest, instance: SimulatedInstance | undefined): string[];
  answer(instance: SimulatedInstance, request: SimulatedRequest, copies: Copies): SimulatedAnswer;
};

/** The calls of V2. Each reads sentinels from `instanceName`; `sentinelTexts` adds more texts. */
const rows: V2Call[] = [
  {
    name: 'lookup',
    method: 'get',
    path: '/subjects',
    about: 'looks up subjects by e-mail',
    readsSentinelsFrom: '`email`',
    sentinelTexts: ({ query }) => [query.get('email') ?? ''],
    answer: lookUp,
  },
  {
    name: 'comment',
    method: 'post',
    path: '/subjects/:id/comments',
    about: 'adds a comment to a subject',
    readsSentinelsFrom: "`comment`, the subject's e-mail",
    sentinelTexts: (request, instance) => [filled(jsonObject(request.text)?.comment) ?? '', emailOf(instance, request.params.id)],
    answer: addComment,
  },
  {
    name: 'readback',
    method: 'get',
    path: '/subjects/:id/comments',
    about: "lists a subject's comments",
    readsSentinelsFrom: "the subject's e-mail",
    sentinelTexts: ({ params }, instance) => [emailOf(instance, params.id)],
    answer: readComments,
  },
  {
    name: 'statuses',
    method: 'get',
    path: '/reports/patient-statuses',
    about: "reports a subject's statuses",
    readsSentinelsFrom: "the subject's e-mail",
    sentinelTexts: ({ query }, instance) => [emailOf(instance, query.get('subjectID'))],
    answer: reportStatuses,
  },
  { name: 'sites', method: 'get', path: '/sites', about: 'lists sites', answer: ({ sites }, request) => list(ofSite(sites, request)) },
  {
    name: 'studies',
    method: 'get',
    path: '/studies',
    about: 'lists studies',
    answer: ({ studies }, request) => list(ofSite(studies, request)),
  },
  {
    name: 'questions',
    method: 'get',
    path: '/interview-questions',
    about: 'lists interview questions',
    answer: ({ questions }, request) => list(ofSite(questions, request)),
  },
  {
    name: 'referrers',
    method: 'get',
    path: '/sites/:siteName/referral-sources',
    about: "lists a site's referral sources",
    answer: listReferrers,
  },
];

export function v2Calls(store: ClinicsysStore): SimulatedCall[] {
  const instanceOf = (request: SimulatedRequest) => store.grantOf(request.bearer)?.instance;
  return rows.map(({ sentinelTexts, readsSentinelsFrom, answer, path, ...row }) => ({
    ...row,
    path: `${base}${path}`,
    readsSentinelsFrom: [readsSentinelsFrom, '`instanceName`'].filter(Boolean).join(', '),
    sentinelTexts: (request) => [...(sentinelTexts?.(request, instanceOf(request)) ?? []), request.query.get('instanceName') ?? ''],
    answer: (request, copies) => answerIfAllowed(store, request, copies, answer),
    errorBody,
    revoked: (request) => {
      store.revoke(request.bearer);
      return unauthorized();
    },
    essential: ['data'],
  }));
}

function answerIfAllowed(store: ClinicsysStore, request: SimulatedRequest, copies: Copies, answer: V2Call['answer']): SimulatedAnswer {
  const instanceName = request.query.get('instanceName');
  if (!instanceName) return failure(422, 'instanceName is required');
  const grant = store.grantOf(request.bearer);
  return grant?.instanceName === instanceName ? answer(grant.instance, request, copies) : unauthorized();
}
