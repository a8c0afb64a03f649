// A reference service in virtual time, with a log of its requests: each takes a fixed time, and is logged with the
// groups in its answer.
import {
  createInProcessService,
  type InProcessService,
} from '../../local/reference-service/in-process-service.ts';
import type { Answer } from '../../local/reference-service/service/answer.ts';
import type { StoredGroup } from '../../local/reference-service/store/stored-group.ts';
import { type Instant, MILLISECOND } from '../../shared/instant.ts';
import { PAGE_LIMIT } from '../../shared/limits.ts';
import { createVirtualClock, type VirtualClock } from '../fakes/virtual-clock.ts';
import { statusesOf } from '../usual-poller/usual-poller.ts';
import type { StatusChange } from './measure.ts';
import type { Changing, Setting } from './settings.ts';

export interface Exchange {
  /** When it was sent. */
  readonly at: Instant;
  readonly query: string;
  readonly status: number;
  /** The groups in the answer. */
  readonly groups: readonly number[];
  /** The purpose of a request of our poller; undefined for other readers. */
  readonly purpose: string | undefined;
}

/** An answer with its groups, so that readers need not parse its text. */
interface AnswerOfGroups extends Answer {
  readonly groups: readonly StoredGroup[];
}

export interface FreshnessWorld {
  readonly setting: Setting;
  readonly changing: Changing;
  readonly time: VirtualClock;
  readonly service: InProcessService;
  readonly exchanges: readonly Exchange[];
  /** The statuses at the opening. */
  readonly opening: ReadonlyMap<string, string>;
  /** Sends one request, which takes `requestMs`. */
  ask(path: string, query: URLSearchParams, purpose?: string): Promise<AnswerOfGroups>;
  /** The changes of statuses in the store so far, in order. */
  changes(): readonly StatusChange[];
}

export interface WorldOptions {
  readonly setting: Setting;
  readonly seed: number;
  readonly groups: number;
  /** The duration of a request. */
  readonly requestMs: number;
  readonly changing: Changing;
  /**
   * Rows of a page at most, where the setting does not clamp it further.
   *
   * @default PAGE_LIMIT
   */
  readonly pageRows?: number;
}

/** The maximum of requests a minute for each token. */
export const RATE_LIMIT = 300;

/** The store does not change by itself until it is resumed. */
export function createFreshnessWorld(options: WorldOptions): FreshnessWorld {
  const { setting, seed, groups, requestMs, changing, pageRows = PAGE_LIMIT } = options;
  const time = createVirtualClock();
  const service = createInProcessService({
    seed,
    groups,
    knobs: { rateLimit: RATE_LIMIT, limitMax: pageRows, ...setting.knobs },
    clock: { now: time.now, advance: () => {} },
    life: { changesPerSecond: setting.changesPerSecond },
  });
  service.control.pause();
  const opening = new Map([...service.store.groups()].flatMap((group) => statusesOf(group)));
  const shown = noteShown(service);
  const exchanges: Exchange[] = [];
  return {
    setting,
    changing,
    time,
    service,
    exchanges,
    opening,
    async ask(path, query, purpose) {
      const at = time.now();
      await time.sleep(requestMs / 2);
      const answer = service.service.answer({ path, query, token: service.token });
      const groups = shown();
      const ids = groups.map(({ id }) => id);
      exchanges.push({ at, query: query.toString(), status: answer.status, groups: ids, purpose });
      await time.sleep(requestMs / 2 + answer.afterMs);
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

function changesOf({ control }: InProcessService): StatusChange[] {
  return control.history().flatMap(({ at, before, after }) => {
    const old = new Map(before === undefined ? [] : statusesOf(before));
    const now = new Map(after === undefined ? [] : statusesOf(after));
    const entities = [...new Set([...old.keys(), ...now.keys()])];
    return entities
      .filter((entity) => old.get(entity) !== now.get(entity))
      .map((entity) => ({ at, entity, status: now.get(entity) }));
  });
}

/** Milliseconds since the epoch. */
export function slotAt(time: VirtualClock): number {
  return Math.floor(time.now() / MILLISECOND);
}
