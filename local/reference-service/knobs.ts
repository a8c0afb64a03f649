// Each question that the service's document leaves open is a knob. The defaults give an ordinary, correct service; each
// other value is a behaviour that a real service might have.

import { amount, count, flag, type Knob, matching, oneOf, share, someOf, span } from './knob-kinds.ts';
import { FAILING_WAYS } from './service/failing-rows.ts';
import { FAULT_KINDS } from './service/fault-kinds.ts';
import { UNREADABLE_WAYS } from './showing/unreadable.ts';
import { ABSURD_KINDS } from './store/absurd-stamps.ts';
import { ORDERS } from './store/orders.ts';
import { PARTS } from './store/stored-group.ts';

export const KNOBS = {
  // The list.
  order: oneOf(
    ORDERS,
    'created_at:desc',
    'Order of the list. heap: a changed group moves to the end. shuffled: it moves to a random place. ' +
      'random: each request gets another order.',
  ),
  ties: oneOf(
    ['stable', 'unstable'],
    'stable',
    'Whether groups with equal timestamps keep their order between requests.',
  ),
  limitDefault: count(50, 1, 'Rows of a page if the request has no limit.'),
  limitMax: count(250, 1, 'Maximum number of rows of a page.'),
  limitOver: oneOf(
    ['clamp', 'refuse'],
    'clamp',
    'Answer to a limit above limit-max. clamp: limit-max rows. refuse: a 422.',
  ),
  limitChanges: matching(
    /^(none|\d{1,6}:\d{1,6}(,\d{1,6}:\d{1,6})*)$/,
    'none | seconds:limit, …',
    'none',
    'Changes of limit-max while the service runs, in seconds after the start, for instance 60:20,120:100.',
  ),
  offsetMax: count(0, 0, 'Lists end before the row at this offset; 0: no end.'),
  offsetMaxOf: oneOf(
    ['all', 'updated', 'created'],
    'all',
    'Lists that end at offset-max. updated: those with a filter by updated_at. created: all others.',
  ),
  offsetOver: oneOf(
    ['empty', 'refuse', 'bad-request', 'timeout'],
    'empty',
    'Answer to an offset of offset-max or more. empty: an empty list. refuse: a 422 that names offset-max. ' +
      'bad-request: a 400. timeout: a 504.',
  ),
  pageBytes: count(0, 0, 'Maximum number of bytes of a page, which holds at least one row; 0: no limit.'),
  hiddenEvery: count(
    0,
    0,
    'Lists leave out each group whose id is divisible by this, after the limit; look-ups by id show it. 0: none.',
  ),
  ignoredFilters: oneOf(
    ['none', 'updated', 'created', 'all'],
    'none',
    'Filters that are ignored: those by updated_at, those by created_at, or both.',
  ),
  // Bounds and stamps.
  lowerBound: oneOf(
    ['inclusive', 'exclusive'],
    'inclusive',
    'Whether min_… filters include the timestamp they name.',
  ),
  upperBound: oneOf(
    ['inclusive', 'exclusive'],
    'inclusive',
    'Whether max_… filters include the timestamp they name.',
  ),
  stampPrecision: oneOf(
    ['us', 'ms', 's'],
    'us',
    'Precision of the timestamps in answers: microseconds, milliseconds or seconds (cut off, not rounded).',
  ),
  stampForm: matching(
    /^(Z|[+-]\d\d:\d\d|none(:[+-]\d\d:\d\d)?)$/,
    'Z | +00:00 | another offset | none | none:+02:00',
    '+00:00',
    'Zone of the timestamps in answers. none: UTC, without writing the zone. none:-05:00: the time of that zone, ' +
      'without writing it. Filters without a zone are read in the same way.',
  ),
  createdForm: matching(
    /^(same|Z|[+-]\d\d:\d\d|none(:[+-]\d\d:\d\d)?)$/,
    'same | a form of stamp-form',
    'same',
    'Zone of created_at of return groups, and of the filters by it, where it differs from the other timestamps.',
  ),
  filterSkewSeconds: amount(
    0,
    'seconds',
    'Filters by updated_at are read as if they named a time this much later, as by a service that takes them for ' +
      'another zone.',
    -1_000_000,
  ),
  compares: oneOf(
    ['stored', 'shown'],
    'stored',
    'Whether filters and order use the full timestamps or the timestamps as shown in answers.',
  ),
  strings: oneOf(
    ['exact', 'ignore-case', 'partial'],
    'exact',
    'How string filters match; partial also ignores case.',
  ),
  // Changes.
  touches: someOf(PARTS, PARTS, 'Parts of a group whose changes update its updated_at.'),
  lateSeconds: span(
    { least: 0, most: 0 },
    'seconds',
    'Delay between a change’s timestamp and its visibility.',
  ),
  lateShare: share(1, 'Share of changes with the delay of late-seconds.'),
  staleShare: share(0, 'Share of requests that a lagging replica answers.'),
  staleSeconds: amount(30, 'seconds', 'Lag of the replica.'),
  bulkSize: count(
    0,
    0,
    'Size of bulk changes: one random change in fifty changes this many open groups at once, with equal ' +
      'timestamps; 0: none.',
  ),
  removals: share(0, 'Share of random changes that remove an entity of a group.'),
  groupRemovals: share(0, 'Share of random changes that remove a whole group.'),
  reappearances: share(0, 'Share of random changes that bring a removed group back.'),
  absurdEvery: count(0, 0, 'Each group whose id is divisible by this has absurd timestamps; 0: none.'),
  absurdStamps: oneOf(
    ['mixed', ...ABSURD_KINDS],
    'mixed',
    'Kind of absurd timestamps. ahead: updated_at minutes ahead. future: updated_at days to months ahead. ' +
      'far: updated_at in the year 9999. past: updated_at in the year 1. created: created_at in the year 9999. ' +
      'mixed: all of these.',
  ),
  lifetimeFactor: count(1, 1, 'How many times as long as usual the initial groups stay open.'),
  createdTogether: count(
    1,
    1,
    'Number of initial groups that were created within a millisecond, as by an import.',
  ),
  // The form of a group.
  unlistedStatuses: share(
    0,
    'Share of status changes, and of initial statuses, with a value that no document lists.',
  ),
  newFields: flag('Whether groups have fields that the document does not list.'),
  personalFields: flag('Whether customers have fields named after their own name, e-mail and phone number.'),
  omissions: oneOf(
    ['none', 'samples', 'all'],
    'none',
    'Required fields that are missing. samples: those that the document’s samples omit. all: all but ids, ' +
      'statuses, created_at, updated_at and the arrays of entities.',
  ),
  lineItemType: oneOf(
    ['return_line_item', 'return', 'absent'],
    'return_line_item',
    'The type of a returned line item.',
  ),
  arrays: oneOf(
    ['full', 'null-if-empty', 'absent-if-empty', 'flicker'],
    'full',
    'Form of empty arrays. flicker: any array of entities is sometimes null or absent.',
  ),
  nulls: oneOf(
    ['present', 'absent', 'flicker'],
    'present',
    'Whether optional fields with the value null are present.',
  ),
  childOrder: oneOf(['stable', 'shuffled'], 'stable', 'Order of the entities within a group.'),
  unreadableEvery: count(0, 0, 'Each group whose id is divisible by this is unreadable; 0: none.'),
  unreadableAs: oneOf(
    ['mixed', ...UNREADABLE_WAYS],
    'mixed',
    'Why unreadable groups are unreadable. mixed: all of these reasons.',
  ),
  // Access and limits.
  badToken: oneOf(
    ['401', '403', '404', '500', 'empty', 'html'],
    '401',
    'Answer to a missing or wrong token. empty: 200 with an empty list. html: 200 with a login page.',
  ),
  tokenSees: oneOf(
    ['own', 'empty', 'other'],
    'own',
    'Store that the token reads: its own, an empty one, or another one with the same ids.',
  ),
  rateLimit: count(300, 0, 'Maximum requests a minute for each token; 0: no limit.'),
  rateBody: oneOf(['json', 'text', 'html', 'empty'], 'json', 'Body of a 429.'),
  retryAfter: oneOf(['seconds', 'date', 'none'], 'seconds', 'Form of the Retry-After header of a 429.'),
  date: oneOf(['present', 'missing'], 'present', 'Whether answers have a Date header.'),
  stampsAheadSeconds: amount(
    0,
    'seconds',
    'Lead of the clock that assigns updated_at over the store’s clock.',
  ),
  dateSkewSeconds: amount(
    0,
    'seconds',
    "How far the Date header is ahead of the store's clock; below 0: behind.",
    -1_000_000,
  ),
  latencyMs: span({ least: 0, most: 0 }, 'milliseconds', 'Duration of an answer.'),
  allowlistItems: count(40, 0, 'Number of allowlist items.'),
  // Faults.
  faultRate: share(0, 'Share of requests that fail.'),
  faultKinds: someOf(FAULT_KINDS, FAULT_KINDS, 'Faults that fault-rate chooses from.'),
  failingEvery: count(
    0,
    0,
    'Each answer with a group whose id is divisible by this fails, as failing-as says; 0: none.',
  ),
  failingAs: oneOf(
    FAILING_WAYS,
    '500',
    'How an answer with a failing group fails. nan: NaN in place of the group, which is no JSON.',
  ),
  slowSeconds: amount(3, 'seconds', 'Duration of a slow answer.'),
  pauseSeconds: count(2, 0, 'Seconds in the Retry-After header of faults that have one.'),
} satisfies Record<string, Knob<unknown>>;

export type KnobName = keyof typeof KNOBS;

type ValueOf<K> = K extends Knob<infer Value> ? Value : never;

/** The values of all knobs. */
export type Knobs = { -readonly [Name in KnobName]: ValueOf<(typeof KNOBS)[Name]> };

export const KNOB_NAMES = Object.keys(KNOBS) as KnobName[];

export function defaultKnobs(): Knobs {
  return Object.fromEntries(KNOB_NAMES.map((name) => [name, KNOBS[name].byDefault])) as Knobs;
}
