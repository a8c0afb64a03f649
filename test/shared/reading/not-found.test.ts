// A 404 where nothing matches, and all others.
import { describe, expect, it } from 'vitest';
import { DAY, MINUTE } from '../../../shared/instant.ts';
import { VIRTUAL_START } from '../../fakes/virtual-clock.ts';
import { type ListKnobs, statusError } from '../list-service.ts';
import { createListWorld } from '../list-world.ts';
import { readRound } from './read-round.ts';

const NOTHING = { minUpdatedAt: '2030-01-01T00:00:00.000000Z', limit: 200 };

function setUp(knobs: Partial<ListKnobs> = {}, groups = 30) {
  const world = createListWorld({ knobs, settings: { requestsPerMinute: 100_000 } });
  world.addMany(groups, MINUTE);
  const session = world.startProcess();
  const run = world.begin({}, session);
  /** The number of rows, or the failure; and the requests that it took. */
  const ask = async (query: object = NOTHING) => {
    const before = world.list.requests.length;
    const asked = run.ask('late', query, { tries: 1 });
    const outcome = await world.time.run(
      asked.then(
        ({ rows }) => rows.length,
        (error: unknown) => error,
      ),
    );
    return { outcome, requests: world.list.requests.length - before };
  };
  return { ...world, run, session, ask };
}

describe('a 404', () => {
  it('is an empty list where the list shows rows and an empty range is a 404, five times in turn', async () => {
    const { ask } = setUp({ emptyIsNotFound: 'range' });

    const first = await ask();
    const later = await ask();

    expect(first).toEqual({ outcome: 0, requests: 12 });
    // Itself, and the proof that the list is there.
    expect(later).toEqual({ outcome: 0, requests: 2 });
  });

  it('lets a walk end that asks for times without rows, and is reported as drift', async () => {
    const { time, run, recorded } = setUp({ emptyIsNotFound: 'range' });
    const past = VIRTUAL_START - 30 * DAY;

    await time.run(
      readRound(run, [
        { axis: 'created', to: past },
        { axis: 'created', from: past },
      ]),
    );

    expect(await recorded(run.state.generation)).toHaveLength(30);
    expect([...run.drift]).toEqual(['404 instead of an array']);
  });

  it('is an empty list for a look-up by id where only these are not found', async () => {
    const { ask } = setUp({ emptyIsNotFound: 'id' });

    expect(await ask()).toMatchObject({ outcome: 0, requests: 1 });
    expect(await ask({ returnGroupId: 99 })).toMatchObject({ outcome: 0 });
    expect(await ask({ returnGroupId: 7 })).toMatchObject({ outcome: 1 });
  });

  it('is a failure where the list itself is not found, and is not looked into again for ten minutes', async () => {
    const { time, ask } = setUp({ limitRefusedAbove: 0, refusal: statusError(404) });
    const asked = [];

    for (const minutes of [0, 9, 1]) {
      await time.advance(minutes * MINUTE);
      asked.push(await ask());
    }

    const failure = expect.objectContaining({ status: 404 });
    expect(asked).toEqual([2, 1, 2].map((requests) => ({ outcome: failure, requests })));
  });

  it.each([
    ['that is asked past it', false],
    ['that gives out what it kept all the same', true],
  ])('is a failure in an outage before which a cache stands %s', async (_, keepsAlways) => {
    const { time, list, ask } = setUp({ keptFor: DAY, keepsAlways });
    await ask({ limit: 200 });
    await time.advance(MINUTE);
    Object.assign(list.knobs, { limitRefusedAbove: 0, refusal: statusError(404) });

    const { outcome } = await ask();

    expect(outcome).toMatchObject({ status: 404 });
  });

  it('is an empty list again a minute after the list could not be shown', async () => {
    const { time, list, ask } = setUp({ emptyIsNotFound: 'range' });
    await ask();
    list.knobs.limitRefusedAbove = 0;

    const failed = await ask({ minUpdatedAt: NOTHING.minUpdatedAt, limit: 0 });
    list.knobs.limitRefusedAbove = 1_000;
    const soon = await ask();
    await time.advance(MINUTE);
    const later = await ask();

    expect([failed, soon]).toMatchObject([{ outcome: { status: 404 } }, { outcome: { status: 404 } }]);
    expect(later).toEqual({ outcome: 0, requests: 2 });
  });

  it('is a failure in a store without rows: the address may be wrong', async () => {
    const { ask } = setUp({ emptyIsNotFound: 'range' }, 0);

    expect(await ask()).toMatchObject({ outcome: { status: 404 } });
  });

  it('is a failure where an empty range is an empty list: one of several servers knows no list', async () => {
    const { list, ask } = setUp();
    let requests = 0;
    const { listReturnGroups } = list.client;
    list.client.listReturnGroups = (query, options) => {
      requests += 1;
      return requests === 1 ? Promise.reject(statusError(404)) : listReturnGroups(query, options);
    };

    expect(await ask()).toMatchObject({ outcome: { status: 404 } });
  });

  it('is a failure again once an empty range was an empty list', async () => {
    const { list, ask, session } = setUp({ emptyIsNotFound: 'range' });
    await ask();
    list.knobs.emptyIsNotFound = 'never';
    await ask();

    expect(session.notFound.range.believed).toBe(0);
  });

  it('is told from a limit that is refused by a 404 as well', async () => {
    const { time, run, recorded } = setUp({
      ...{ emptyIsNotFound: 'range', limitRefusedAbove: 100, refusal: statusError(404) },
    });

    await time.run(readRound(run, [{ axis: 'created', to: VIRTUAL_START - 30 * DAY }, { axis: 'created' }]));

    expect(run.state.limit).toBe(100);
    expect(await recorded(run.state.generation)).toHaveLength(30);
  });

  it('of a limit that is refused is a failure, also where others are empty lists', async () => {
    const { list, ask } = setUp({ emptyIsNotFound: 'range' });
    await ask({ ...NOTHING, limit: 50 });
    Object.assign(list.knobs, { limitRefusedAbove: 100, refusal: statusError(404) });

    expect(await ask({ limit: 200 })).toMatchObject({ outcome: { status: 404 } });
    expect(await ask({ limit: 100 })).toMatchObject({ outcome: 30 });
  });
});
