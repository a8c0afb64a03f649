// Each question that the service's document leaves open is a knob. The defaults give an ordinary, correct service; each
// other value is a behaviour that a real service might have.

export const ORDERS = [
  'updated_at:desc',
  'updated_at:asc',
  'created_at:desc',
  'created_at:asc',
  'id:desc',
  'id:asc',
  'heap',
  'shuffled',
  'random',
] as const;

/** The parts of a group (stored-group.ts). */
export const PARTS = [
  'return_group',
  'return_line_item',
  'shipment',
  'exchange_line_item',
  'refund_transaction',
] as const;
export type Part = (typeof PARTS)[number];

export const FAULT_KINDS = [
  ...(['500-json', '500-html', '502-html', '503-json', '503-retry-after'] as const),
  ...(['429', '429-retry-after', '429-date', 'reset', 'reset-midway', 'hang', 'slow'] as const),
  ...(['truncated', 'not-json', 'html', 'empty', '404', 'date-missing', 'date-skewed'] as const),
] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

/** How a limit above the maximum is answered: fewer rows, a 422, or another status. */
export const LIMIT_OVER = ['clamp', 'refuse', '400', '404', '405', '413', '504'] as const;

export const FAILING_WAYS = ['500', 'reset', 'cut', 'hang', 'nan'] as const;

/** Why a row can't be read as a whole. */
export const UNREADABLE_WAYS = [
  ...(['no-object', 'no-id', 'null-row', 'id-as-text', 'huge-id', 'bad-stamp'] as const),
] as const;

/** A knob of the command line. */
interface Knob<Value> {
  /** The allowed values, for help texts. */
  readonly values: string;
  readonly byDefault: Value;
  readonly description: string;
  /** The value of a text, or undefined if the text is invalid. */
  read(text: string): Value | undefined;
}

/** From `least` to `most`, both included. */
export interface Span {
  readonly least: number;
  readonly most: number;
}

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
    'Whether groups with equal timestamps, and the entities within a group, keep their order between requests.',
  ),
  limitMax: count(250, 1, 'Maximum number of rows of a page.'),
  offsetMax: count(0, 0, 'Lists end before the row at this offset; 0: no end.'),
  limitOver: oneOf(
    LIMIT_OVER,
    'clamp',
    'Answer to a limit above limit-max or an offset of offset-max. clamp: fewer rows. refuse: a 422. A status: ' +
      'the limit is refused with it.',
  ),
  emptyAs: oneOf(
    ['list', '404'],
    'list',
    'Answer to a request that nothing matches: an empty list, or a 404.',
  ),
  bounds: oneOf(
    ['inclusive', 'exclusive', 'half-open'],
    'inclusive',
    'Whether filters include the timestamp that they name. half-open: only min_… filters do.',
  ),
  strings: oneOf(
    ['exact', 'ignore-case', 'partial'],
    'exact',
    'How string filters match; partial also ignores case.',
  ),
  // Changes.
  stampPrecision: oneOf(
    ['us', 'ms', 's'],
    'us',
    'Precision of the timestamps in answers: microseconds, milliseconds or seconds (cut off, not rounded).',
  ),
  stampForm: {
    ...{ values: 'Z | +00:00 | another offset | none | none:+02:00', byDefault: '+00:00' },
    description:
      'Zone of the timestamps in answers. none: UTC, without writing the zone. none:-05:00: the time of that zone, ' +
      'without writing it. Filters without a zone are read in the same way.',
    read: (text) => /^(Z|[+-]\d\d:\d\d|none(:[+-]\d\d:\d\d)?)$/.exec(text)?.[0],
  } as Knob<string>,
  touches: someOf(PARTS, 'Parts of a group whose changes move its updated_at.'),
  lateSeconds: span('seconds', 'Delay between a change’s timestamp and its visibility.'),
  staleShare: share('Share of requests that a lagging replica answers.'),
  staleSeconds: count(30, 0, 'Lag of the replica, in seconds.'),
  removals: share('Share of changes that remove an entity or a group, or bring a group back.'),
  // The form of a group.
  unlistedStatuses: share(
    'Share of status changes, and of initial statuses, with a value that no document lists.',
  ),
  newFields: {
    ...{ values: 'true | false', byDefault: false },
    description:
      'Whether groups have fields that the document does not list, one of them named after the customer.',
    read: (text) => ({ true: true, false: false })[text],
  } as Knob<boolean>,
  omissions: oneOf(
    ['none', 'some', 'samples', 'all'],
    'none',
    'Fields that are missing. some: nulls of every second optional field. samples: those that the document’s samples ' +
      'omit, and optional nulls; empty arrays are null. all: all but ids, statuses, created_at, updated_at and arrays ' +
      'with entities.',
  ),
  values: oneOf(
    ['documented', 'converted'],
    'documented',
    'Whether values have their documented types. converted: numbers are texts, texts of digits are numbers, and empty ' +
      'arrays are [null].',
  ),
  nullStamps: oneOf(
    ['none', 'never-updated'],
    'none',
    'Groups whose updated_at is null. never-updated: those that have not changed since their creation.',
  ),
  unreadableEvery: count(0, 0, 'Each group whose id is divisible by this is unreadable; 0: none.'),
  brokenEvery: count(
    0,
    0,
    'Each group whose id is divisible by this has a field or an entity that can’t be read; 0: none.',
  ),
  // Access and limits.
  badToken: oneOf(
    ['401', '403', '404', '500', 'empty', 'html'],
    '401',
    'Answer to a missing or wrong token. empty: 200 with an empty list. html: 200 with a login page.',
  ),
  rateLimit: count(300, 0, 'Maximum requests a minute for each token; 0: no limit.'),
  retryAfter: oneOf(
    ['seconds', 'date', 'none'],
    'seconds',
    'Form of the Retry-After header of a 429. date: with a body of HTML. none: with an empty body.',
  ),
  latencyMs: span('milliseconds', 'Duration of an answer.'),
  // Faults.
  faultRate: share('Share of requests that fail.'),
  faultKinds: someOf(FAULT_KINDS, 'Faults that fault-rate chooses from.'),
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
} satisfies Record<string, Knob<unknown>>;

