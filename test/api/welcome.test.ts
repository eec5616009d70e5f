import { parseConfig } from '../../src/config/config';
import { upstreamsOf } from '../../src/config/upstreams';
import { welcome } from '../../src/api/welcome';

const at = { api: 'http://127.0.0.1:8080', namespace: 'leadgate' };
const welcomeWith = (settings: Record<string, string>, sandbox?: number) => {
  const config = parseConfig(settings);
  return welcome(config, upstreamsOf(config, sandbox), { ...at, sandbox });
};
const sample = "curl -s http://127.0.0.1:8080/api/clinicsys/no-prescreen -H 'Content-Type: application/json' ";

it('a start where the sandbox stands in for everything shows a lead that can be sent', () => {
  const said = welcomeWith({}, 8099);
  expect(said).toContain(`${sample}-d '{`);
  expect(said).toContain('http://127.0.0.1:8099');
});

it.each<[string, Record<string, string>, number | undefined]>([
  ['the key service is real', { KEY_SERVICE_URL: 'https://keys.example.com' }, 8099],
  ['V1 of one account is real', { CLINICSYS_V1_APPLY_URL_FUTURO: 'https://site-system.example.com/apply' }, 8099],
  ['V2 is real', { CLINICSYS_V2_URL: 'https://site-system.example.com' }, 8099],
  ['the sandbox is off', {}, undefined],
])('the sample lead is a dry run where %s', (_, settings, sandbox) =>
  expect(welcomeWith(settings, sandbox)).toContain(`${sample}-H 'X-Dry-Run: true' -d '{`),
);

it('the sample lead shows where the key goes if one is needed', () =>
  expect(welcomeWith({ GATEWAY_API_KEYS: 'clinic:a-key' }, 8099)).toContain(`${sample}-H 'x-gateway-key: YOUR-KEY' -d '{`));
