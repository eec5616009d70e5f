import { parseConfig } from '../../src/config/config';
import { upstreamsOf } from '../../src/config/upstreams';
import { endpoints } from '../../src/contract';
import { createPreparation } from '../../src/intake/intake';

function ready(settings: Record<string, string>, body: Record<string, unknown> = endpoints.sendToLeadforms.example) {
  const config = parseConfig(settings);
  return createPreparation(config, upstreamsOf(config)).ready(endpoints.sendToLeadforms, body);
}

describe('a lead form', () => {
  it.each([
    ['all of them', {}, 'LEADFORMS_URL, LEADFORMS_SITES_FILE'],
    ['the sites', { LEADFORMS_URL: 'http://127.0.0.1:9' }, 'LEADFORMS_SITES_FILE'],
  ])('names the settings that are missing: %s', (_, settings, missing) =>
    expect(() => ready(settings)).toThrow(expect.objectContaining({ code: 'CONFIG_ERROR', message: `Not set on the server: ${missing}` })),
  );

  it('needs no sites if the caller gives what they hold', () => {
    const given = { key: 'k', form_code: 'F1', account_id: 1, location_id: 'L1', source_url: 'https://a.example.org' };
    expect(() => ready({}, { ...endpoints.sendToLeadforms.example, ...given })).toThrow('Not set on the server: LEADFORMS_URL');
  });
});
