// `<source>_<generation>_<group id>_<number>`: permanently unique, because a generation is created with the state that
// counts the numbers. It uses only [A-Za-z0-9_-] and at most 80 characters, so that it also serves as the id of a batch
// entry at SQS and as the name of a Step Functions execution.

/** The group of the feed's events about itself. */
export const FEED_GROUP = 'feed';
/** The group of `feed.source_read`: each event replaces the previous one, so the ledger keeps it for a day. */
export const READ_GROUP = 'read';

/** The groups of the feed's own events. */
export type OwnGroup = typeof FEED_GROUP | typeof READ_GROUP;

export interface EventIdParts {
  readonly source: string;
  readonly generation: string;
  /** A return group's id, or a group of the feed's own events. */
  readonly group: number | OwnGroup;
  /** 1, 2, 3 … within the group and generation. */
  readonly sequence: number;
}

/** Matches a valid source name: it is a part of ids and parameter paths, and the value of a metric's dimension. */
export const SOURCE_NAME = /^[a-z0-9-]{1,30}$/;

const EVENT_ID = /^([a-z0-9-]{1,30})_([a-z0-9]{1,12})_(feed|read|0|[1-9]\d{0,15})_([1-9]\d{0,14})$/;

export function formatEventId({ source, generation, group, sequence }: EventIdParts): string {
  return `${source}_${generation}_${group}_${sequence}`;
}

/** The id of a return's message: the same for the same number, whatever its content. */
export function formatReturnId(parts: EventIdParts): string {
  return formatEventId(parts).replace(/(\d+)$/, 'r$1');
}

/** @returns the parts of an event's or a return message's id; undefined for any other text */
export function parseMessageId(id: string): EventIdParts | undefined {
  return parseEventId(id.replace(/(_\d+)_r(\d+)$/, '$1_$2'));
}

/** @returns the id's parts; undefined for a text that is not an event's id */
export function parseEventId(id: string): EventIdParts | undefined {
  const match = EVENT_ID.exec(id);
  if (match === null) return undefined;
  const [, source = '', generation = '', group = '', sequence = ''] = match;
  if (!isOwnGroup(group) && !Number.isSafeInteger(Number(group))) return undefined;
  return {
    source,
    generation,
    group: isOwnGroup(group) ? group : Number(group),
    sequence: Number(sequence),
  };
}

/** Whether a group is not a return's, but one of the feed's own events. */
export function isOwnGroup(group: number | string): group is OwnGroup {
  return group === FEED_GROUP || group === READ_GROUP;
}
