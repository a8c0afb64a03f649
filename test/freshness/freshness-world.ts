// A reference service in virtual time, with a log of its requests, each of which takes a fixed time.
import {
  createInProcessService,
  type InProcessService,
} from '../../local/reference-service/in-process-service.ts';
import type { Answer } from '../../local/reference-service/service/answer.ts';
import type { StoredGroup } from '../../local/reference-service/store/stored-group.ts';
import type { Instant } from '../../shared/instant.ts';
import { PAGE_LIMIT } from '../../shared/limits.ts';
import { createVirtualClock, type VirtualClock } from '../fakes/virtual-clock.ts';
import type { Change } from '../readers/measure.ts';
import { statusesOf } from '../usual-poller/usual-poller.ts';
import type { Setting } from './settings.ts';

/** An answer with its groups, so that readers need not parse its text. */
interface AnswerOfGroups extends Answer {
  readonly groups: readonly StoredGroup[];
}

export interface FreshnessWorld {
  readonly setting: Setting;
  readonly time: VirtualClock;
  readonly service: InProcessService;
  /** When each request was sent. */
  readonly sentAt: readonly Instant[];
  /** The statuses at the opening. */
  readonly opening: ReadonlyMap<string, string>;
  ask(path: string, query: URLSearchParams): Promise<AnswerOfGroups>;
  /** The changes of statuses in the store so far, in order. */
  changes(): readonly Change[];
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
  readonly sightings: readonly Change[];
  /** What it reports that it should not: errors, holds. */
  notes(): readonly string[];
  /** Resolves when it has ended. */
  stop(): Promise<void>;
}

/** The maximum of requests a minute for each token. */
export const RATE_LIMIT = 300;
const REQUEST_MS = 50;

/** The store changes only by `change-store.ts`. */
export function createFreshnessWorld({ setting, seed, groups }: WorldOptions): FreshnessWorld {
  const time = createVirtualClock();
  const service = createInProcessService({
    ...{ seed, groups },
    knobs: { rateLimit: RATE_LIMIT, limitMax: PAGE_LIMIT, ...setting.knobs },
    clock: { now: time.now, advance: () => {} },
  });
  service.control.pause();
  const shown = noteShown(service);
  const sentAt: Instant[] = [];
  return {
    ...{ setting, time, service, sentAt },
    opening: new Map([...service.store.groups()].flatMap((group) => statusesOf(group))),
    async ask(path, query) {
      sentAt.push(time.now());
      await time.sleep(REQUEST_MS / 2);
      const answer = service.service.answer({ path, query, token: service.token });
      const groups = shown();
      await time.sleep(REQUEST_MS / 2 + answer.afterMs);
      return { ...answer, groups };
    },
    changes: () => changesOf(service),
  };
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
