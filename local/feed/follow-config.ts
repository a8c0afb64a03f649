// Reads the configuration of a running `watch` again when its file changes, or on SIGHUP.
import { once } from 'node:events';
import { type StatsListener, unwatchFile, watchFile } from 'node:fs';
import type { Log } from '../../shared/ports.ts';
import type { WatchConfig } from './watch-config.ts';
import type { WatchPlan } from './watch-plan.ts';

/** Looks at the file's times: editors and mounted volumes replace files, which other ways of watching miss. */
const LOOK_EVERY_MS = 1_000;

/**
 * Returns the plans of the changed file, until the signal aborts. A file with problems changes nothing: they are logged.
 *
 * @param first the configuration of the start
 * @param read reads the file anew. @throws Error if it has problems
 */
export async function* followConfig(
  file: string,
  first: WatchConfig,
  read: () => WatchConfig,
  { log, signal }: { readonly log: Log; readonly signal: AbortSignal },
): AsyncGenerator<WatchPlan> {
  let isAsked = false;
  const asked = new EventTarget();
  const ask = () => {
    isAsked = true;
    asked.dispatchEvent(new Event('asked'));
  };
  const onStats: StatsListener = (now, before) => {
    if (now.mtimeMs !== before.mtimeMs || now.ino !== before.ino) ask();
  };
  watchFile(file, { interval: LOOK_EVERY_MS }, onStats);
  process.on('SIGHUP', ask);
  try {
    while (!signal.aborted) {
      if (!isAsked) await once(asked, 'asked', { signal }).catch(() => {});
      if (signal.aborted) return;
      isAsked = false;
      try {
        const { data, console, listen, plan } = read();
        if (data !== first.data || console !== first.console || listen !== first.listen)
          log.warn('Another data, console or listen takes effect at the next start.');
        yield plan;
      } catch (error) {
        log.error('The changed configuration is not used; the earlier one goes on.', {
          error: error as Error,
        });
      }
    }
  } finally {
    process.off('SIGHUP', ask);
    unwatchFile(file, onStats);
  }
}
