// Services as they are usual: every check applies.
import { unreadableFor, withoutNulls } from './damage-rows.ts';
import { giveNumbers, removeGroups, removeParts, updateAll } from './edit-store.ts';
import { type Fault, validationError } from './outside-service.ts';
import type { Scenario } from './scenario.ts';

export const ORDERS = ['created', 'newest-created', 'newest-updated'] as const;

/** What the feed is built for: it publishes every change, in time. */
export const PLAUSIBLE: readonly Scenario[] = [
  {
    name: 'shipments-move-no-stamp',
    about: 'changes of shipments do not move updated_at, as usual on SQL: only walks find them',
    draw: (random) => ({ shipmentsMoveStamp: false, kinds: ['parcel', 'label'], order: random.pick(ORDERS) }),
  },
  {
    name: 'bulk-update',
    about: 'all 600 groups change at once, with one stamp',
    draw: (random) => ({
      groups: 600,
      changesPerSecond: 0.5,
      order: random.pick(ORDERS),
      mostRows: random.pick([30, 50, 100]),
      deeds: [{ at: 8_000, edit: updateAll }],
    }),
    quietMs: 90_000,
  },
  {
    name: 'limit-refused',
    about: 'a limit above the maximum is refused with 422',
    draw: (random) => {
      const most = random.pick([20, 50, 100]);
      return {
        order: random.pick(ORDERS),
        mostRows: most,
        fault: (query) =>
          Number(query.get('limit') ?? 0) > most
            ? { status: 422, body: validationError('limit') }
            : undefined,
      };
    },
  },
  {
    name: 'row-that-fails',
    about: 'from the first change on, every answer with one return fails',
    draw: (random) => ({
      order: random.pick(ORDERS),
      failing: { index: random.between(0, 119), as: random.pick<Fault>([{ status: 500 }, 'disconnect']) },
    }),
    afterBaseline: true,
    reports: 'rows_fail',
    quietMs: 120_000,
  },
  {
    name: 'forwarded',
    about:
      'events are posted to a receiver: 15 % of its answers fail, some returns are refused, the feed is killed',
    draw: (random) => ({ groups: 60, changesPerSecond: 2, order: random.pick(ORDERS) }),
    restart: { afterMs: 15_000, signal: 'SIGKILL' },
    isForwarded: true,
    reports: 'behind',
  },
  {
    name: 'list-window',
    about: 'no list shows more than the first 200 of 700 rows; later pages are empty',
    draw: (random) => ({
      groups: 700,
      windowRows: 200,
      order: random.pick(ORDERS),
      mostRows: random.pick([40, 50, 64, 100, 250]),
    }),
    quietMs: 90_000,
  },
  offsetsRefused('offsets-refused-422', 422),
  offsetsRefused('offsets-refused-400', 400),
  {
    name: 'nulls-omitted',
    about:
      'nulls are omitted, last_rma_number appears late and again later; shipments and numbers move no stamp',
    draw: (random) => ({
      shipmentsMoveStamp: false,
      order: random.pick(ORDERS),
      damage: withoutNulls,
      changesPerSecond: 0.5,
      // Several cycles lie between the first number and the next.
      deeds: [
        { at: 5_000, edit: giveNumbers(random, 1) },
        { at: 30_000 + random.between(0, 4_000), requests: 60, edit: giveNumbers(random, 3) },
        { at: 38_000, requests: 80, edit: giveNumbers(random, 3) },
      ],
    }),
    afterBaseline: true,
    busyMs: 42_000,
    firstShown: ['last_rma_number', 'last_rma_provider'],
  },
  {
    name: 'unreadable-rows',
    about: 'for some time rows are {} or have no id, also in look-ups',
    draw: (random) => ({
      order: random.pick(ORDERS),
      damage: unreadableFor(random, 8_000, 28_000),
    }),
    busyMs: 30_000,
  },
  {
    name: 'another-store',
    about: 'after a restart the same token shows another store at another address, with the same ids',
    draw: () => ({}),
    busyMs: 15_000,
    expects: 'held',
    restart: { afterMs: 15_000, signal: 'SIGINT', otherStore: () => ({}) },
  },
  {
    name: 'another-store-of-other-ids',
    about: 'after a restart the same token shows another store at another address, with other ids',
    draw: () => ({}),
    busyMs: 15_000,
    expects: 'held',
    restart: { afterMs: 15_000, signal: 'SIGINT', otherStore: () => ({ firstId: 900_001 }) },
  },
  {
    name: 'quiet-before-a-silent-start',
    about:
      'nothing changed for a minute before a silent baseline: only what changed within the lookback before may be announced',
    draw: (random) => ({ order: random.pick(ORDERS) }),
    watch: { baseline: 'silent' },
    afterBaseline: true,
  },
  {
    name: 'random-order',
    about: 'another order at every request, and at most ten rows whatever the limit',
    draw: () => ({ groups: 80, order: 'random', defaultLimit: 10, mostRows: 10 }),
    quietMs: 90_000,
  },
  {
    name: 'stamps-without-zone',
    about: 'stamps of whole seconds without a zone, in UTC; bounds are exclusive',
    draw: (random) => ({
      order: random.pick(ORDERS),
      exclusiveBounds: true,
      wholeSeconds: true,
      stamp: (time) => new Date(time).toISOString().slice(0, 19),
    }),
  },
  {
    name: 'late-and-stale',
    about: 'changes show up to 8 s after their stamp, replicas are 2 s behind; shipments move no stamp',
    draw: (random) => ({
      order: random.pick(ORDERS),
      shipmentsMoveStamp: false,
      staleMs: 2_000,
      drawDelayMs: () => (random.chance(0.6) ? 8_000 : 0),
    }),
  },
  {
    name: 'faulty-answers',
    about: 'truncated JSON, 500, 429 with Retry-After, connections that hang or break, 15 in 100',
    draw: (random) => ({
      order: random.pick(ORDERS),
      fault: () => (random.chance(0.15) ? random.pick(FAULTS) : undefined),
    }),
    watch: { timeout: '3s' },
    quietMs: 90_000,
  },
  {
    name: 'real-removals',
    about: 'groups and parts are really removed',
    draw: (random) => ({
      order: random.pick(ORDERS),
      deeds: [
        { at: 8_000, edit: removeGroups(random, 2) },
        { at: 11_000, edit: removeParts(random, 3) },
        { at: 18_000, edit: removeGroups(random, 1) },
        { at: 20_000, edit: removeParts(random, 2) },
      ],
    }),
    quietMs: 60_000,
  },
  {
    name: 'killed',
    about: 'kill -9 in the middle, and a start on the same directory',
    draw: (random) => ({ changesPerSecond: 5, order: random.pick(ORDERS) }),
    restart: { afterMs: 13_000, signal: 'SIGKILL' },
  },
];

function offsetsRefused(name: string, status: number): Scenario {
  return {
    name,
    about: `offsets above a bound are refused with ${status}`,
    draw: (random) => {
      const bound = random.pick([100, 150, 200]);
      return {
        groups: 500,
        order: random.pick(ORDERS),
        mostRows: random.pick([50, 100]),
        fault: (query) =>
          Number(query.get('offset') ?? 0) > bound ? { status, body: validationError('offset') } : undefined,
      };
    },
    quietMs: 90_000,
  };
}

const FAULTS: readonly Fault[] = [
  'truncate',
  'hang',
  'disconnect',
  { status: 500 },
  { status: 502, body: '<html>Bad Gateway</html>' },
  { status: 429, retryAfterS: 1 },
];
