// The console of a feed that runs in this process. It is loaded while the feed runs already.
import type { Log } from '../../shared/ports.ts';
import type { Moments } from '../cli/moments.ts';
import type { AccessOptions } from '../place/service-access.ts';

export interface ConsoleBeside {
  readonly dataDir: string;
  /** 0 for a free port. */
  readonly port: number;
  readonly moments: Moments;
  /** The tokens for questions to the services. */
  readonly secretOf: NonNullable<AccessOptions['secretOf']>;
  /** Ends the console. */
  readonly signal: AbortSignal;
  readonly log: Log;
}

/** Serves until the signal aborts, and logs the address. A console that can't be served does not end the feed. */
export async function serveConsoleBeside(options: ConsoleBeside): Promise<void> {
  const { dataDir, port, moments, secretOf, signal, log } = options;
  try {
    const { serveConsole } = await import('../console/open-console.ts');
    await serveConsole(
      { data: dataDir },
      {
        ...{ port, moments, signal },
        acts: true,
        access: { secretOf },
        onReady: (url) => log.info(`Open the console in a browser: ${url} (again: c and Enter)`),
      },
    );
  } catch (error) {
    log.warn('The console could not be started.', { error: error as Error });
  }
}
