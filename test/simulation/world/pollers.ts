// The processes that poll. As in Lambda, a tick gets a warm idle process or a new one; it is delivered again if its
// process ended or threw. A process that takes too long is ended or, in some runs, continues after others have taken
// over.

import { createRandom, mix } from '../../../local/reference-service/store/seeded-random.ts';
import { DAY, type Instant, MILLISECOND, MINUTE } from '../../../shared/instant.ts';
import { pollQuickly, QUICK_REQUESTS, type QuickReport } from '../../../shared/poll-quickly.ts';
import { pollSource } from '../../../shared/poll-source.ts';
import type { TickReport } from '../../../shared/reporting/tick-report.ts';
import { createReturnsServiceClient } from '../../../shared/returns-service/client.ts';
import { createSourceSession, type SourceSession } from '../../../shared/source/source-session.ts';
import type { SourceSettings } from '../../../shared/source/source-settings.ts';
import { SimulatedFailure } from '../../simulation-frame/mortal-process.ts';
import { isDuring } from './network.ts';
import type { SimulatedProcess } from './process.ts';
import { isForLackOfToken, readSecret } from './secret.ts';
import type { World } from './world.ts';

interface Poller {
  readonly process: SimulatedProcess;
  readonly session: SourceSession;
  /** The configuration at its start. */
  readonly baseUrl: string;
  readonly stopping: AbortController;
  isBusy: boolean;
  idleSince: number;
}

type AnyReport = Pick<TickReport, 'polls' | 'requests' | 'counts' | 'failure'> & {
  readonly outcome: TickReport['outcome'] | QuickReport['outcome'];
};

export interface Pollers {
  readonly source: string;
  /** Runs one tick now; resolves after its last delivery. @returns the report of a long one */
  tick(slot: number): Promise<TickReport | undefined>;
  /** Ends all processes: the next tick gets a new one. */
  replace(): void;
  /** Errors that the feed's code threw without an injected fault. */
  readonly ownErrors: readonly Error[];
  /** Writes of processes after the end of their tick, when they must not write. */
  strayWrites(): readonly string[];
  /** Ticks that ended, including ticks without a token, which also have to report a failure. */
  readonly concluded: readonly ConcludedTick[];
}

export interface ConcludedTick {
  /** The moment for which it was sent: the tick measures time from it. */
  readonly slot: Instant;
  readonly at: Instant;
}

/** How much longer than its tick a function may run before it is ended. */
const TIMEOUT_MARGIN_MS = 10_000;
/** Of a quick tick. */
const QUICK_MS = 12_000;
const LONG_FOR = 10 * MINUTE;
const VISIBLE_AGAIN_AFTER_MS = 30_000;
const MOST_RECEIVES = 3;
const DAY_MS = DAY / MILLISECOND;

