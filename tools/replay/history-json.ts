/** Reads and writes a history in the JSON format of Temporal's tools. */
import { temporal } from '@temporalio/proto';
import { Type } from 'protobufjs/light';
import { fromJson, toJson } from 'protobufjs/ext/protojson';

const { History } = temporal.api.history.v1;

export type History = temporal.api.history.v1.IHistory;

/** Returns the protobufjs type, which its declaration hides. The check fails if npm installs a second copy of protobufjs. */
function historyType(): Type {
  const type: unknown = History;
  if (type instanceof Type) return type;
  throw new Error('@temporalio/proto uses another copy of protobufjs than this project: run npm dedupe');
}

/** Ignores unknown fields. Throws if an event that a replay needs has an unknown type. */
export function historyFromJson(json: unknown): History {
  const history = History.fromObject(fromJson(historyType(), json, { ignoreUnknownFields: true }));
  const unknown = history.events.find(({ eventType, workerMayIgnore }) => !eventType && !workerMayIgnore);
  if (unknown) throw new TypeError(`Event ${String(unknown.eventId)} has an unknown type`);
  return history;
}

export const historyToJson = (history: History): unknown => toJson(historyType(), History.fromObject(history));
