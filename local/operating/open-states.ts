// Opens the sources' stored states.
import { listSources } from '../../functions/adapters/dynamodb-source-list.ts';
import { createDynamoDbSourceStates } from '../../functions/adapters/dynamodb-source-states.ts';
import { createSystemClock } from '../../functions/adapters/system-clock.ts';
import type { SourceStates } from '../../shared/ports.ts';
import type { SourceState } from '../../shared/source/source-state.ts';
import { type Place, type PlaceFlags, withPlace } from './open-place.ts';

export interface OpenStates extends Place {
  readonly states: SourceStates;
  /** The names of all sources, or only the given one. @throws Error if that one has no state here */
  sources(asked: string | undefined): Promise<readonly string[]>;
  /** The state of a source. @throws Error if it has none here */
  stateOf(source: string): Promise<SourceState>;
}

export function openStates(place: Place): OpenStates {
  const { client, deployment: tables } = place;
  const states = createDynamoDbSourceStates({ client, tables, clock: createSystemClock() });

  async function sources(asked: string | undefined): Promise<readonly string[]> {
    const names = await listSources(client, tables.sources).catch((error: unknown) => {
      throw isMissing(error)
        ? new Error(`The table ${tables.sources} does not exist: there is no state of any source.`)
        : error;
    });
    if (asked === undefined) return names;
    if (names.includes(asked)) return [asked];
    const others = names.length === 0 ? 'there is none' : `there are ${names.join(', ')}`;
    throw new Error(`There is no state of a source "${asked}"; ${others}.`);
  }

  return {
    ...place,
    states,
    sources,
    async stateOf(source) {
      await sources(source);
      const state = await states.load(source);
      if (state === undefined) throw new Error(`There is no state of a source "${source}".`);
      return state;
    },
  };
}

/** Runs work on the open states of the named place, and closes the place even if the work fails. */
export function withStates<Result>(
  flags: PlaceFlags,
  work: (open: OpenStates) => Promise<Result>,
): Promise<Result> {
  return withPlace(flags, (place) => work(openStates(place)));
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && error.name === 'ResourceNotFoundException';
}
