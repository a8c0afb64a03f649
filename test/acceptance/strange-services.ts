// Services that break what the feed relies on: it publishes nothing false, and reports what it may miss.
import { itemMoneyAsText, moneyAsText, PARTS, without } from './damage-rows.ts';
import { removeGroups } from './edit-store.ts';
import { ORDERS } from './plausible-services.ts';
import type { Scenario } from './scenario.ts';

export const STRANGE: readonly Scenario[] = [
  {
    name: 'created-queries-refused',
    about: 'every query by creation time ends with 504',
    draw: (random) => ({
      groups: 60,
      changesPerSecond: 0.5,
      shipmentsMoveStamp: false,
      order: random.pick(ORDERS),
      fault: (query) => (asks(query, 'created_at') ? { status: 504 } : undefined),
    }),
    expects: 'complete or said',
    long: true,
  },
  {
    name: 'look-ups-refused-and-removals',
    about: 'look-ups by return_group_id end with 500, while groups are removed: no removal can be confirmed',
    draw: (random) => ({
      groups: 60,
      changesPerSecond: 0.5,
      order: random.pick(ORDERS),
      fault: (query) => (query.has('return_group_id') ? { status: 500 } : undefined),
      deeds: [{ at: 12_000, requests: 30, edit: removeGroups(random, 2) }],
    }),
    expects: 'complete or said',
    long: true,
  },
  {
    name: 'look-ups-refused',
    about: 'look-ups by return_group_id end with 500',
    draw: (random) => ({
      order: random.pick(ORDERS),
      fault: (query) => (query.has('return_group_id') ? { status: random.pick([500, 503]) } : undefined),
    }),
  },
  {
    name: 'parts-left-out',
    about: 'a list of parts is missing at random, the money of items is text, statuses are unknown',
    draw: (random) => ({
      order: random.pick(ORDERS),
      strangeStatuses: true,
      shipmentsMoveStamp: false,
      damage: (row) => itemMoneyAsText(random.chance(0.3) ? without(row, random.pick(PARTS)) : row),
    }),
    unreadableMoney: true,
  },
  {
    name: 'refunds-as-text',
    about:
      'the amount of some refunds is text. A refund can not be published without its amount, which is a number in the ' +
      'document: everything else is published, or the feed reports which groups it can not read',
    draw: (random) => {
      const residue = random.between(0, 4);
      return {
        order: random.pick(ORDERS),
        damage: (row) => (Number(row.id) % 5 === residue ? moneyAsText(row) : row),
      };
    },
    expects: 'complete or said',
    unreadableMoney: true,
  },
  {
    name: 'stamps-in-local-time',
    about: 'stamps of whole seconds without a zone, in local time: two hours ahead; bounds are exclusive',
    draw: (random) => {
      const shiftMs = 7_200_000;
      return {
        order: random.pick(ORDERS),
        exclusiveBounds: true,
        wholeSeconds: true,
        shiftMs,
        stamp: (time) => new Date(time + shiftMs).toISOString().slice(0, 19),
      };
    },
    reports: 'clock',
  },
];

function asks(query: URLSearchParams, stamp: string): boolean {
  return query.has(`min_${stamp}`) || query.has(`max_${stamp}`);
}
