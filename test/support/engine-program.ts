/** Writes a program that starts the engine with more settings. */
import { writeFileSync } from 'node:fs';

/** The index lags up to a third of a second behind the runs. */
export const lateIndex = { 'history.visibilityProcessorMaxPollRPS': 3 };

/** A run counts as stuck after its second failed task. The default is the fifth, and the pauses between them grow. */
export const soonStuck = { 'system.numConsecutiveWorkflowTaskProblemsToTriggerSearchAttribute': 2 };

/** The engine uses the last value of a setting. */
export function engineProgram(executable: string, file: string, settings: Readonly<Record<string, number>>): string {
  const flags = Object.entries(settings).map(([name, value]) => `--dynamic-config-value ${name}=${value}`);
  const script = `#!/bin/sh
case "$*" in
  *--help*|*--version*) exec '${executable}' "$@" ;;
  *) exec '${executable}' "$@" ${flags.join(' ')} ;;
esac
`;
  writeFileSync(file, script, { mode: 0o700 });
  return file;
}
