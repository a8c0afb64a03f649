// Where ticks end up: processes that poll. As in Lambda a tick meets a process that is warm and idle, or a new one;
// it is brought again when its process ended or threw; and a process that takes too long is ended, or, where a run
// has it so, comes back when others have long gone on.
import { DAY, type Instant, MILLISECOND } from '../../../shared/instant.ts';
import { pollSource } from '../../../shared/poll-source.ts';
import { createReturnsServiceClient } from '../../../shared/returns-service/client.ts';
import { createSourceSession, type SourceSession } from '../../../shared/source/source-session.ts';
import type { SourceSettings } from '../../../shared/source/source-settings.ts';
import type { TickReport } from '../../../shared/tick/tick-report.ts';
import type { SimulatedProcess } from './process.ts';
import { SimulatedFailure } from './process.ts';
import { isForLackOfToken, readSecret } from './secret.ts';
import type { World } from './world.ts';

interface Poller {
  readonly process: SimulatedProcess;
  readonly session: SourceSession;
  /** As configured when it started. */
  readonly baseUrl: string;
  isBusy: boolean;
  idleSince: number;
}

export interface Pollers {
  readonly source: string;
  /** Lets one tick happen, now; resolves when nothing more comes of it. */
  tick(slot: number): Promise<TickReport | undefined>;
  /** Ends all processes: whatever comes next meets new ones. */
  replace(): void;
  /** Whether any process is in the middle of a tick, if only that it stands still there. */
  isAtWork(): boolean;
  /** What our code threw that nobody did to it. */
  readonly ownErrors: readonly Error[];
  /** Writes of processes whose tick had ended, and with it what they may do. */
  strayWrites(): readonly string[];
  /** When ticks came to their end, also those that had no token: all of them have to report what is wrong. */
  readonly concludedAt: readonly Instant[];
}

/** How much longer than its tick a function may take before it is ended. */
const TIMEOUT_MARGIN_MS = 10_000;
const VISIBLE_AGAIN_AFTER_MS = 30_000;
const MOST_RECEIVES = 3;
const DAY_MS = DAY / MILLISECOND;

