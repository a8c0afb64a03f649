// The end of a run: changes and faults stop, and the feed gets the time that its guarantee allows. Ticks are most of a
// run's cost, so there are only as many as the feed needs to read everything.
import { HOUR, type Instant, MILLISECOND } from '../../shared/instant.ts';
import { stampsBehind } from './happenings.ts';
import type { Plan } from './plan.ts';
import { LANES, type Lane } from './source-facts.ts';
import type { SourceWatch } from './watch-sources.ts';
import { releaseWhatIsHeld } from './world/operator.ts';
import type { Pollers } from './world/pollers.ts';
import { endTurns } from './world/turns.ts';
import { clockBehind, type World } from './world/world.ts';

export interface Rest {
  /** When two rounds of late changes had ended that began after every change could be read; undefined if none did. */
  readonly polledBy: Instant | undefined;
  /** Whether everything was read twice, nothing is held, and the source is well. */
  readonly isAtRest: boolean;
  /** Ticks after that, once the cursor has followed the last change; undefined if it did not come to rest. */
  readonly idle: Idle | undefined;
}

export interface Idle {
  readonly from: Instant;
  readonly to: Instant;
  /** From the end of one walk to the end of the next; undefined in a world without bulks. */
  readonly walk: { readonly from: Instant; readonly to: Instant } | undefined;
}

/** The rounds that must end: one may have begun before, and two begin after. */
const ROUNDS = 3;
/** The longest rhythm of late changes, and some time. */
const LATE_RHYTHM_MS = 65_000;
/** Added to `settle`, because clocks are seconds apart. */
const DOUBT_MS = 5_000;
/** Longer than any pause or rest that the feed may take. */
const POLLED_WITHIN = 2 * HOUR;
const POLLED_WITHIN_TICKS = 12;
/** A store whose walk takes much of the budget is walked every twelve hours. */
const AT_REST_WITHIN = 50 * HOUR;
/** Where walks are further apart, so many of them. */
const AT_REST_WITHIN_WALKS = 10;
/** Where the settings do not say how far apart walks are. */
export const WALKS_EVERY_MS = 600_000;
/** A strange service may never let the source rest. After this time it is enough that the source reports it. */
const STRANGE_WITHIN = 3 * HOUR;
const TICKS_IN_RHYTHM = 12;
/** Each costs processor time. */
const MOST_TICKS = 250;
/** With less, a tick has few requests for walks. */
const AMPLE_BUDGET = 60;
/** A walk that takes many ticks would stand still with one an hour. */
const WALKS_GO_ON_EVERY_MS = 60_000;
/** Where a walk is always under way, the time of the others has to pass as well. */
const TICKS_IN_A_ROW = 5;
const LATER_TICKS_EVERY_MS = HOUR / MILLISECOND;
/** Number of ticks within which holds end that need no release. */
const TICKS_BEFORE_RELEASE = 7;
/** A source that is well may have groups that can't be read, and crowds that its budget is too small for. */
const WELL: ReadonlySet<string> = new Set(['unreadable', 'unreadable_field', 'crowd_not_proved']);

/** A clock that stays behind stays reported. */
function isWell({ knobs }: Plan, code: string): boolean {
  return WELL.has(code) || (code === 'clock' && stampsBehind(knobs) > 0);
}

/** Ends all changes of the store and all faults. */
export function calm(world: World): void {
  const { fates, service, trace } = world;
  trace.note('world', 'calm');
  fates.calm();
  service.control.pause();
  endTurns(world);
  service.control.setKnob('faultRate', 0);
  // Answers that omit an array by chance never prove that its entities are gone.
  service.control.setKnob('flickers', false);
}

export async function comeToRest(world: World, pollers: Pollers, watch: SourceWatch): Promise<Rest> {
  const { time, plan } = world;
  const { intervalMs, settleMs } = plan.settings;
  const within = Math.max(POLLED_WITHIN, POLLED_WITHIN_TICKS * intervalMs * MILLISECOND);
  const readable = readableFrom(world) + 2 * settleMs * MILLISECOND;
  await time.sleep((readable - time.now()) / MILLISECOND);
  const isPolled = () => haveEnded(watch, 'late', readable) && watch.facts?.isBaselineComplete === true;
  // Polls of a strange service are not judged.
  if (plan.profile === 'plausible')
    await tickUntil(world, pollers, isPolled, { within, everyMs: () => intervalMs });
  const isHeld = (watch.facts?.holds.length ?? 0) > 0;
  const polledBy = isPolled() && !isHeld ? time.now() : undefined;
  const isAtRest = await walk(world, pollers, watch, readable);
  world.trace.count(isAtRest ? 'quiet: at rest' : 'quiet: not at rest');
  return { polledBy, isAtRest, idle: isAtRest ? await idle(world, pollers, watch) : undefined };
}

