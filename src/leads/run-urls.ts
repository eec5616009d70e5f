/** Addresses of runs, of their events and of lists of runs in the Temporal UI. */
import type { Address } from '../domain/ids';

export type RunUrls = (run: Address) => string | undefined;

/** The list of the runs that a query finds. */
export type RunListUrl = (query: string) => string | undefined;

const workflowsUrl = (ui: string, namespace: string) => `${ui.replace(/\/+$/, '')}/namespaces/${encodeURIComponent(namespace)}/workflows`;

/** Without the address of the UI there are no others. */
export const createRunUrls =
  (ui: string | undefined, namespace: string): RunUrls =>
  ({ workflowId, runId }) =>
    ui && `${workflowsUrl(ui, namespace)}/${encodeURIComponent(workflowId)}/${encodeURIComponent(runId)}/history`;

export const createRunListUrl =
  (ui: string | undefined, namespace: string): RunListUrl =>
  (query) =>
    ui && `${workflowsUrl(ui, namespace)}?query=${encodeURIComponent(query)}`;

export const eventUrl = (runUrl: string | undefined, eventId: string): string | undefined => runUrl && `${runUrl}/events/${eventId}`;
