/**
 * Reports the commands that workflow code issues, so that a replay can compare them with the history. Only the bundle for replays contains
 * this interceptor: `bundle` of scripts/bootstrap.mjs.
 */
import { proxySinks, type ConcludeActivationInput, type WorkflowInterceptors } from '@temporalio/workflow';
import { isObject } from '../domain/formats';
import type { IssuedCommand, ReplaySinks } from '../domain/replay-sinks';

const { replay } = proxySinks<ReplaySinks>();

/** A command has one field, named by its kind, and its summary in another. */
const issuedBy = (command: ConcludeActivationInput['commands'][number]): IssuedCommand[] =>
  Object.entries(command).flatMap(([kind, of]: [string, unknown]) =>
    kind === 'userMetadata' || !isObject(of) ? [] : [{ kind, ...nameIn(of), ...(typeof of.seq === 'number' && { seq: of.seq }) }],
  );

function nameIn({ activityType, workflowType }: Readonly<Record<string, unknown>>): Pick<IssuedCommand, 'name'> {
  const name = activityType || workflowType;
  return typeof name === 'string' ? { name } : {};
}

export const interceptors = (): WorkflowInterceptors => ({
  internals: [
    {
      activate(input, next) {
        replay.started();
        next(input);
      },
      concludeActivation(input, next) {
        replay.issued(input.commands.flatMap(issuedBy));
        return next(input);
      },
    },
  ],
});
