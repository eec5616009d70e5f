/** A process that runs an engine until it is killed: `parent.ts <data dir> <port> <ui port> <executable>`. */
import { startEngine } from '../../src/engine/start';

const [dir = '', port, uiPort, executable] = process.argv.slice(2);
const config = { TEMPORAL_PORT: Number(port), TEMPORAL_UI_PORT: Number(uiPort), LEADGATE_DATA_DIR: dir };
startEngine(config, { executable }).then(
  () => process.stdout.write('ready\n'),
  (error: Error) => {
    process.stdout.write(`failed: ${error.message}\n`);
    process.exitCode = 1;
  },
);
