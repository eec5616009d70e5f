import { slugOf } from '../../src/domain/formats';
import * as fc from 'fast-check';
import { leadforms, leadformsPayload, slugsOf, type Site } from '../../src/domain/leadforms';

const site: Site = {
  slug: 'skin-care-boca-raton',
  name: 'Skin Care - Boca Raton',
  form_code: 'F1',
  account_id: 1001,
  location_id: 'L1',
  source_url: 'https://boca.example.org',
};
const setup = { campaignTemplate: '{sponsor} - {location}', keyInBody: true };
const payloadOf = (body: Record<string, unknown>, more = {}) => leadformsPayload({ ...setup, body, ...more });

describe('the lead form', () => {
  it('is filled from the site, and the key stays concealed', () => {
    const { payload, origins } = payloadOf(
      { site: 'Skin Care - Boca Raton', first_name: 'Ann', sponsor: 'Acme', protocol: 'P1' },
      { site },
    );
    expect(payload).toEqual({
      key: '[secret]',
      form_code: 'F1',
      account_id: 1001,
      location_id: 'L1',
      source_url: 'https://boca.example.org',
      campaign_name: 'Acme - Skin Care - Boca Raton',
      first_name: 'Ann',
    });
    expect(origins).toEqual({
      key: 'site configuration',
      form_code: 'site configuration',
      account_id: 'site configuration',
      location_id: 'site configuration',
      source_url: 'site configuration',
      campaign_name: 'rule',
      first_name: 'caller',
    });
  });

  it('takes the caller’s value first', () => {
    const own = {
      key: 'own',
      form_code: 'F9',
      account_id: 9,
      location_id: 'L9',
      source_url: 'https://x.example.org',
      campaign_name: 'Mine',
    };
    const { payload, origins } = payloadOf({ ...own, sponsor: 'Acme', protocol: 'P', location: 'Boca' }, { site });
    expect(payload).toEqual({ ...own, key: '[secret]' });
    expect(new Set(Object.values(origins))).toEqual(new Set(['caller']));
  });

  it.each([
    ['the site found', { sponsor: 'Acme', protocol: 'P', location: 'skin-care-boca-raton' }, { site }, 'Acme - Skin Care - Boca Raton'],
    ['the text of the location', { sponsor: 'Acme', protocol: 'P', location: 'Miami' }, {}, 'Acme - Miami'],
    ['the text of the site', { sponsor: 'Acme', protocol: 'P', site: 'Miami' }, {}, 'Acme - Miami'],
    ['nothing, without a protocol', { sponsor: 'Acme', location: 'Miami' }, {}, undefined],
    ['nothing, without a place', { sponsor: 'Acme', protocol: 'P' }, {}, undefined],
    [
      'a template',
      { sponsor: '{location}', protocol: '$1', location: 'M' },
      { campaignTemplate: '{protocol}/{sponsor}/{location}' },
      '$1/{location}/M',
    ],
  ])('builds the campaign name from %s', (_, body, more, expected) => expect(payloadOf(body, more).payload.campaign_name).toBe(expected));

  it('has no key where that goes into the header', () =>
    expect(payloadOf({ key: 'own' }, { site, keyInBody: false }).payload).not.toHaveProperty('key'));

  it('keeps the questions in order, an unpaired one too', () =>
    expect(
      Object.keys(payloadOf({ answer_2: 'b', question_15: 'z', question_1: 'a', answer_1: 'a' }, { keyInBody: false }).payload),
    ).toEqual(['question_1', 'answer_1', 'answer_2', 'question_15']));
});

describe('a slug', () => {
  it.each([
    ['Skin Care - Boca Raton', 'skin-care-boca-raton'],
    ['Skin & Beauty Center', 'skin-beauty-center'],
    ['  First  OC – Dermatology_Research! ', 'first-oc-dermatology-research'],
    ['!!!', ''],
  ])('of %s is %s', (name, slug) => expect(slugOf(name)).toBe(slug));

  it('finds a site with an ampersand under both readings', () =>
    expect(slugsOf({ slug: 'skin-beauty-center', name: 'Skin & Beauty Center' })).toEqual([
      'skin-beauty-center',
      'skin-and-beauty-center',
    ]));

  it('of a slug is the slug, for any Unicode', () =>
    fc.assert(fc.property(fc.string({ unit: 'grapheme' }), (name) => expect(slugOf(slugOf(name))).toBe(slugOf(name)))));
});

describe('an answer of the lead forms', () => {
  it.each([
    { success: true, submission_id: 'sub_1' },
    { submission_id: 'sub_1' },
    { success: true, errors: {} },
    { success: true, errors: { phone_number: ['normalised'] } },
    { success: true, error: 'none' },
  ])('is accepted: %j', (body) => expect(leadforms.read(body)).toEqual({ accepted: { response: body } }));
  it.each([{ success: false }, { success: false, errors: { email: ['is invalid'] } }])('is a refusal: %j', (body) =>
    expect(leadforms.read(body)).toEqual({ refused: true }),
  );
  it.each([{ success: 'False', submission_id: 'sub_1' }, { success: 0 }, { errors: { email: ['is invalid'] } }, [], 'ok', null, true])(
    'is nothing that we know: %j',
    (body) => expect(leadforms.read(body)).toBeUndefined(),
  );
});
