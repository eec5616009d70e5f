/** The route that lists the sites of the lead forms. */
import { forwardUrl, type Upstreams } from '../config/upstreams';
import { simulated } from './answer';
import type { Handlers } from './handler';

export const siteHandlers = (upstreams: Upstreams) =>
  ({
    /** A header tells if they are the sandbox's demonstration sites. */
    async listLeadformsSites({ response }) {
      const address = forwardUrl('leadforms', {});
      const known = upstreams.sites(address)?.all ?? [];
      if (known.length > 0 && upstreams.find(address)?.sandbox) response.set(simulated);
      const sites = known.map(({ slug, name, key, form_code, account_id, location_id, source_url }) => {
        return { slug, name, key: key === undefined ? 'unset' : 'set', form_code, account_id, location_id, source_url };
      });
      return { status: 200, body: { success: true, count: sites.length, sites } };
    },
  }) satisfies Partial<Handlers>;
