import { callbackProblem } from '../../src/config/callback-url';

const EVENTS_HOSTS = ['hooks.example', 'tools.example:8443', 'other.example:443', '127.0.0.1'];

describe('a URL for the events of a lead', () => {
  it.each([
    'https://hooks.example/in?token=1',
    'https://HOOKS.example:9443',
    'https://tools.example:8443/in',
    'https://other.example/in',
    'http://127.0.0.1:5678/webhook',
  ])('may be %s', (url) => expect(callbackProblem(url, { EVENTS_HOSTS })).toBeUndefined());

  it.each([
    ['http://hooks.example/in', 'must begin with https://'],
    ['https://tools.example/in', 'must be of a host in EVENTS_HOSTS'],
    ['https://hooks.example.evil.example/in', 'must be of a host in EVENTS_HOSTS'],
    ['https://hooks.example./in', 'must be of a host in EVENTS_HOSTS'],
    ['https://evil.example/hooks.example', 'must be of a host in EVENTS_HOSTS'],
    ['https://hooks.example@evil.example/', 'must not hold a user or a password'],
    ['https://ann:word@hooks.example/', 'must not hold a user or a password'],
    ['javascript:alert(1)', 'must begin with https://'],
    ['/in', 'must be a whole URL'],
    ['http:127.0.0.1/in', 'must be a whole URL'],
    ['https:///hooks.example', 'must be a whole URL'],
    ['https://hooks.example/\tin', 'must be a whole URL'],
    ['https://hooks.example/caf\u00e9', 'must be a whole URL'],
    [`https://hooks.example/${'x'.repeat(2_048)}`, 'must have at most 2048 characters'],
  ])('is refused as %s', (url, problem) => expect(callbackProblem(url, { EVENTS_HOSTS })).toBe(problem));

  it('is none where no host is allowed', () =>
    expect(callbackProblem('https://hooks.example/', { EVENTS_HOSTS: undefined })).toBe(
      'is not taken: EVENTS_HOSTS is not set on the server',
    ));
});
