// The return group that the words and options of a command name: by its id, by the id of one of its events or entities,
// or by its tracking number or order name.
import { parseEventId } from '../../shared/contract/event-id.ts';
import { UsageError } from '../cli/failures.ts';
import type { OpenFeed } from '../place/open-feed.ts';
import { type Found, findReturns, type Searched, type SearchProblem } from './find-returns.ts';

interface ReturnWords {
  /** The source, then an id or a name, then an entity; or one text alone. */
  readonly words: readonly string[];
  readonly order?: string | undefined;
  readonly tracking?: string | undefined;
}

export interface NamedReturn {
  readonly source: string;
  readonly returnGroupId: number;
  /** The generation of the event that names it. */
  readonly generation?: string;
  readonly entity?: string;
  /** Whether the service shows it, which the feed need not have read yet. */
  readonly isAtService: boolean;
}

/** Groups that an error lists when a text finds several. */
const LISTED = 10;
const NAME_ONE =
  'Name the source and the id of a return group, or the id of an event, or give --order or --tracking.';
const NAMES: Readonly<Record<Searched, string>> = {
  tracking_number: 'tracking number',
  order_name: 'order name',
  return_group_id: 'id of a return group',
  entity_id: 'id of an entity',
  event_id: 'id of an event',
};

/** @throws UsageError if the words name none, or the text finds several; Error if it finds none */
export async function nameReturn(feed: OpenFeed, named: ReturnWords): Promise<NamedReturn> {
  const { words, order, tracking } = named;
  if (order !== undefined && tracking !== undefined)
    throw new UsageError('Give --order or --tracking, not both.');
  const [first, second, entity] = words;
  const text = order ?? tracking;
  if (text !== undefined) {
    if (second !== undefined)
      throw new UsageError('With --order or --tracking give at most the name of a source.');
    const as: readonly Searched[] = order === undefined ? ['tracking_number'] : ['order_name'];
    return search(feed, { ...named, text, source: first, as });
  }
  if (first === undefined) throw new UsageError(NAME_ONE);
  const byEvent = ofEvent(second ?? first, second === undefined ? undefined : first);
  if (byEvent !== undefined) return { ...byEvent, ...(entity !== undefined && { entity }) };
  if (second === undefined) {
    if ((await feed.sources(undefined)).includes(first))
      throw new UsageError(`"${first}" is a source. ${NAME_ONE}`);
    return search(feed, { ...named, text: first, source: undefined, as: undefined });
  }
  const group = Number(second);
  const isId = /^\d+$/.test(second) && Number.isSafeInteger(group);
  const found = isId
    ? { source: first, returnGroupId: group, isAtService: false }
    : await search(feed, { ...named, text: second, source: first, as: undefined });
  return entity === undefined ? found : { ...found, entity };
}

/** The group of an event. @param source if defined, only an event of this source counts */
function ofEvent(text: string, source: string | undefined): NamedReturn | undefined {
  const event = parseEventId(text);
  if (event === undefined || (source !== undefined && source !== event.source)) return undefined;
  if (typeof event.group !== 'number')
    throw new UsageError(`${text} is an event of the feed itself, not of a return group.`);
  const { group: returnGroupId, generation } = event;
  return { source: event.source, returnGroupId, generation, isAtService: false };
}

interface TextSearch {
  readonly text: string;
  readonly source: string | undefined;
  readonly as: readonly Searched[] | undefined;
}

async function search(feed: OpenFeed, { text, source, as }: TextSearch): Promise<NamedReturn> {
  if (text.trim() === '') throw new UsageError('The text to search for is empty.');
  const problems: SearchProblem[] = [];
  const onProblem = (problem: SearchProblem) => problems.push(problem);
  const found = await findReturns(feed, text, { source, as, onProblem });
  const exact = found.filter(({ isExact }) => isExact);
  const groups = [...groupsOf(exact.length > 0 ? exact : found).values()];
  const [only, ...others] = groups;
  if (only === undefined) throw notFound(feed, { text, source, as }, problems);
  if (others.length > 0) throw foundSeveral(feed, text, groups);
  for (const message of messagesOf(problems)) feed.log.warn(`The search is incomplete: ${message}`);
  if (exact.length === 0)
    feed.log.warn('No return has the text to the letter; this one has it in another spelling or as a part.');
  if (only.isFormer) feed.log.warn(`It had the tracking number ${text} formerly, and has another one now.`);
  const { returnGroupId, entity, isAtService = false } = only;
  return { source: only.source, returnGroupId, isAtService, ...(entity !== undefined && { entity }) };
}

/** One of the findings of each group. */
function groupsOf(found: readonly Found[]): Map<string, Found> {
  return new Map(found.toReversed().map((each) => [`${each.source}/${each.returnGroupId}`, each]));
}

function notFound(
  { flags }: Pick<OpenFeed, 'flags'>,
  { text, source, as }: TextSearch,
  problems: readonly SearchProblem[],
): Error {
  const what = as === undefined ? 'text' : NAMES[as[0] ?? 'order_name'];
  const where = source === undefined ? 'in any source' : `in source ${source}`;
  const found = `No return with the ${what} "${text}" was found ${where}`;
  if (problems.length > 0)
    return new Error(`${found}, but the search is incomplete: ${messagesOf(problems).join(' ')}`);
  return new Error(`${found}. See which sources are read: ` + `npx --no returns-feed status${flags}`);
}

function foundSeveral({ flags }: Pick<OpenFeed, 'flags'>, text: string, groups: readonly Found[]): Error {
  const listed = groups
    .slice(0, LISTED)
    .map(({ source, returnGroupId, matched }) => `${source} ${returnGroupId} (by its ${NAMES[matched]})`);
  const more = groups.length > LISTED ? ` and ${groups.length - LISTED} more` : '';
  const [{ source, returnGroupId } = { source: '', returnGroupId: 0 }] = groups;
  return new UsageError(
    `${groups.length} returns have "${text}": ${listed.join(', ')}${more}. Name one of them, for instance: ` +
      `npx --no returns-feed explain ${source} ${returnGroupId}${flags}`,
  );
}

function messagesOf(problems: readonly SearchProblem[]): string[] {
  return [...new Set(problems.map(({ source, message }) => `${message} (source ${source})`))];
}
