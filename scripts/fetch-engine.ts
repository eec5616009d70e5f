/** Finds or fetches the embedded engine's program, so that the next start has it. `scripts/bootstrap.mjs` runs it beside the first build. */
import { ConfigError, isEmbedded, loadConfig } from '../src/config/config';
import { engineSources, findEngine } from '../src/engine/find';
import { searchContext } from '../src/engine/search-context';

/** Undefined if a setting is wrong. */
function loaded() {
  try {
    return loadConfig();
  } catch (error) {
    if (error instanceof ConfigError) return undefined;
    throw error;
  }
}

const config = loaded();
if (config && isEmbedded(config))
  findEngine(engineSources(searchContext(config.TEMPORAL_CLI_PATH))).catch((error: unknown) => {
    process.stderr.write(`${error instanceof ConfigError ? error.message : String(error)}\n`);
    process.exitCode = 1;
  });