/** Behaviours of strange services, which only tests turn. */
const IN_CODE = {
  /** Maximum number of bytes of a page, which holds at least one row; 0: no limit. */
  pageBytes: 0,
  /** Lists leave out each group whose id is divisible by this, after the limit; look-ups by id show it. 0: none. */
  hiddenEvery: 0,
  ignoredFilters: 'none' as 'none' | 'updated' | 'created' | 'all',
  /** Filters by updated_at are read as if they named a time this much later. */
  filterSkewSeconds: 0,
  /** Lead of the clock that assigns updated_at. */
  stampsAheadSeconds: 0,
  /** How far the service's clock is behind, which all stamps, filters and the Date follow. Set it at the start. */
  clockBehindSeconds: 0,
  /** When a third of the groups of the opening turn 45 days old, after it; undefined: as it happens. */
  agingSeconds: undefined as Span | undefined,
  /** How far the Date header is ahead; below 0: behind. */
  dateSkewSeconds: 0 as number | 'no Date',
  /** Whether arrays and nulls are sometimes absent. */
  flickers: false,
  unreadableAs: 'mixed' as (typeof UNREADABLE_WAYS)[number] | 'mixed',
};

type ValueOf<K> = K extends Knob<infer Value> ? Value : never;

/** The values of all knobs. */
export type Knobs = {
  -readonly [Name in keyof typeof KNOBS]: ValueOf<(typeof KNOBS)[Name]>;
} & typeof IN_CODE;
export type KnobName = keyof Knobs;

export function defaultKnobs(): Knobs {
  const byDefault = Object.entries(KNOBS).map(([name, knob]) => [name, knob.byDefault]);
  return { ...IN_CODE, ...(Object.fromEntries(byDefault) as Knobs) };
}

function oneOf<const Value extends string>(
  words: readonly Value[],
  byDefault: NoInfer<Value>,
  description: string,
): Knob<Value> {
  const read = (text: string) => words.find((word) => word === text);
  return { values: words.join(' | '), byDefault, description, read };
}

/** A comma-separated list of words; by default all of them. */
function someOf<const Value extends string>(
  words: readonly Value[],
  description: string,
): Knob<readonly Value[]> {
  return {
    ...{ values: `all | none | a list of ${words.join(', ')}`, byDefault: words, description },
    read: (text) => {
      if (text === 'all') return words;
      const given = text === 'none' ? [] : text.split(',');
      const known = words.filter((word) => given.includes(word));
      return known.length === given.length ? known : undefined;
    },
  };
}

function count(byDefault: number, least: number, description: string): Knob<number> {
  const read = (text: string) =>
    /^\d{1,12}$/.test(text) && Number(text) >= least ? Number(text) : undefined;
  return { values: `an integer, at least ${least}`, byDefault, description, read };
}

function share(description: string): Knob<number> {
  const read = (text: string) => (/^(0(\.\d{1,9})?|1)$/.test(text) ? Number(text) : undefined);
  return { values: 'a fraction from 0 to 1', byDefault: 0, description, read };
}

function span(unit: string, description: string): Knob<Span> {
  return {
    ...{ values: `${unit}: one number, or two as 0-30`, byDefault: { least: 0, most: 0 }, description },
    read: (text) => {
      const [, first, second = first] =
        /^(\d{1,9}(?:\.\d{1,9})?)(?:-(\d{1,9}(?:\.\d{1,9})?))?$/.exec(text) ?? [];
      const [least, most] = [Number(first), Number(second)];
      return most >= least ? { least, most } : undefined;
    },
  };
}
