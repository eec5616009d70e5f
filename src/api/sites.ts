/** Handles the route that lists the sites of the lead forms. */
import { forwardUrl, type Upstreams } from '../config/upstreams';
import { sandboxHeader } from './answer';
import type { Handlers } from './handler';

export const siteHandlers = (upstreams: Upstreams) =>
  ({
    /** A header reports that they are the demonstration sites of the sandbox. */
    async listLeadformsSites({ response }) {
      const address = forwardUrl('leadforms', {});
      const known = upstreams.sites(address)?.all ?? [];
      if (known.length > 0 && upstreams.find(address)?.sandbox) response.set(sandboxHeader);
      const sites = known.map(({ slug, name, key, form_code, account_id, location_id, source_url }) => {
        return { slug, name, key: key === undefined ? 'unset' : 'set', form_code, account_id, location_id, source_url };
      });
      return { status: 200, body: { success: true, count: sites.length, sites } };
    },
  }) satisfies Partial<Handlers>;
