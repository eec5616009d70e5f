/** A process of the service that fails with an uncaught error: `crash.ts thrown|rejected <text>`. */
import { runProcess } from '../../src/runtime/process';

const [how, text] = process.argv.slice(2);
const failure = Object.assign(new Error(`cannot send ${text}`), { body: { email: text } });

runProcess(async () => {
  if (how === 'rejected') void Promise.reject(failure);
  else
    setTimeout(() => {
      throw failure;
    }, 1);
  return async () => undefined;
});
