// Finds out what the service's document leaves open (returns-data-service.md says "not shown"), with at most a few
// dozen requests that change nothing. The feed does not need the answers: they show people why it reads as it does.
// Facts that a single probe can't show (whether changes show late, whether reads may be stale) are not probed.
import { type Instant, SECOND } from '../instant.ts';
import { PAGE_LIMIT } from '../limits.ts';
import { formatBound } from '../reading/range.ts';
import { ReturnsServiceError } from '../returns-service/errors.ts';
import type { ReadableRow, RowReading } from '../returns-service/parse-return-group.ts';
import type { ReturnGroupsQuery } from '../returns-service/return-groups-query.ts';
import { type ProbeAnswer, type Probing, RequestsSpent } from './ask-within.ts';
import {
  describeRows,
  describeStamps,
  findOrders,
  isReadable,
  type RowsFound,
  type StampsFound,
} from './read-rows.ts';

/** The findings; null means unknown. `unanswered` has the reasons. */
export interface ProbeReport {
  readonly requests: number;
  readonly answers: {
    /** Median. */
    readonly requestMs: number;
    readonly haveDate: boolean;
    /** How far the local clock is ahead of the answers' Date, to about a second. */
    readonly clockAheadMs: number | null;
  };
  readonly page: PageFound;
  readonly order: OrderFound | null;
  readonly stamps: StampsFound | null;
  readonly bounds: { readonly updated: BoundsFound | null; readonly created: BoundsFound | null };
  readonly lookUp: LookUpFound | null;
  readonly rows: RowsFound;
  /** Values and fields that the service's document does not list. */
  readonly unlisted: readonly string[];
  /** Questions without an answer. */
  readonly unanswered: readonly { readonly question: string; readonly reason: string }[];
}

export interface PageFound {
  /** Rows without a requested limit; null if there are no more groups than that. */
  readonly byDefault: number | null;
  /** The most rows that the service returned for a limit. */
  readonly most: number | null;
  /** The service's reaction to a larger limit; null if none was found. */
  readonly beyond: 'clamped' | 'refused' | null;
  /** The smallest requested limit that was refused. */
  readonly refused: number | null;
  /** The number of groups, if they fit in one page. */
  readonly groups: number | null;
}

export interface OrderFound {
  /** For instance `created_at descending`; several may hold at once, or none. */
  readonly by: readonly string[];
  readonly isSameTwice: boolean;
  /** Whether the next page begins at its offset. */
  readonly pagesFit: boolean | null;
}

type Bound = 'included' | 'excluded' | 'unclear' | 'refused';

export interface BoundsFound {
  /** For groups with exactly that stamp. */
  readonly min: Bound;
  readonly max: Bound;
}

export interface LookUpFound {
  /** `not found` also if the answer has other rows. */
  readonly known: 'found' | 'not found' | 'refused';
  readonly unknown: 'empty' | 'not empty' | 'refused';
}

const ROWS = 50;
/** From more than any service returns down to less than the feed requests. */
const LIMITS = [1_000, 500, PAGE_LIMIT, 100, ROWS];
/** Fewer rows show no order. */
const FEWEST_ROWS = 3;
/** No group has this id, and any parser accepts it. */
const UNKNOWN_ID = 2_000_000_000;

/** Thrown where the answers of the service leave a question open. */
class Unanswered extends Error {
  override readonly name = 'Unanswered';
}

/** @throws ReturnsServiceError if the service answers nothing at all */
export async function probeService(probing: Probing): Promise<ProbeReport> {
  const unanswered: { question: string; reason: string }[] = [];
  async function answerTo<Found>(question: string, find: () => Promise<Found>): Promise<Found | null> {
    try {
      return await find();
    } catch (error) {
      const isKnown = error instanceof Unanswered || error instanceof RequestsSpent;
      if (!isKnown && !(error instanceof ReturnsServiceError && probing.answers.length > 0)) throw error;
      unanswered.push({ question, reason: error.message });
      return null;
    }
  }
  const byDefault = await answerTo('rows without a limit', () => findDefault(probing));
  const order = await answerTo('order', () => findOrder(probing));
  const known = rowsOf(probing);
  const stamps = await answerTo('stamps', async () => describeStamps(probing.answers) ?? noGroup(probing));
  const row = known[Math.floor(known.length / 2)];
  const findBounds = async (which: 'Updated' | 'Created') =>
    row === undefined || stamps === null ? noGroup(probing) : probeBounds(probing, which, row, stamps);
  const updated = await answerTo('bounds of updated_at', () => findBounds('Updated'));
  const created = await answerTo('bounds of created_at', () => findBounds('Created'));
  const lookUp = await answerTo('look-up by id', async () =>
    row === undefined ? noGroup(probing) : probeLookUp(probing, row),
  );
  const page = await answerTo('page sizes', () => probeLimits(probing, byDefault));
  return {
    requests: probing.requests,
    answers: describeAnswers(probing.answers),
    page: page ?? { byDefault, most: null, beyond: null, refused: null, groups: null },
    order,
    stamps,
    bounds: { updated, created },
    lookUp,
    rows: describeRows(probing.answers.flatMap(({ rows }) => rows)),
    unlisted: [...probing.drift].sort(),
    unanswered,
  };
}

function noGroup({ answers }: Probing): never {
  const areRows = answers.some(({ rows }) => rows.length > 0);
  throw new Unanswered(areRows ? 'no group can be read' : 'the service returned no group');
}

