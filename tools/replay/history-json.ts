/** Reads and writes a history in the JSON of Temporal's own tools. */
import { temporal } from '@temporalio/proto';
import { Type } from 'protobufjs/light';
import { fromJson, toJson } from 'protobufjs/ext/protojson';

const { History } = temporal.api.history.v1;

export type History = temporal.api.history.v1.IHistory;

/** Its declaration hides that it is a type of protobufjs. It is one of ours only while npm lays a single copy of that package. */
function historyType(): Type {
  const type: unknown = History;
  if (type instanceof Type) return type;
  throw new Error('@temporalio/proto has another protobufjs than this project');
}

/** Fields that this version does not know are left out. Throws if an event that a replay needs is of no known type. */
export function historyFromJson(json: unknown): History {
  const history = History.fromObject(fromJson(historyType(), json, { ignoreUnknownFields: true }));
  const unknown = history.events.find(({ eventType, workerMayIgnore }) => !eventType && !workerMayIgnore);
  if (unknown) throw new TypeError(`Event ${String(unknown.eventId)} is of no known type`);
  return history;
}

export const historyToJson = (history: History): unknown => toJson(historyType(), History.fromObject(history));
