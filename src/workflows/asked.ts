/**
 * A workflow interceptor that tells a replay what the code asks for: the engine only reports that it differs, not how. A run that starts
 * on a worker tells nothing, and so costs nothing more.
 */
import { proxySinks, workflowInfo, type ConcludeActivationInput, type WorkflowInterceptors } from '@temporalio/workflow';
import { isObject } from '../domain/formats';
import type { Asked, ReplaySinks } from '../domain/replay-sinks';

const { replay } = proxySinks<ReplaySinks>();

const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);

const askedBy = (command: ConcludeActivationInput['commands'][number]): Asked[] =>
  Object.entries(command).flatMap(([kind, of]) =>
    kind !== 'userMetadata' && isObject(of)
      ? [{ kind, name: text(of.activityType) ?? text(of.workflowType), seq: typeof of.seq === 'number' ? of.seq : undefined }]
      : [],
  );

export const interceptors = (): WorkflowInterceptors =>
  workflowInfo().unsafe.isReplaying
    ? {
        internals: [
          {
            concludeActivation(input, next) {
              replay.asked(input.commands.flatMap(askedBy));
              return next(input);
            },
          },
        ],
      }
    : {};