/** Ticks until the cursor has followed the last change, and two more; after bulks also a walk. */
async function idle(world: World, pollers: Pollers, watch: SourceWatch): Promise<Idle> {
  const { time, plan } = world;
  const { intervalMs, lookbackMs, settleMs, reconcileMs = WALKS_EVERY_MS } = plan.settings;
  const tickAfter = async (waitMs: number) => {
    await time.sleep(Math.max(waitMs, intervalMs));
    await pollers.tick(Math.floor(time.now() / MILLISECOND));
  };
  await tickAfter(LATE_RHYTHM_MS);
  // The first tick may go on with a round that began before, and the cursor follows a minute behind.
  for (const _ of [1, 2, 3]) await tickAfter(lookbackMs + settleMs + LATE_RHYTHM_MS);
  await tickAfter(LATE_RHYTHM_MS);
  const from = time.now();
  await tickAfter(LATE_RHYTHM_MS);
  await tickAfter(LATE_RHYTHM_MS);
  const to = time.now();
  if (plan.bulks.length === 0) return { from, to, walk: undefined };
  const nextWalk = async () => {
    const many = watch.rounds.recent.length + 1;
    for (let ticks = 0; watch.rounds.recent.length < many && ticks < MOST_IDLE_TICKS; ticks += 1)
      await tickAfter(Math.max(LATE_RHYTHM_MS, reconcileMs / TICKS_IN_RHYTHM));
    return time.now();
  };
  return { from, to, walk: { from: await nextWalk(), to: await nextWalk() } };
}

/** Longer than the rhythm of walks. */
const MOST_IDLE_TICKS = 20;

/** When every read shows every change. */
function readableFrom({ service, time, plan }: World): Instant {
  const { staleShare, staleSeconds } = service.control.knobs();
  const behind = clockBehind(service);
  const shown = service.control.history().map(({ shownFrom }) => shownFrom + behind);
  const stale = staleShare > 0 ? staleSeconds * 1_000 * MILLISECOND : 0;
  const lag = (plan.lag?.behindMs ?? 0) * MILLISECOND;
  return shown.reduce((last, each) => Math.max(last, each), time.now()) + stale + lag;
}

/** Ticks until everything was walked, and what is held was published or is over. */
async function walk(world: World, pollers: Pollers, watch: SourceWatch, readable: Instant): Promise<boolean> {
  const { time, plan } = world;
  const { intervalMs, reconcileMs = WALKS_EVERY_MS, settleMs } = plan.settings;
  const within = Math.max(AT_REST_WITHIN, AT_REST_WITHIN_WALKS * reconcileMs * MILLISECOND);
  const isStrange = plan.profile === 'strange';
  const mostTicks = MOST_TICKS * Math.max(1, AMPLE_BUDGET / plan.settings.requestsPerMinute);
  const { failingEvery } = world.service.control.knobs();
  // Rows that go on failing are reported.
  const isNeverWell = isStrange || failingEvery > 0;
  const fails = (groupId: number) => failingEvery > 0 && groupId % failingEvery === 0;
  let from = readable;
  let ticks = 0;
  // What a round finds gone is looked up, and again `settle` later.
  const rounds = ROUNDS + Math.ceil((settleMs + DOUBT_MS) / reconcileMs);
  const isAtRest = () =>
    // The rhythm of `older` is longer than any settle.
    LANES.every((lane) => haveEnded(watch, lane, from, lane === 'older' ? ROUNDS : rounds)) &&
    watch.facts?.lookUps.every(fails) === true &&
    watch.facts?.holds.length === 0 &&
    (isNeverWell || (watch.facts.places === 0 && watch.facts.reasons.every((code) => isWell(plan, code))));
  const reportedFrom = time.elapsed() + STRANGE_WITHIN;
  const isReported = () =>
    isStrange && time.elapsed() >= reportedFrom && (watch.facts?.reasons.length ?? 0) > 0;
  await tickUntil(world, pollers, () => isAtRest() || isReported(), {
    within,
    everyMs() {
      if (ticks >= mostTicks) return within / MILLISECOND;
      if (watch.facts?.isAtWork && ticks % TICKS_IN_A_ROW !== 0) return WALKS_GO_ON_EVERY_MS;
      return ticks < TICKS_IN_RHYTHM && reconcileMs < LATER_TICKS_EVERY_MS
        ? Math.max(intervalMs, reconcileMs)
        : LATER_TICKS_EVERY_MS;
    },
    async afterTick() {
      ticks += 1;
      // In `plausible` a mass change is held for an hour, and then published without an operator.
      const kinds = isStrange ? undefined : (['removals', 'other_store', 'backfill'] as const);
      if (ticks < TICKS_BEFORE_RELEASE || !(await releaseWhatIsHeld(world, pollers.source, { kinds })))
        return;
      // Released changes are published from now on, in as many rounds as any other removal.
      from = time.now();
    },
  });
  return isAtRest();
}

/** Whether so many rounds of the lane have ended since. A round begins after the one before it has ended. */
function haveEnded({ rounds }: SourceWatch, lane: Lane, from: Instant, many = ROUNDS): boolean {
  return rounds[lane].filter((endedAt) => endedAt >= from).length >= many;
}

interface Ticking {
  readonly within: number;
  everyMs(): number;
  afterTick?(): Promise<void>;
}

async function tickUntil(
  { time }: World,
  pollers: Pollers,
  isDone: () => boolean,
  { within, everyMs, afterTick }: Ticking,
): Promise<void> {
  const end = time.elapsed() + within;
  while (!isDone() && time.elapsed() < end) {
    await pollers.tick(Math.floor(time.now() / MILLISECOND));
    await afterTick?.();
    if (!isDone()) await time.sleep(everyMs());
  }
}
