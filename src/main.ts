/** Entry of `npm start`: runs the API and a worker in this process. By the settings, it also starts the embedded engine and the sandbox. */
import { serveApi } from './api/serve';
import { welcome } from './api/welcome';
import { startTrail } from './audit/start';
import { scheduleCopies } from './backup/schedule';
import { isEmbedded } from './config/config';
import { sandboxPort, upstreamsOf } from './config/upstreams';
import { startEmbedded } from './engine/embedded';
import { prepareNamespace } from './temporal/namespace';
import { assertPortsFree } from './config/ports';
import { payloadReader } from './domain/payload-reader';
import { loadKeyRing } from './keys/ring';
import { forgetErasedPersons } from './runtime/erased-evidence';
import { assertKeysFit } from './runtime/key-use';
import { runProcess, type Stop } from './runtime/process';
import { createShared, withWorker } from './runtime/shared';
import { startWorker } from './runtime/worker';
import { startSandbox } from '../tools/sandbox/start';
import { watchClock } from './temporal/clock';
import { connect, searchAttributes } from './temporal/engine';
import { createPages } from '../tools/reference/pages';

runProcess(async (config) => {
  const stops: Stop[] = [];
  const stop = async () => {
    for (const each of stops.reverse()) await each();
  };
  try {
    const keys = loadKeyRing(config);
    const trail = await startTrail(config, keys);
    stops.push(trail.close);
    const simulated = sandboxPort(config, 'on');
    // Ports are checked before anything starts, so that a port in use leaves nothing half-started.
    const sandbox = simulated === undefined ? [] : [{ setting: 'SANDBOX_PORT', port: simulated }];
    const ports = [{ setting: 'PORT', port: config.PORT, host: config.HOST }, ...sandbox];
    const embedded = isEmbedded(config)
      ? await startEmbedded(config, keys, trail, { ports, reader: payloadReader })
      : await assertPortsFree(ports);
    if (embedded) stops.push(embedded.stop, scheduleCopies(config, keys));
    if (simulated !== undefined) stops.push((await startSandbox(config)).close);
    const engine = await connect(config);
    stops.push(() => engine.connection.close());
    if (!embedded)
      await prepareNamespace(engine.connection, { namespace: engine.namespace, retentionH: config.RETENTION_H, searchAttributes });
    await assertKeysFit(engine, keys, config.TASK_QUEUE);
    const upstreams = upstreamsOf(config, simulated);
    const shared = withWorker(createShared(config, engine, keys, trail));
    stops.push(await startWorker(config, engine, keys, upstreams, shared));
    stops.push(forgetErasedPersons(config, engine, keys, shared));
    const api = await serveApi(
      { ...config, TEMPORAL_UI_URL: config.TEMPORAL_UI_URL ?? embedded?.uiUrl },
      engine,
      keys,
      upstreams,
      shared,
      createPages(config),
    );
    stops.push(api.stop, watchClock(engine, config.TASK_QUEUE));

    const running = { api: api.url, temporalUi: embedded?.uiUrl, namespace: engine.namespace, sandbox: simulated };
    process.stdout.write(welcome(config, upstreams, running));
    return stop;
  } catch (error) {
    await stop();
    throw error;
  }
});
