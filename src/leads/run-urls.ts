/** Addresses of runs and of their events in the Temporal UI. */
import type { Address } from '../domain/ids';

export type RunUrls = (run: Address) => string | undefined;

/** Without the address of the UI there are no others. */
export const createRunUrls =
  (ui: string | undefined, namespace: string): RunUrls =>
  ({ workflowId, runId }) => {
    const [name, id, run] = [namespace, workflowId, runId].map(encodeURIComponent);
    return ui && `${ui.replace(/\/+$/, '')}/namespaces/${name}/workflows/${id}/${run}/history`;
  };

export const eventUrl = (runUrl: string | undefined, eventId: string): string | undefined => runUrl && `${runUrl}/events/${eventId}`;
