/** What a process has one of, for its API and its worker alike. */
import { Client } from '@temporalio/client';
import { createAdmission, type Admission } from './api/admission';
import type { Trail } from './audit/trail';
import type { Config } from './config';
import type { KeyRing } from './keys';
import { createSearch, type Search } from './leads/search';
import { dataConverter, type Engine } from './temporal';

export interface Local {
  readonly trail: Trail;
  /** A rate counts each start of a lead once, whichever way it comes. */
  readonly admission: Admission;
  /** What the worker has started stands in the API's next list. */
  readonly search: Search;
}

export function createLocal(config: Config, { connection, namespace }: Engine, keys: KeyRing, trail: Trail): Local {
  const client = new Client({ connection, namespace, dataConverter: dataConverter(keys) });
  return { trail, admission: createAdmission(client, config), search: createSearch(client) };
}
