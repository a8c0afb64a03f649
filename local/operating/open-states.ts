// Opens the sources' stored states.
import { listSources } from '../../functions/adapters/dynamodb-source-list.ts';
import { createDynamoDbSourceStates } from '../../functions/adapters/dynamodb-source-states.ts';
import { createSystemClock } from '../../functions/adapters/system-clock.ts';
import type { SourceStates } from '../../shared/ports.ts';
import type { SourceState } from '../../shared/source/source-state.ts';
import { openPlace, type Place, type PlaceFlags } from './open-place.ts';

export interface OpenStates extends Place {
  readonly states: SourceStates;
  /** The names of all sources, or only the given one. @throws Error if that one has no state here */
  sources(asked: string | undefined): Promise<readonly string[]>;
  /** The state of a source. @throws Error if it has none here */
  stateOf(source: string): Promise<SourceState>;
}

/** @throws UsageError if no place is named, Error if the named place does not exist */
export async function openStates(flags: PlaceFlags): Promise<OpenStates> {
  const place = await openPlace(flags);
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

/** Runs work on the open states, and closes them even if the work fails. */
export async function withStates<Result>(
  flags: PlaceFlags,
  work: (open: OpenStates) => Promise<Result>,
): Promise<Result> {
  const open = await openStates(flags);
  try {
    return await work(open);
  } finally {
    await open.close();
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && error.name === 'ResourceNotFoundException';
}
