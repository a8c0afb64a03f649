// The recorded events of the documents, one of each type, for trying out a receiver.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type FeedEvent, feedEvent } from '../../shared/contract/event.ts';
import { type EventIdParts, formatEventId, parseEventId } from '../../shared/contract/event-id.ts';
import { UsageError } from '../cli/failures.ts';
import { didYouMean } from '../cli/suggest.ts';
import { documentsFolder } from '../operating/documents-folder.ts';

const ENDING = '.json';

/** The types that have a recorded event. */
export function exampleTypes(): string[] {
  return readdirSync(examplesFolder())
    .filter((name) => name.endsWith(ENDING))
    .map((name) => name.slice(0, -ENDING.length))
    .sort();
}

/**
 * The recorded event or whole return of a type, under an id that no receiver knows.
 *
 * @param at milliseconds since 1970
 * @throws UsageError for a type without one
 */
export function freshExample(type: string, at: number): Pick<FeedEvent, 'id'> {
  if (!exampleTypes().includes(type))
    throw new UsageError(
      `There is no recorded event of the type "${type}".${didYouMean(type, exampleTypes())} ` +
        '"returns-feed trigger" lists the types.',
    );
  const text = readText(type);
  const { data } = JSON.parse(text) as Pick<FeedEvent, 'data'>;
  // A new generation: its numbers are above all earlier ones, so no receiver takes the event for stale.
  return JSON.parse(text.replaceAll(data.generation, at.toString(36)));
}

/** The recorded event of a type, as the event of this id. */
export function exampleAt(type: string, place: EventIdParts): FeedEvent {
  const { source, generation, group, sequence } = place;
  const recorded = readExample(type);
  // The ids of a return's entities contain its own: each return gets entities of its own.
  const text = JSON.stringify(recorded).replaceAll(String(placeOf(recorded).group), String(group));
  const event: FeedEvent = JSON.parse(text);
  return {
    ...event,
    id: formatEventId(place),
    source: `/sources/${source}`,
    sequence: String(sequence).padStart(10, '0'),
    partitionkey: `${source}/${group}`,
    data: { ...event.data, generation, sequence },
  } as FeedEvent;
}

function placeOf({ type, id }: FeedEvent): EventIdParts {
  const place = parseEventId(id);
  if (place === undefined) throw new Error(`The recorded event of ${type} has an invalid id: "${id}".`);
  return place;
}

/** The recorded event of a type that has one. */
export function readExample(type: string): FeedEvent {
  return feedEvent.parse(JSON.parse(readText(type)));
}

function readText(type: string): string {
  return readFileSync(join(examplesFolder(), type + ENDING), 'utf8');
}

function examplesFolder(): string {
  return join(documentsFolder(), 'docs', 'events', 'examples');
}
