// Every question that the service's document leaves open is a knob here: the defaults make an ordinary, honest
// service, and each other value is something that a real one might do.

import { amount, count, flag, type Knob, matching, oneOf, share, someOf, span } from './knob-kinds.ts';
import { FAULT_KINDS } from './service/fault-kinds.ts';
import { ORDERS } from './store/orders.ts';
import { PARTS } from './store/stored-group.ts';

export const KNOBS = {
  // The list.
  order: oneOf(
    ORDERS,
    'created_at:desc',
    'Order of the list. heap: a changed group moves to the end; shuffled: to anywhere; random: another order for each request.',
  ),
  ties: oneOf(
    ['stable', 'unstable'],
    'stable',
    'Whether groups of equal stamps keep their order from one request to the next.',
  ),
  limitDefault: count(50, 1, 'Rows of a page if no limit is asked for.'),
  limitMax: count(250, 1, 'Most rows of a page.'),
  limitOver: oneOf(
    ['clamp', 'refuse'],
    'clamp',
    'What a limit above the most gets: that many rows without a word, or a 422.',
  ),
  limitChanges: matching(
    /^(none|\d{1,6}:\d{1,6}(,\d{1,6}:\d{1,6})*)$/,
    'none | seconds:limit, …',
    'none',
    'The most rows of a page change so many seconds after the start: 60:20,120:100.',
  ),
  offsetMax: count(0, 0, 'A list shows no row at or behind this offset; 0: all of them.'),
  offsetOver: oneOf(
    ['empty', 'refuse', 'bad-request', 'timeout'],
    'empty',
    'What an offset at or above offsetMax gets: an empty list, a 422 that names it, a 400, or a 504.',
  ),
  pageBytes: count(
    0,
    0,
    'A page ends before its body grows beyond so many bytes, but holds at least one row; 0: no such end.',
  ),
  // Bounds and stamps.
  lowerBound: oneOf(['inclusive', 'exclusive'], 'inclusive', 'Whether min_… bounds include their own stamp.'),
  upperBound: oneOf(['inclusive', 'exclusive'], 'inclusive', 'Whether max_… bounds include their own stamp.'),
  stampPrecision: oneOf(
    ['us', 'ms', 's'],
    'us',
    'Precision of the stamps shown: microseconds, milliseconds or seconds (cut off, not rounded).',
  ),
  stampForm: matching(
    /^(Z|[+-]\d\d:\d\d|none(:[+-]\d\d:\d\d)?)$/,
    'Z | +00:00 | another offset | none | none:+02:00',
    '+00:00',
    'Zone of the stamps shown: none is UTC without telling, none:-05:00 the time of that zone without telling. Bounds without a zone are read in the same way.',
  ),
  compares: oneOf(
    ['stored', 'shown'],
    'stored',
    'Whether bounds and order go by the full stamps or by the stamps as shown.',
  ),
  strings: oneOf(
    ['exact', 'ignore-case', 'partial'],
    'exact',
    'How the string filters match; partial ignores case too.',
  ),
  // What changes do.
  touches: someOf(PARTS, PARTS, 'Parts whose changes move the updated_at of their group.'),
  lateSeconds: span({ least: 0, most: 0 }, 'seconds', 'Changes show so long after their stamp.'),
  lateShare: share(1, 'The share of changes that lateSeconds applies to.'),
  staleShare: share(0, 'The share of requests that a lagging replica answers.'),
  staleSeconds: amount(30, 'seconds', 'How far behind the lagging replica is.'),
  bulkSize: count(
    0,
    0,
    'One change of life in fifty changes so many open groups at once, all with one stamp; 0: never.',
  ),
  removals: share(0, 'The share of life’s changes that remove an entity of a group.'),
  groupRemovals: share(0, 'The share of life’s changes that remove a whole group.'),
  reappearances: share(0, 'The share of life’s changes that bring a removed group back.'),
  absurdEvery: count(0, 0, 'Each group whose id is divisible by this has absurd stamps; 0: none.'),
  absurdStamps: oneOf(
    ['mixed', 'ahead', 'future', 'far', 'past', 'created'],
    'mixed',
    'updated_at a few minutes ahead, months ahead, in the year 9999, in the year 1; or created_at in 9999. mixed: all of them.',
  ),
  // What a group looks like.
  unlistedStatuses: share(
    0,
    'The share of status changes, and of statuses at the start, to a value that no document lists.',
  ),
  newFields: flag('Fields that the document does not have.'),
  personalFields: flag('Customers have a field that is named by their own name, e-mail and phone number.'),
  omissions: oneOf(
    ['none', 'samples', 'all'],
    'none',
    'Required fields that are missing: none, those missing in the document’s samples, or all but ids, statuses and stamps.',
  ),
  lineItemType: oneOf(
    ['return_line_item', 'return', 'absent'],
    'return_line_item',
    'The type of a returned line item.',
  ),
  arrays: oneOf(
    ['full', 'null-if-empty', 'absent-if-empty', 'flicker'],
    'full',
    'How empty arrays are written; flicker: any array of entities is now and then null or absent.',
  ),
  nulls: oneOf(
    ['present', 'absent', 'flicker'],
    'present',
    'Whether optional fields that are null are written.',
  ),
  childOrder: oneOf(['stable', 'shuffled'], 'stable', 'Order of the entities within a group.'),
  unreadableEvery: count(0, 0, 'Each group whose id is divisible by this is unreadable; 0: none.'),
  unreadableAs: oneOf(
    [
      'mixed',
      'no-object',
      'no-id',
      'null-row',
      'empty-object',
      'null-id',
      'id-quoted',
      'id-beyond-integers',
      'id-as-text',
      'huge-id',
      'doubled-ids',
      'no-status',
      'status-as-number',
      'bad-stamp',
      'money-as-text',
    ],
    'mixed',
    'How unreadable groups are unreadable.',
  ),
  // Access and limits.
  badToken: oneOf(
    ['401', '403', '404', '500', 'empty', 'html'],
    '401',
    'What a missing or wrong token gets; empty: 200 with an empty list, html: 200 with a page to log in.',
  ),
  tokenSees: oneOf(
    ['own', 'empty', 'other'],
    'own',
    'The store that the token sees: its own, an empty one, or another one with ids that it knows.',
  ),
  rateLimit: count(300, 0, 'Requests a minute and token; 0: no limit.'),
  rateBody: oneOf(['json', 'text', 'html', 'empty'], 'json', 'Body of a 429.'),
  retryAfter: oneOf(['seconds', 'date', 'none'], 'seconds', 'The Retry-After of a 429.'),
  date: oneOf(['present', 'missing'], 'present', 'Whether answers have a Date.'),
  dateSkewSeconds: amount(0, 'seconds', 'How far the Date of answers runs ahead of the stamps.', -1_000_000),
  latencyMs: span({ least: 0, most: 0 }, 'milliseconds', 'How long an answer takes.'),
  allowlistItems: count(40, 0, 'How many allowlist items there are.'),
  // Faults.
  faultRate: share(0, 'The share of requests that meet a fault.'),
  faultKinds: someOf(FAULT_KINDS, FAULT_KINDS, 'The faults that faultRate chooses from.'),
  slowSeconds: amount(3, 'seconds', 'How long a slow answer takes.'),
  pauseSeconds: count(2, 0, 'The Retry-After of faults that have one, in seconds.'),
} satisfies Record<string, Knob<unknown>>;

export type KnobName = keyof typeof KNOBS;

type ValueOf<K> = K extends Knob<infer Value> ? Value : never;

/** The setting of all knobs. */
export type Knobs = { -readonly [Name in KnobName]: ValueOf<(typeof KNOBS)[Name]> };

export const KNOB_NAMES = Object.keys(KNOBS) as KnobName[];

export function defaultKnobs(): Knobs {
  return Object.fromEntries(KNOB_NAMES.map((name) => [name, KNOBS[name].byDefault])) as Knobs;
}
