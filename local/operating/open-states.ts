// Where sources keep their state, and which sources there are.
import { listSources } from '../../functions/adapters/dynamodb-source-list.ts';
import { createDynamoDbSourceStates } from '../../functions/adapters/dynamodb-source-states.ts';
import { createSystemClock } from '../../functions/adapters/system-clock.ts';
import type { SourceStates } from '../../shared/ports.ts';
import type { SourceState } from '../../shared/source/source-state.ts';
import { openPlace, type Place, type PlaceFlags } from './open-place.ts';

export interface OpenStates extends Place {
  readonly states: SourceStates;
  /** All sources, or the one asked for. @throws Error where it has no state here */
  sources(asked: string | undefined): Promise<readonly string[]>;
  /** One source's state. @throws Error where it has none here */
  stateOf(source: string): Promise<SourceState>;
}

/** @throws UsageError where no place is named, Error where there is none */
export async function openStates(flags: PlaceFlags): Promise<OpenStates> {
  const place = await openPlace(flags);
  const { client, deployment: tables } = place;
  const states = createDynamoDbSourceStates({ client, tables, clock: createSystemClock() });

  async function sources(asked: string | undefined): Promise<readonly string[]> {
    const names = await listSources(client, tables.sources).catch((error: unknown) => {
      throw isMissing(error)
        ? new Error(`There is no state of any source there (${tables.sources}).`)
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

/** Opens the states for one piece of work, and closes them whatever becomes of it. */
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
