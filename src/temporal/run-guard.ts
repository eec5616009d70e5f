/**
 * Ends the process if the code of a young run does not end. Node's own limit on a call starts a thread for each call, which costs a tenth
 * of a lead's CPU time; this is one thread for all calls. It can end nothing smaller than the process, so it guards a run's first seconds
 * alone. When the engine gives the task out again, the run is older, and Node's limit fails its task (docs/decisions/0013).
 */
import type { WorkflowCreateOptions } from '@temporalio/worker/lib/workflow/interface';
import { Worker } from 'node:worker_threads';

type RunInfo = WorkflowCreateOptions['info'];

/** A task is given out again after ten seconds at the earliest. */
const youngMs = 3_000;
/** A worker whose clock is behind the engine's would otherwise take an old run for a young one. */
const clocksDifferMs = 1_000;
const looks = 10;
/** The most characters of an id or a type in the log line; JSON takes up to six bytes for each. */
const nameMost = 200;
const nameMostBytes = 2 * 6 * nameMost + 100;

export function isYoung({ startTime }: RunInfo): boolean {
  const ageMs = Date.now() - startTime.getTime();
  return ageMs > -clocksDifferMs && ageMs < youngMs;
}

export const endless = 'the code of a run does not end, so the process ends';

/** `calls` is odd during a call. The main thread is busy then, so the log line is written from here. */
const thread = `
const { workerData: { calls, name, everyMs } } = require('node:worker_threads');
let last = 0;
let same = 0;
setInterval(() => {
  const call = Atomics.load(calls, 0);
  same = (call & 1) === 1 && call === last ? same + 1 : 0;
  last = call;
  if (same < ${looks}) return;
  try {
    const run = JSON.parse(Buffer.from(name.slice(0, Atomics.load(calls, 1))).toString());
    const line = JSON.stringify({ time: new Date().toISOString(), level: 'error', message: '${endless}', ...run });
    require('node:fs').writeSync(1, line + '\\n');
  } finally {
    process.kill(process.pid, 'SIGKILL');
  }
}, everyMs);
`;

export class RunGuard {
  private readonly calls = new Int32Array(new SharedArrayBuffer(8));
  private readonly name = new Uint8Array(new SharedArrayBuffer(nameMostBytes));
  private readonly thread: Worker;

  /** The process ends when a call has taken twice the limit, so that a busy machine is not taken for an endless call. */
  constructor(limitMs: number) {
    const everyMs = (2 * limitMs) / looks;
    const { calls, name } = this;
    this.thread = new Worker(thread, { eval: true, workerData: { calls, name, everyMs } });
    this.thread.unref();
  }

  /** Guards the calls of this run. */
  of({ workflowId, workflowType }: RunInfo): <T>(call: () => T) => T {
    const short = (text: string) => text.slice(0, nameMost);
    const told = Buffer.from(JSON.stringify({ workflowId: short(workflowId), workflowType: short(workflowType) }));
    return (call) => {
      this.name.set(told);
      Atomics.store(this.calls, 1, told.length);
      Atomics.add(this.calls, 0, 1);
      try {
        return call();
      } finally {
        Atomics.add(this.calls, 0, 1);
      }
    };
  }

  async end(): Promise<void> {
    await this.thread.terminate();
  }
}