/** @param onQuiet called when a quick tick has read the source completely, and written nothing */
export function createPollers(world: World, configured: SourceSettings, onQuiet: () => void): Pollers {
  const { time, plan, fates, trace } = world;
  const pollers: Poller[] = [];
  const ownErrors: Error[] = [];
  const concluded: ConcludedTick[] = [];
  const stops = createRandom(mix(plan.seed, 102));
  let quietAt: number | undefined;
  /** By the elapsed time: a source that needed a long tick gets no quick one until then. */
  let isLongUntil = 0;

  function start(): Poller {
    const settings = { ...configured, baseUrl: world.address() };
    const process = world.startProcess(`poller-${settings.name}`);
    const ports = world.portsOf(process);
    const stopping = new AbortController();
    const session = createSourceSession({
      ...ports,
      settings,
      clock: process.clock,
      log: world.log,
      random: world.draws.poller.fraction,
      client: (token) =>
        createReturnsServiceClient({
          baseUrl: settings.baseUrl,
          token,
          transport: world.network.transport(process),
          timeoutMs: settings.requestTimeoutMs,
          include: settings.include,
        }),
      secret: { read: () => process.call('secret.read', () => readSecret(world)) },
      hashToken: (token) =>
        `hash${[...token].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) | 0, 7)}`,
      place: undefined,
      owner: process.name,
      signal: stopping.signal,
      ...(plan.isQuick && { quickRequests: QUICK_REQUESTS }),
    });
    const { baseUrl } = settings;
    const poller = {
      ...{ process, session, baseUrl, stopping },
      isBusy: false,
      idleSince: time.elapsed(),
    };
    pollers.push(poller);
    return poller;
  }

  function find(): Poller {
    // A process with an outdated configuration is not used again.
    const isIdle = ({ process, isBusy, baseUrl }: Poller) =>
      process.isAlive && !isBusy && baseUrl === world.address();
    const idle = pollers.filter(isIdle);
    const [first] = idle;
    if (first === undefined || !world.draws.poller.chance(plan.warm)) return start();
    // It depends on the machine whether its elapsed clock counts the time that a function was frozen.
    if (world.draws.poller.chance(0.3)) first.process.suspend(time.elapsed() - first.idleSince);
    return first;
  }

  /** Runs a tick in one of the processes. */
  async function invoke<Report extends AnyReport>(
    slot: number,
    durationMs: number,
    tick: (session: SourceSession) => Promise<Report>,
  ): Promise<Report | 'failed'> {
    const poller = find();
    const { process, session } = poller;
    poller.isBusy = true;
    process.isAtRest = false;
    trace.note(process.name, `tick ${slot}`);
    let isUnderWay = true;
    const overdue = durationMs + TIMEOUT_MARGIN_MS;
    if (plan.endsOverdue || fates.isCalm()) {
      void time.sleep(overdue).then(() => {
        if (isUnderWay) process.kill('its time is over');
      });
    }
    if (plan.stops !== undefined && !fates.isCalm() && stops.chance(plan.stops)) {
      void time.sleep(stops.fraction() ** 2 * durationMs).then(() => {
        if (isUnderWay) poller.stopping.abort();
      });
    }
    const outcome = await Promise.race([
      tick(session).catch((error: unknown) => failed(error, slot)),
      process.ended.then(() => 'failed' as const),
    ]);
    isUnderWay = false;
    poller.isBusy = false;
    process.isAtRest = true;
    poller.idleSince = time.elapsed();
    if (poller.stopping.signal.aborted) {
      trace.count('process stopped in a tick');
      process.kill('it was asked to stop');
    }
    if (outcome !== 'failed') noteReport(process, outcome);
    return outcome;
  }

  async function invokeLong(slot: number): Promise<TickReport | 'failed'> {
    const { tickMs: durationMs } = plan;
    const outcome = await invoke(slot, durationMs, (session) =>
      pollSource({ slot, durationMs, quietAt }, session),
    );
    if (outcome !== 'failed' && outcome.state !== undefined) conclude(slot);
    return outcome;
  }

  /** As the dispatcher and its queues do. @returns whether a long tick has to go on */
  async function invokeQuick(slot: number): Promise<boolean> {
    const tick = { slot, durationMs: QUICK_MS };
    const outcome = await invoke(slot, QUICK_MS, (session) => pollQuickly(tick, session));
    if (outcome === 'failed') return true;
    if (outcome.quietAt !== undefined) quietAt = Math.max(quietAt ?? 0, outcome.quietAt);
    if (outcome.outcome === 'quiet' && outcome.polls > 0) onQuiet();
    return outcome.outcome === 'long';
  }

  function noteReport(process: SimulatedProcess, report: AnyReport): void {
    const { outcome, polls, requests, counts, failure } = report;
    trace.count(`tick ${outcome}${failure === undefined ? '' : ` (${failure.code})`}`);
    trace.note(
      process.name,
      `tick ${outcome}`,
      () =>
        `polls ${polls} requests ${requests} events ${counts.events} left ${counts.left} ${failure?.message ?? ''}`,
    );
  }

  function conclude(slot: number): void {
    concluded.push({ slot: slot * MILLISECOND, at: time.now() });
  }

  function failed(error: unknown, slot: number): 'failed' {
    const isStopped = error instanceof Error && error.name === 'RestoredStateError';
    if (isStopped) trace.count('tick stopped by a restored state');
    else if (isForLackOfToken(error)) conclude(slot);
    else if (!isSimulated(error)) ownErrors.push(error instanceof Error ? error : new Error(String(error)));
    trace.note('poller', 'throws', () => String(error));
    return 'failed';
  }

  return {
    source: configured.name,
    ownErrors,
    concluded,
    strayWrites: () =>
      pollers.flatMap(({ process }) => process.strayWrites.map((call) => `${process.name} ${call}`)),
    replace() {
      for (const { process } of pollers) process.kill('another release takes its place');
    },
    async tick(slot) {
      if (plan.isQuick && time.elapsed() >= isLongUntil) {
        if (!(await invokeQuick(slot))) return undefined;
        isLongUntil = time.elapsed() + LONG_FOR;
      }
      for (let receives = 1; receives <= MOST_RECEIVES; receives += 1) {
        const outcome = await invokeLong(slot);
        if (outcome !== 'failed') return outcome;
        await time.sleep(VISIBLE_AGAIN_AFTER_MS);
      }
      return undefined;
    },
  };
}

/** Returns whether the error is a consequence of an injected fault. */
export function isSimulated(error: unknown): boolean {
  if (error instanceof SimulatedFailure) return true;
  return error instanceof Error && error.cause !== undefined && isSimulated(error.cause);
}

/** Delivers ticks at each interval: some late, some twice, some never. */
export async function runSchedule(
  world: World,
  pollers: Pollers,
  intervalMs: number,
  until: number,
): Promise<void> {
  const { time, fates, draws, trace } = world;
  const { earlySlot } = world.plan;
  const { isQuick } = world.plan;
  const deliver = (slot: number, delayMs: number) => {
    // A queue gives out no quick tick after the next one, and SQS hardly ever one twice.
    if (!isQuick || delayMs < intervalMs) void time.sleep(delayMs).then(() => pollers.tick(slot));
  };
  if (earlySlot !== undefined) {
    void time.sleep(earlySlot.atMs).then(() => {
      trace.count('slot ahead');
      return pollers.tick(Math.floor(time.now() / MILLISECOND) + earlySlot.days * DAY_MS);
    });
  }
  while (time.elapsed() < until) {
    const { night } = world.plan;
    if (night !== undefined && isDuring(night, time.elapsed()))
      await time.sleep(night.fromMs + night.forMs - time.elapsed() / MILLISECOND);
    const slot = Math.floor(time.now() / MILLISECOND);
    const isLate = fates.happens('tick late', 'tickLate');
    if (!fates.happens('tick lost', 'tickLost')) {
      deliver(slot, isLate ? draws.schedule.fraction() * 4 * intervalMs : draws.schedule.fraction() * 500);
    }
    if (fates.happens('tick doubled', 'tickDoubled') && !isQuick)
      deliver(slot, draws.schedule.fraction() * 90_000);
    await time.sleep(Math.min(intervalMs, Math.max(1, (until - time.elapsed()) / MILLISECOND)));
  }
}
