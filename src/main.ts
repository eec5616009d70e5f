/** Entry of `npm start`: the engine, the sandbox, a worker and the API on one machine. */
import { serveApi } from './api/serve';
import { startCarrier } from './carrier';
import { endpoints } from './contract';
import { startEmbedded } from './engine/embedded';
import { loadKeyRing } from './keys';
import { log } from './log';
import { runPart, type Stop } from './part';
import { startSandbox } from './sandbox/start';
import { connect, isEmbedded } from './temporal';
import { sandboxPort, upstreamsOf } from './upstreams';

const sampleLead = JSON.stringify(endpoints.noPrescreen.example);

runPart(async (config) => {
  const stops: Stop[] = [];
  const stop = async () => {
    for (const each of stops.reverse()) await each();
  };
  try {
    const keys = loadKeyRing(config);
    const simulated = sandboxPort(config, 'on');
    if (simulated !== undefined) stops.push((await startSandbox(config)).close);
    const embedded = isEmbedded(config) ? await startEmbedded(config, keys) : undefined;
    if (embedded) stops.push(embedded.stop);
    const engine = await connect(config);
    stops.push(() => engine.connection.close());
    const upstreams = upstreamsOf(config, simulated);
    stops.push(await startCarrier(config, engine, keys, upstreams));
    const api = await serveApi(config, engine, keys, upstreams);
    stops.push(api.stop);

    log.info('Leadgate is ready', {
      api: api.url,
      docs: `${api.url}/docs`,
      temporalUi: embedded?.uiUrl,
      sandbox: simulated === undefined ? undefined : `http://127.0.0.1:${simulated}`,
    });
    log.info(
      `Send a sample lead:\n\n  curl -s ${api.url}${endpoints.noPrescreen.path} -H 'Content-Type: application/json' -d '${sampleLead}'\n`,
    );
    return stop;
  } catch (error) {
    await stop();
    throw error;
  }
});
