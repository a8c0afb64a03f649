// The returns of an invented online store: seeded, changing at random, and queried by page. It is independent of HTTP
// and has no clock or timer of its own, so a simulation can run it at any speed. Each access first brings it up to the
// present.

import { type Instant, SECOND } from '../../../shared/instant.ts';
import { defaultKnobs, type Knobs } from '../knobs.ts';
import { unitOf } from '../showing/stamp-form.ts';
import { createBaseGroups } from './base-groups.ts';
import type { Change } from './change.ts';
import { type ChangesByHand, createChangesByHand } from './changes-by-hand.ts';
import { rowOfGroupId } from './identities.ts';
import { createLife } from './life.ts';
import type { GroupQuery, Manner } from './query.ts';
import { createRandom, mix } from './seeded-random.ts';
import { selectGroups } from './select.ts';
import type { StoredGroup } from './stored-group.ts';
import { createTruth } from './truth.ts';
import { createView, type View } from './view.ts';

export interface StoreOptions {
  /** The store's clock; it must not go back. */
  readonly now: () => Instant;
  /** @default 1 */
  readonly seed?: number | undefined;
  /** The initial number of groups. @default 300 */
  readonly groups?: number | undefined;
  /** False, or 0 changes, makes no random changes. @default 2 changes per second */
  readonly life?: { readonly changesPerSecond: number } | false | undefined;
  /** Whether to keep every change, which costs memory. @default true */
  readonly keepsHistory?: boolean | undefined;
  /** Called at each use, because knobs may change while the store runs. */
  readonly knobs?: (() => Knobs) | undefined;
}

export interface Store extends ChangesByHand {
  /** Makes all changes that are due by now. */
  catchUp(): void;
  /** One page, as the primary or the lagging replica shows it. */
  select(query: GroupQuery, from?: 'primary' | 'replica'): StoredGroup[];
  /** The true state of the group, also if it is not visible yet. */
  group(id: number): StoredGroup | undefined;
  /** The true state of all groups, by id. */
  groups(): Iterable<StoredGroup>;
  /** All changes since the store was opened, in order. */
  history(): readonly Change[];
  pause(): void;
  resume(): void;
  /** Restarts the lagging replica from the primary's state. Call this when its knobs change. */
  resetReplica(): void;
}

/**
 * Earlier than all times of the clock: a change without a delay shows at the next access, even if its stamp is ahead.
 */
const AT_ONCE: Instant = 0;

export function createStore(options: StoreOptions): Store {
  const { now, seed = 1, groups = 300, life = { changesPerSecond: 2 }, keepsHistory = true } = options;
  const settled = defaultKnobs();
  const knobs = options.knobs ?? (() => settled);
  const openedAt = now();
  const base = createBaseGroups({
    seed,
    groups,
    openedAt,
    absurd: { every: knobs().absurdEvery, kind: knobs().absurdStamps },
    unlisted: knobs().unlistedStatuses,
    lifetimeFactor: knobs().lifetimeFactor,
    createdTogether: knobs().createdTogether,
  });
  const { view: primary, openRows } = createView(base);
  const history: Change[] = [];
  let replica: View | undefined = knobs().staleShare > 0 ? primary.copy() : undefined;

  const truth = createTruth({
    base,
    knobs,
    random: createRandom(mix(seed, 41)),
    onChange: (change) => {
      if (keepsHistory) history.push(change);
      primary.show(change, change.shownFrom === change.at ? AT_ONCE : change.shownFrom);
      replica?.show(change, Math.max(change.at + knobs().staleSeconds * SECOND, change.shownFrom));
    },
  });
  const living = createLife(truth, {
    changesPerSecond: life === false ? 0 : life.changesPerSecond,
    startAt: openedAt,
    seed,
    random: createRandom(mix(seed, 42)),
    knobs,
    openRows,
  });

  const catchUp = (): void => {
    living.runUntil(now());
    primary.advance(now());
    replica?.advance(now());
  };
  const nextInstant = (): Instant => {
    catchUp();
    // Stamps of changes by hand always increase: two changes at one instant get different stamps.
    return Math.max(now(), truth.lastAt + 1);
  };
  const queryRandom = createRandom(mix(seed, 43));

  return {
    ...createChangesByHand(truth, { seed, random: createRandom(mix(seed, 44)), knobs, nextInstant }),
    catchUp,
    select(query, from = 'primary') {
      catchUp();
      const view = from === 'replica' ? (replica ?? primary) : primary;
      return selectGroups(view, query, mannerOf(knobs()), queryRandom);
    },
    group(id) {
      catchUp();
      return truth.group(rowOfGroupId(id));
    },
    *groups() {
      catchUp();
      for (let row = 0; row < truth.rows; row += 1) {
        const group = truth.group(row);
        if (group !== undefined) yield group;
      }
    },
    history() {
      catchUp();
      return history;
    },
    pause: () => living.pause(now()),
    resume: () => living.resume(now()),
    resetReplica() {
      catchUp();
      replica = knobs().staleShare > 0 ? primary.copy() : undefined;
    },
  };
}

function mannerOf({ order, ties, strings, compares, stampPrecision }: Knobs): Manner {
  return { order, ties, strings, unit: compares === 'stored' ? 1 : unitOf(stampPrecision) };
}