/** The rows of a page without a requested limit, if there are more rows than that. */
async function findDefault({ ask }: Probing): Promise<number | null> {
  const first = await ask({});
  if (first === 'refused') throw new Unanswered('the service refuses a request without parameters');
  if (first.rows.length === 0) return null;
  const next = await ask({ limit: 1, offset: first.rows.length });
  return next !== 'refused' && next.rows.length > 0 ? first.rows.length : null;
}

function rowsOf({ answers }: Probing): readonly ReadableRow[] {
  return answers.flatMap(({ rows }) => rows).filter(isReadable);
}

function describeAnswers(answers: readonly ProbeAnswer[]): ProbeReport['answers'] {
  const times = answers.map(({ requestMs }) => requestMs).sort((a, b) => a - b);
  const ahead = answers.flatMap(({ date, receivedAt }) => (date === undefined ? [] : [receivedAt - date]));
  return {
    requestMs: Math.round(times[Math.floor(times.length / 2)] ?? 0),
    haveDate: ahead.length > 0 && ahead.length === answers.length,
    // A Date is cut to the second, and as old as its way here: the smallest difference is nearest to the truth.
    clockAheadMs: ahead.length === 0 ? null : Math.round(Math.min(...ahead) / 1_000),
  };
}

async function findOrder({ ask }: Probing): Promise<OrderFound> {
  const page = { limit: ROWS, offset: 0 };
  const [one, other] = [await ask(page), await ask(page)];
  if (one === 'refused' || other === 'refused')
    throw new Unanswered(`the service refuses a page of ${ROWS} rows`);
  const readable = one.rows.filter(isReadable);
  if (readable.length < FEWEST_ROWS)
    throw new Unanswered(`too few groups to tell: a page has ${readable.length} that can be read`);
  const half = Math.floor(one.rows.length / 2);
  const next = await ask({ limit: ROWS, offset: half });
  const fits =
    next === 'refused' ? null : areSame(one.rows.slice(half), next.rows.slice(0, one.rows.length - half));
  return {
    by: findOrders(readable),
    isSameTwice: areSame(one.rows, other.rows),
    pagesFit: fits,
  };
}

function areSame(one: readonly RowReading[], other: readonly RowReading[]): boolean {
  const idsOf = (rows: readonly RowReading[]) =>
    rows.map((row) => (row.kind === 'readable' ? row.group.id : row.digest)).join(' ');
  return idsOf(one) === idsOf(other);
}

/** Whether a row shows in a range that starts at its stamp, and in one that ends there. */
async function probeBounds(
  { ask }: Probing,
  which: 'Updated' | 'Created',
  row: ReadableRow,
  stamps: StampsFound,
): Promise<BoundsFound> {
  const stamp = which === 'Updated' ? row.updatedAt : row.createdAt;
  const form = { zoned: stamps.haveZone, digits: stamps.digits };
  async function shows(from: Instant, to: Instant): Promise<boolean | 'refused'> {
    const query: ReturnGroupsQuery = {
      [`min${which}At`]: formatBound(from, form),
      [`max${which}At`]: formatBound(to, form),
      limit: ROWS,
    };
    const answer = await ask(query);
    if (answer === 'refused') return 'refused';
    return answer.rows.some((other) => isReadable(other) && other.group.id === row.group.id);
  }
  const around = await shows(stamp - 2 * SECOND, stamp + 2 * SECOND);
  if (around !== true) {
    const found: Bound = around === 'refused' ? 'refused' : 'unclear';
    return { min: found, max: found };
  }
  const [min, max] = [await shows(stamp, stamp + 2 * SECOND), await shows(stamp - 2 * SECOND, stamp)];
  const boundOf = (shown: boolean | 'refused'): Bound =>
    shown === 'refused' ? shown : shown ? 'included' : 'excluded';
  return { min: boundOf(min), max: boundOf(max) };
}

async function probeLookUp({ ask }: Probing, row: ReadableRow): Promise<LookUpFound> {
  const found = await ask({ returnGroupId: row.group.id });
  const none = await ask({ returnGroupId: UNKNOWN_ID });
  const isFound =
    found !== 'refused' && found.rows.some((other) => isReadable(other) && other.group.id === row.group.id);
  return {
    known: found === 'refused' ? found : isFound && found.rows.length === 1 ? 'found' : 'not found',
    unknown: none === 'refused' ? none : none.rows.length === 0 ? 'empty' : 'not empty',
  };
}

/** Tries limits from the largest down until one is accepted; the page then has the most rows, or all there are. */
async function probeLimits({ ask }: Probing, byDefault: number | null): Promise<PageFound> {
  let refused: number | null = null;
  for (const limit of LIMITS) {
    const answer = await ask({ limit });
    if (answer === 'refused') {
      refused = limit;
      continue;
    }
    const most = answer.rows.length;
    const beyond = refused === null ? null : 'refused';
    if (most >= limit) return { byDefault, most, beyond, refused, groups: null };
    const next = await ask({ limit: 1, offset: most });
    const isMore = next !== 'refused' && next.rows.length > 0;
    if (isMore) return { byDefault, most, beyond: 'clamped', refused, groups: null };
    return { byDefault, most: null, beyond, refused, groups: most };
  }
  throw new Unanswered(`the service refuses every limit, down to ${refused}`);
}
