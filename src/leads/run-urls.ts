/** Builds the URLs of runs, their events and lists of runs in the Temporal UI. */
import type { Address } from '../domain/ids';

export type RunUrls = (run: Address) => string | undefined;

/** The URL of the list of runs that match a query. */
export type RunListUrl = (query: string) => string | undefined;

const workflowsUrl = (ui: string, namespace: string) => `${ui.replace(/\/+$/, '')}/namespaces/${encodeURIComponent(namespace)}/workflows`;

/** Returns no URLs if the URL of the Temporal UI is unknown. */
export const createRunUrls =
  (ui: string | undefined, namespace: string): RunUrls =>
  ({ workflowId, runId }) =>
    ui && `${workflowsUrl(ui, namespace)}/${encodeURIComponent(workflowId)}/${encodeURIComponent(runId)}/history`;

export const createRunListUrl =
  (ui: string | undefined, namespace: string): RunListUrl =>
  (query) =>
    ui && `${workflowsUrl(ui, namespace)}?query=${encodeURIComponent(query)}`;

export const eventUrl = (runUrl: string | undefined, eventId: string): string | undefined => runUrl && `${runUrl}/events/${eventId}`;
