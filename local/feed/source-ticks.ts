// Polls one source in this process, a tick at a time.
import { hashToken } from '../../functions/adapters/token-hash.ts';
import { type ConfiguredSource, clientsOf } from '../../functions/poller/source-sessions.ts';
import { isSlotTooFarAhead } from '../../shared/lanes/start-tick.ts';
import { pollSource } from '../../shared/poll-source.ts';
import type { TickReport } from '../../shared/reporting/tick-report.ts';
import type { HttpTransport } from '../../shared/returns-service/http-transport.ts';
import { createSourceSession, type SourceServices } from '../../shared/source/source-session.ts';
import { longestTick } from './next-tick.ts';

export interface SourceTicksOptions
  extends ConfiguredSource,
    Pick<
      SourceServices,
      'states' | 'store' | 'ledger' | 'clock' | 'log' | 'place' | 'mostRemembered' | 'spread' | 'onProgress'
    > {
  readonly transport: HttpTransport;
}

export interface SourceTicks {
  /** Whether the source has no state yet. */
  readonly isNew: boolean;
  /** Runs a tick; call it again once it has ended. @throws what pollSource throws */
  tick(): Promise<TickReport>;
  /** Ends a running tick as soon as the groups it has read are saved. */
  stopPolling(): void;
  /** Resolves when the running tick has ended. */
  close(): Promise<void>;
}

/** Until anything was read, so that a wrong address or token is reported soon. */
const FIRST_TICK_MS = 5_000;
/** The same in each run: only one `watch` has the stores, so it continues the lease of one that was killed. */
const OWNER = 'watch';

export async function openSourceTicks(options: SourceTicksOptions): Promise<SourceTicks> {
  const { settings, states } = options;
  const stopping = new AbortController();
  const known = await states.load(settings.name);
  const session = createSourceSession({
    ...options,
    signal: stopping.signal,
    owner: OWNER,
    random: Math.random,
    client: clientsOf(options, options.transport),
    hashToken,
  });
  let lastSlot = known?.lastSlot ?? 0;
  let isRead = known?.position.newest !== undefined;
  let running: Promise<unknown> = Promise.resolve();

  async function tick(): Promise<TickReport> {
    lastSlot = slotAfter(lastSlot, Date.now());
    const report = await pollSource(
      { slot: lastSlot, durationMs: isRead ? longestTick(settings) : FIRST_TICK_MS },
      session,
    );
    isRead ||= report.polls > 0 || report.counts.groups > 0;
    return report;
  }

  return {
    isNew: known === undefined,
    tick() {
      const report = tick();
      running = report.catch(() => {});
      return report;
    },
    stopPolling: () => stopping.abort(),
    async close() {
      stopping.abort();
      await running;
    },
  };
}

/**
 * A slot after the last one: a tick with an earlier slot is dropped. If the last slot is too far ahead, the local time,
 * which is then accepted.
 *
 * @param last of the last tick, also of an earlier process
 * @param now both in milliseconds since the epoch
 */
function slotAfter(last: number, now: number): number {
  return isSlotTooFarAhead(last, now) ? now : Math.max(now, last + 1);
}
