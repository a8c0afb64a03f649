// Watches sources from the first poll to the clean end: polls each on its own, passes events on as they arrive, follows
// a configuration that changes meanwhile, and at the end hands over the events of everything it has read.
import { DeadlineReached } from '../../shared/pacing/errors.ts';
import type { SourceSettings } from '../../shared/source/source-settings.ts';
import { counted } from '../cli/counts.ts';
import { untilMoment } from '../cli/until-aborted.ts';
import { describeOthers } from './check-source.ts';
import { type LocalFeed, openLocalFeed } from './local-feed.ts';
import type { FeedOutput } from './publishing.ts';
import type { WatchedSource, WatchPlan } from './watch-plan.ts';
import { NOT_READ, type SourceOutcome, type SourceReporting, watchSource } from './watch-source.ts';

export interface WatchOptions extends FeedOutput {
  readonly plan: WatchPlan;
  /**
   * The plans that replace it while it runs, until the signal aborts. With them a source that can't be read costs no
   * other source, and does not end the watch.
   *
   * @default the plan stays, and a service that refuses the token at the start ends the watch
   */
  readonly changes?: ((signal: AbortSignal) => AsyncIterable<WatchPlan>) | undefined;
  /** The log of a source, and what gets its reports. */
  readonly reporting: (settings: SourceSettings) => SourceReporting;
  /** Begins what runs beside the feed, and returns what ends it. */
  readonly beside?: ((feed: LocalFeed) => Promise<() => Promise<void>>) | undefined;
  /** Ends the reading after this time. */
  readonly forMs: number | undefined;
  /**
   * How long the end waits for the events of what was read, in milliseconds.
   *
   * @default by {@link patienceMs}
   */
  readonly lastEventsMs?: number;
  /** Ends the watch when aborted. */
  readonly signal: AbortSignal;
}

/** How long the end waits for the events of what was read. A second Ctrl-C ends the wait. */
const LAST_EVENTS_MS = 30_000;
/** After `--for`, without stored state: the events that are not handed over are lost, and nobody waits. */
const LAST_EVENTS_UNHURRIED_MS = 600_000;
/** After `--for`, with stored state: the next start hands over the rest, so the command ends near its time. */
const LAST_EVENTS_STORED_MS = 10_000;
const WARN_AFTER_MS = 1_500;
/** Between the first ticks of two sources on average, so that many are not read at the same moment. */
const APART_MS = 50;

/**
 * Watches until the signal or the time ends it.
 *
 * @throws the error of a tick before the first successful poll, if it refuses the token; Error if the time is over and
 *   nothing was read
 */
export async function runWatch(options: WatchOptions): Promise<void> {
  const { plan, changes, log, forMs, signal, dataDir } = options;
  const feed = await openLocalFeed(options);
  const ends = forMs === undefined ? [] : [AbortSignal.timeout(forMs)];
  const ending = AbortSignal.any([signal, feed.failing, ...ends]);
  const watches = createSourceWatches(feed, options, ending);
  let endBeside = async () => {};
  try {
    endBeside = (await options.beside?.(feed)) ?? endBeside;
    const names = new Set(plan.sources.map(({ settings }) => settings.name));
    const others = (await feed.knownSources()).filter((name) => !names.has(name));
    if (changes !== undefined) await feed.leaveOut(others);
    else if (others.length > 0 && dataDir !== undefined) log.warn(describeOthers(others, dataDir));
    await feed.forwardTo(plan.receivers);
    feed.catchUp();
    await watches.follow(plan.sources);
    await Promise.race([changes === undefined ? watches.done() : followChanges(changes), feed.failed]);
    const outcomes = await Promise.race([watches.done(), feed.failed]);
    await handOver(feed, options);
    if (!outcomes.some(({ isRead }) => isRead) && !signal.aborted) throw nothingRead(outcomes);
  } finally {
    await endBeside();
    await feed.close();
  }

  async function followChanges(plans: NonNullable<WatchOptions['changes']>): Promise<void> {
    for await (const { sources, receivers } of plans(ending)) {
      try {
        await feed.forwardTo(receivers);
        const { added, changed, removed } = await watches.follow(sources);
        log.info(`The configuration is read again: ${added} added, ${changed} changed, ${removed} removed.`);
      } catch (error) {
        log.error('The changed configuration could not be followed.', { error: error as Error });
      }
    }
  }
}

interface RunningWatch {
  readonly configuredAs: string;
  readonly stopping: AbortController;
  readonly outcome: Promise<SourceOutcome>;
}

