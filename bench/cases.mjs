/**
 * Declares the requests of the benchmarks, the systems that support them, and checks of the answers. `base` is the URL of the measured
 * system, `sandbox` that of the simulators.
 */
let people = 0;
const person = () => ({ firstName: 'Ann', lastName: 'Lee', email: `bench-${process.pid}-${++people}@example.org`, phone: '555-201-3344' });
const siteLead = () => ({
  instanceName: 'erg-oct',
  StudyID: 12,
  ReferrerID: 7,
  ...person(),
  dob: '1980-03-05',
  sex: 'F',
  condition: 'Eczema',
  protocol: 'AD-301',
});
const answers = Object.fromEntries(Array.from({ length: 15 }, (_, at) => [`q${101 + at}`, at % 2 ? 'Yes' : 'No']));
const snake = () => {
  const { firstName: first_name, lastName: last_name, email, phone: phone_number } = person();
  return { first_name, last_name, email, phone_number };
};

let keys = 0;
const withKey = (one) => ({
  ...one,
  name: `${one.name}, with a key`,
  by: [],
  request: (target) => ({ ...one.request(target), headers: { 'idempotency-key': `bench-${process.pid}-${++keys}` } }),
});

const post =
  (path, body) =>
  ({ base }) => ({ url: base + path, method: 'POST', body: body() });

export const noPrescreen = {
  name: 'no-prescreen',
  request: post('/api/clinicsys/no-prescreen', siteLead),
  right: (body) => body.rtV2Response?.data?.subjectId > 0,
};

const boardQuery =
  'query ($c: String!) { projectList(filter: {companyIds: [$c]}, sort: [name_ASC], skip: 0, take: 100) { items { id uid name description createdAt updatedAt } pageInfo { hasNextPage } totalCount } }';

const recruit = {
  name: 'recruit',
  request: post('/api/recruit/send-to-recruit', () => ({
    bearerToken: 'bench',
    clientId: '1',
    siteId: '1263',
    environment: 'us',
    ...person(),
  })),
  right: (body) => body.success === true,
};

/** `by` names the other systems that support a case; the service supports all. */
export const cases = [
  { ...noPrescreen, by: ['plain', 'untuned', 'guarded', 'bare', 'empty'] },
  {
    name: 'with-prescreen, 15 questions',
    by: ['plain', 'untuned'],
    request: post('/api/clinicsys/with-prescreen', () => ({ ...siteLead(), ...answers })),
    right: (body) => body.rtResponse?.status === 0,
  },
  recruit,
  withKey(noPrescreen),
  withKey(recruit),
  {
    name: 'lead forms',
    request: post('/api/scr/send-to-leadforms', () => ({ site: 'Skin Care - Hollywood', ...snake() })),
    right: (body) => body.success === true,
  },
  {
    name: 'screening',
    request: post('/api/screening/send-patient', () => ({ study_id: 1, site_id: 2, ...snake() })),
    right: (body) => body.success === true,
  },
  {
    name: 'task-board read',
    request: ({ base }) => ({ url: `${base}/api/taskboard/projects` }),
    right: (body) => body.count > 0,
  },
  {
    name: 'task-board comment',
    request: post('/api/taskboard/todos/todo-call-the-site/comments', () => ({ text: `Called ${++people}` })),
    right: (body) => body.success === true,
  },
  {
    name: 'the same read, directly from the upstream',
    request: ({ sandbox }) => ({
      url: `${sandbox}/taskboard/graphql`,
      method: 'POST',
      headers: {
        'x-bloo-token-id': 'sandbox-token',
        'x-bloo-token-secret': 'sandbox-token-secret',
        'x-bloo-company-id': 'sandbox-company',
      },
      body: { query: boardQuery, variables: { c: 'sandbox-company' } },
    }),
    right: (body) => body.data?.projectList?.items?.length > 0,
  },
];