/** @param place of the source among those of the deployment, from 0 */
export function createPollers(world: World, configured: SourceSettings, place: number): Pollers {
  const { time, plan, fates, trace } = world;
  const pollers: Poller[] = [];
  const ownErrors: Error[] = [];
  const concludedAt: Instant[] = [];

  function start(): Poller {
    const settings = { ...configured, baseUrl: world.address() };
    const process = world.startProcess(`poller-${settings.name}`);
    const ports = world.portsOf(process);
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
        }),
      secret: { read: () => process.call('secret.read', () => readSecret(world, place)) },
      hashToken: (token) =>
        `hash${[...token].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) | 0, 7)}`,
      owner: process.name,
    });
    const poller = { process, session, baseUrl: settings.baseUrl, isBusy: false, idleSince: time.elapsed() };
    pollers.push(poller);
    return poller;
  }

  function find(): Poller {
    // A process whose configuration is no longer true makes room for a new one.
    const isIdle = ({ process, isBusy, baseUrl }: Poller) =>
      process.isAlive && !isBusy && baseUrl === world.address();
    const idle = pollers.filter(isIdle);
    const [first] = idle;
    if (first === undefined || !world.draws.poller.chance(plan.warm)) return start();
    // Whether time that a function lay frozen has elapsed for it depends on the machine.
    if (world.draws.poller.chance(0.3)) first.process.suspend(time.elapsed() - first.idleSince);
    return first;
  }

  async function invoke(slot: number): Promise<TickReport | 'failed'> {
    const poller = find();
    const { process, session } = poller;
    poller.isBusy = true;
    process.isAtRest = false;
    trace.note(process.name, `tick ${slot}`);
    let isUnderWay = true;
    const overdue = plan.tickMs + TIMEOUT_MARGIN_MS;
    if (plan.endsOverdue || fates.isCalm) {
      void time.sleep(overdue).then(() => {
        if (isUnderWay) process.kill('its time is over');
      });
    }
    const outcome = await Promise.race([
      pollSource({ slot, durationMs: plan.tickMs }, session).catch((error: unknown) => failed(error)),
      process.ended.then(() => 'failed' as const),
    ]);
    isUnderWay = false;
    poller.isBusy = false;
    process.isAtRest = true;
    poller.idleSince = time.elapsed();
    if (outcome !== 'failed') tell(process, outcome);
    if (outcome !== 'failed' && outcome.state !== undefined) concludedAt.push(time.now());
    return outcome;
  }

  function tell(process: SimulatedProcess, report: TickReport): void {
    const { outcome, polls, requests, counts, failure } = report;
    trace.count(`tick ${outcome}${failure === undefined ? '' : ` (${failure.code})`}`);
    trace.note(
      process.name,
      `tick ${outcome}`,
      () =>
        `polls ${polls} requests ${requests} events ${counts.events} left ${counts.left} ${failure?.message ?? ''}`,
    );
  }

  function failed(error: unknown): 'failed' {
    const isStopped = error instanceof Error && error.name === 'RestoredStateError';
    if (isStopped) trace.count('tick stopped by a restored state');
    else if (isForLackOfToken(error)) concludedAt.push(time.now());
    else if (!isSimulated(error)) ownErrors.push(error instanceof Error ? error : new Error(String(error)));
    trace.note('poller', 'throws', () => String(error));
    return 'failed';
  }

  return {
    source: configured.name,
    ownErrors,
    concludedAt,
    strayWrites: () =>
      pollers.flatMap(({ process }) => process.strayWrites.map((call) => `${process.name} ${call}`)),
    replace() {
      for (const { process } of pollers) process.kill('another release takes its place');
    },
    isAtWork: () => pollers.some(({ process, isBusy }) => process.isAlive && isBusy),
    async tick(slot) {
      for (let receives = 1; receives <= MOST_RECEIVES; receives += 1) {
        const outcome = await invoke(slot);
        if (outcome !== 'failed') return outcome;
        await time.sleep(VISIBLE_AGAIN_AFTER_MS);
      }
      return undefined;
    },
  };
}

/** Whether what was thrown follows from what was done to it. */
export function isSimulated(error: unknown): boolean {
  if (error instanceof SimulatedFailure) return true;
  // Contention and slowness that the budget gives up on is nothing but its store's.
  if (error instanceof Error && error.name === 'BudgetUnavailable') return true;
  return error instanceof Error && error.cause !== undefined && isSimulated(error.cause);
}

/** Brings ticks at each interval: some late, some twice, some never. */
export async function runSchedule(
  world: World,
  pollers: Pollers,
  intervalMs: number,
  until: number,
): Promise<void> {
  const { time, fates, draws, trace } = world;
  const { earlySlot } = world.plan;
  const deliver = (slot: number, delayMs: number) => void time.sleep(delayMs).then(() => pollers.tick(slot));
  if (earlySlot !== undefined) {
    void time.sleep(earlySlot.atMs).then(() => {
      trace.count(`slot ahead by ${earlySlot.aheadMs / DAY_MS} days`);
      return pollers.tick(Math.floor(time.now() / MILLISECOND) + earlySlot.aheadMs);
    });
  }
  while (time.elapsed() < until) {
    const slot = Math.floor(time.now() / MILLISECOND);
    const isLate = fates.happens('tick late', 'tickLate');
    if (!fates.happens('tick lost', 'tickLost')) {
      deliver(slot, isLate ? draws.schedule.fraction() * 4 * intervalMs : draws.schedule.fraction() * 500);
    }
    if (fates.happens('tick doubled', 'tickDoubled')) deliver(slot, draws.schedule.fraction() * 90_000);
    await time.sleep(Math.min(intervalMs, Math.max(1, (until - time.elapsed()) / MILLISECOND)));
  }
}
