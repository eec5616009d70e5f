/** Provides the pages that the API serves from `tools/`: the reference and the console. */
import { join } from 'node:path';
import type { Pages, Reference } from '../../src/api/pages';
import type { Config } from '../../src/config/config';
import { version } from '../../src/config/version';
import { baseOf, createDocs } from './docs';
import { signInPage } from './docs-frame';
import { openApi } from './openapi';

export function createPages({ GATEWAY_API_KEYS, OIDC_ISSUER }: Pick<Config, 'GATEWAY_API_KEYS' | 'OIDC_ISSUER'>): Pages {
  let written: Reference | undefined;
  function write(): Reference {
    const document = openApi(version);
    const { page, search } = createDocs(document, Boolean(GATEWAY_API_KEYS ?? OIDC_ISSUER));
    return { document, search, page: (slug, { protocol, headers }) => page(slug, baseOf(protocol, headers.host)) };
  }
  return { files: join(__dirname, '../console'), signIn: signInPage, reference: () => (written ??= write()) };
}
