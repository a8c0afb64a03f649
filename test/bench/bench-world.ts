// A reference service that notes its requests: in virtual time, in which each takes a fixed time, or in real time on
// loopback, for the command.
import { createSystemClock } from '../../functions/adapters/system-clock.ts';
import { startServer } from '../../local/reference-service/http/server.ts';
import {
  createInProcessService,
  type InProcessService,
} from '../../local/reference-service/in-process-service.ts';
import type { Answer } from '../../local/reference-service/service/answer.ts';
import type { StoredGroup } from '../../local/reference-service/store/stored-group.ts';
import type { Instant } from '../../shared/instant.ts';
import { PAGE_LIMIT } from '../../shared/limits.ts';
import type { Clock } from '../../shared/ports.ts';
import { createVirtualClock, type VirtualClock } from '../fakes/virtual-clock.ts';
import type { Change } from './measure.ts';
import type { Usage } from './process-usage.ts';
import type { Setting } from './settings.ts';
import { statusesOf } from './usual-poller.ts';

export interface BenchWorld<Time extends Clock = Clock> {
  readonly setting: Setting;
  readonly time: Time;
  readonly service: InProcessService;
  /** When each request was sent. */
  readonly sentAt: readonly Instant[];
  /** The statuses at the opening. */
  readonly opening: ReadonlyMap<string, string>;
  /** The changes of statuses in the store so far, in order. */
  changes(): readonly Change[];
}

export interface VirtualWorld extends BenchWorld<VirtualClock> {
  ask(path: string, query: URLSearchParams): Promise<AnswerOfGroups>;
}

export interface RealWorld extends BenchWorld {
  readonly url: string;
  /** When an answer was first ready that shows an entity with a status, by both. */
  readonly shownAt: ReadonlyMap<string, Instant>;
  close(): Promise<void>;
}

/** An answer with its groups, so that readers need not parse its text. */
interface AnswerOfGroups extends Answer {
  readonly groups: readonly StoredGroup[];
}

export interface WorldOptions {
  readonly setting: Setting;
  readonly seed: number;
  readonly groups: number;
}

/** A reader under measurement, which has begun to read. */
export interface RunningReader {
  /** Resolves once it has read all groups. */
  readonly isReady: Promise<void>;
  /** Each status that was new to it. */
  sightings(): readonly Change[];
  /** Unexpected reports: errors, holds. */
  notes(): readonly string[];
  /** Resolves when it has ended. */
  stop(): Promise<void>;
}

/** The feed as a process of its own. */
export interface ReaderProcess extends RunningReader {
  readonly startedAt: Instant;
  /** When it printed each event. */
  printedAt(): readonly Instant[];
  usage(): Usage;
}

const REQUEST_MS = 50;
/** Requests a minute that the service allows, unless the feed may send more. */
const RATE_LIMIT = 300;

export function rateLimitOf({ requestsPerMinute }: Setting): number {
  return Math.max(RATE_LIMIT, requestsPerMinute);
}

export function createVirtualWorld(options: WorldOptions): VirtualWorld {
  const time = createVirtualClock();
  const { world, sentAt, takeShown } = createWorld(options, time);
  return {
    ...world,
    async ask(path, query) {
      sentAt.push(time.now());
      await time.sleep(REQUEST_MS / 2);
      const { service, token } = world.service;
      const answer = service.answer({ path, query, token });
      const groups = takeShown();
      await time.sleep(REQUEST_MS / 2 + answer.afterMs);
      return { ...answer, groups };
    },
  };
}

export async function startRealWorld(options: WorldOptions): Promise<RealWorld> {
  const time = createSystemClock();
  const { world, sentAt, takeShown } = createWorld(options, time);
  const shownAt = new Map<string, Instant>();
  const { service } = world.service;
  const { answer } = service;
  service.answer = (request) => {
    sentAt.push(time.now());
    const answered = answer(request);
    for (const [entity, status] of takeShown().flatMap(statusesOf)) {
      const key = `${entity} ${status}`;
      if (!shownAt.has(key)) shownAt.set(key, time.now());
    }
    return answered;
  };
  return { ...world, shownAt, ...(await startServer(world.service)) };
}

/** The store changes only by `change-store.ts`. */
function createWorld<Time extends Clock>({ setting, seed, groups }: WorldOptions, time: Time) {
  const service = createInProcessService({
    ...{ seed, groups },
    knobs: { rateLimit: rateLimitOf(setting), limitMax: PAGE_LIMIT, ...setting.knobs },
    clock: { now: time.now, advance: () => {} },
  });
  service.control.pause();
  const sentAt: Instant[] = [];
  const world: BenchWorld<Time> = {
    ...{ setting, time, service, sentAt },
    opening: new Map([...service.store.groups()].flatMap(statusesOf)),
    changes: () => changesOf(service),
  };
  return { world, sentAt, takeShown: noteShown(service) };
}

/** Returns a function that takes the groups selected since it was last called. */
function noteShown({ store }: InProcessService): () => readonly StoredGroup[] {
  const { select } = store;
  let groups: readonly StoredGroup[] = [];
  store.select = (query, from) => {
    const selected = select(query, from);
    groups = selected;
    return selected;
  };
  return () => {
    const taken = groups;
    groups = [];
    return taken;
  };
}

function changesOf({ control }: InProcessService): Change[] {
  return control.history().flatMap(({ at, before, after }) => {
    const old = new Map(before === undefined ? [] : statusesOf(before));
    const now = new Map(after === undefined ? [] : statusesOf(after));
    const entities = [...new Set([...old.keys(), ...now.keys()])];
    return entities
      .filter((entity) => old.get(entity) !== now.get(entity))
      .map((entity) => ({ at, entity, state: now.get(entity) }));
  });
}