/** The sources that are polled now. */
function createSourceWatches(
  feed: LocalFeed,
  { changes, reporting }: Pick<WatchOptions, 'changes' | 'reporting'>,
  ending: AbortSignal,
) {
  const running = new Map<string, RunningWatch>();
  const isAlone = changes === undefined;

  function start(source: WatchedSource, waitMs: number): void {
    const { name } = source.settings;
    const stopping = new AbortController();
    const shown = reporting(source.settings);
    const outcome = watchSource(feed, source, {
      ...shown,
      ...{ firstAt: Date.now() + waitMs, endsIfRefused: isAlone },
      ending: AbortSignal.any([ending, stopping.signal]),
    }).catch((error: Error) => {
      if (isAlone || feed.failing.aborted) throw error;
      shown.log.error('It is not read.', { error });
      return NOT_READ;
    });
    // `done` throws its error as well.
    outcome.catch(() => {});
    running.set(name, { configuredAs: configuredAs(source), stopping, outcome });
  }

  async function stop(name: string): Promise<void> {
    const watch = running.get(name);
    running.delete(name);
    watch?.stopping.abort();
    await watch?.outcome;
  }

  return {
    /** Begins, ends and begins anew what differs; the others go on undisturbed. */
    async follow(sources: readonly WatchedSource[]) {
      const wanted = new Map(sources.map((source) => [source.settings.name, source]));
      const differs = (name: string) => {
        const source = wanted.get(name);
        return source === undefined || running.get(name)?.configuredAs !== configuredAs(source);
      };
      const known = [...running.keys()];
      const removed = known.filter((name) => !wanted.has(name));
      const added = sources.filter(({ settings }) => !running.has(settings.name));
      const ended = known.filter(differs);
      await Promise.all(ended.map(stop));
      await feed.leaveOut(removed);
      const begun = sources.filter(({ settings }) => !running.has(settings.name));
      for (const source of begun) start(source, waitOf(source, begun.length));
      return {
        ...{ added: counted(added.length, 'source'), removed: removed.length },
        changed: ended.length - removed.length,
      };
    },
    /** Resolves once none is polled any more. */
    async done(): Promise<SourceOutcome[]> {
      return Promise.all([...running.values()].map(({ outcome }) => outcome));
    },
  };
}

function configuredAs({ settings, secret, isMoved }: WatchedSource): string {
  return JSON.stringify([settings, secret.place, isMoved]);
}

/** The first ticks of many sources are spread as their polls are, over one interval at most. */
function waitOf({ settings, spread = 0 }: WatchedSource, sources: number): number {
  return sources === 1 ? 0 : spread * Math.min(settings.intervalMs, sources * APART_MS);
}

/** The error of a watch whose time was over before anything was read. */
function nothingRead(outcomes: readonly SourceOutcome[]): Error {
  const causes = outcomes.map(({ last, failure }) => {
    const error = last?.error instanceof DeadlineReached ? last.error.cause : last?.error;
    return error instanceof Error ? error : failure;
  });
  const cause = causes.find((error) => error !== undefined);
  const [reason] = outcomes.flatMap(({ last }) => last?.state?.health.reasons ?? []);
  const message = cause?.message ?? reason?.message ?? 'No poll ended in time: give --for more time.';
  return new Error(`Nothing was read. ${message}`, { cause });
}

/** How long the end waits for the last events. */
export function patienceMs({
  isInterrupted,
  isStored,
}: {
  isInterrupted: boolean;
  isStored: boolean;
}): number {
  if (isInterrupted) return LAST_EVENTS_MS;
  return isStored ? LAST_EVENTS_STORED_MS : LAST_EVENTS_UNHURRIED_MS;
}

async function handOver(
  feed: LocalFeed,
  { signal, log, dataDir, lastEventsMs }: WatchOptions,
): Promise<void> {
  const patience = new AbortController();
  const isStored = dataDir !== undefined;
  const limitMs = lastEventsMs ?? patienceMs({ isInterrupted: signal.aborted, isStored });
  const warn = () => signal.aborted && log.warn('Delivering the last events. Ctrl-C again stops at once.');
  const warning = setTimeout(warn, WARN_AFTER_MS);
  const limit = untilMoment(Date.now() + limitMs, patience.signal);
  const all = feed.handOver().then(() => 'all');
  const outcome = await Promise.race([all, limit.then(() => 'some'), feed.failed]).finally(() => {
    patience.abort();
    clearTimeout(warning);
  });
  if (outcome === 'all') return;
  const rest = isStored ? ' The next start with the same --data continues with them.' : '';
  log.warn(`Stopped before all events were delivered.${rest}`);
}
