// A limit that the service refuses, by whatever it answers, and an outage, which says nothing of the limit.
import { describe, expect, it } from 'vitest';
import { MINUTE } from '../../../shared/instant.ts';
import { UNKNOWN_POSITION } from '../../../shared/position/position.ts';
import { isServing, lowerRefusedLimit, raiseLimit } from '../../../shared/reading/page-limit.ts';
import { RequestTimedOutError, ValidationRejectedError } from '../../../shared/returns-service/errors.ts';
import type { SourceState } from '../../../shared/source/source-state.ts';
import { type ListKnobs, statusError } from '../list-service.ts';
import { createListWorld } from '../list-world.ts';
import { answering, readRound } from './read-round.ts';

const REFUSALS = [
  ...[400, 404, 405, 413, 500, 502, 504].map((status) => statusError(status)),
  new ValidationRejectedError('422', {}),
  new RequestTimedOutError('no answer', {}),
];

function setUp(knobs: Partial<ListKnobs>, state: Partial<SourceState> = {}) {
  const world = createListWorld({ knobs, settings: { requestsPerMinute: 100_000 } });
  world.addMany(30, MINUTE);
  const run = world.begin(state);
  const limits = () => world.list.requests.map(({ limit }) => limit);
  return { ...world, run, limits };
}

describe('a limit', () => {
  it.each(REFUSALS)('that is refused by $message is halved until the round is read', async (refusal) => {
    const { time, run, recorded } = setUp({ limitRefusedAbove: 60, refusal });

    await time.run(readRound(run, [{ axis: 'created' }]));

    expect(run.state.limit).toBe(50);
    expect(await recorded(run.state.generation)).toHaveLength(30);
  });

  it('is refused if three requests in a row for an empty range fail with it', async () => {
    const { time, run, limits } = setUp({ limitRefusedAbove: 100, refusal: statusError(400) });

    const isLower = await time.run(lowerRefusedLimit(run, 'late'));

    expect([isLower, run.state.limit]).toEqual([true, 100]);
    expect(limits()).toEqual([200, 200, 200]);
  });

  it('is not refused if one of them succeeds', async () => {
    const { time, run } = setUp({});
    let requests = 0;
    const unsteady = answering(run, async () => {
      requests += 1;
      if (requests < 3) throw statusError(504);
      return { rows: [], bytes: 2, largestRow: 0, sentAt: time.now(), receivedAt: time.now() };
    });

    const isLower = await time.run(lowerRefusedLimit(unsteady, 'late'));

    expect([isLower, run.state.limit, requests]).toEqual([false, 200, 3]);
  });

  it('is lowered once if two lanes find it refused at the same time', async () => {
    const { time, run } = setUp({ limitRefusedAbove: 10 });

    const lower = await time.run(
      Promise.all([lowerRefusedLimit(run, 'late'), lowerRefusedLimit(run, 'recent')]),
    );

    expect([lower, run.state.limit]).toEqual([[true, true], 100]);
  });

  it('of ten is never asked about: a service shows as many', async () => {
    const { time, run, limits } = setUp({ limitRefusedAbove: 1 }, { limit: 10 });

    expect(await time.run(lowerRefusedLimit(run, 'late'))).toBe(false);

    expect(limits()).toEqual([]);
  });

  it('of a new source becomes 50, then 10', async () => {
    const { time, run } = setUp({ limitRefusedAbove: 10 }, { position: UNKNOWN_POSITION });
    const limits = [];

    for (const _ of [1, 2]) {
      await time.run(lowerRefusedLimit(run, 'late'));
      limits.push(run.state.limit);
    }

    expect(limits).toEqual([50, 10]);
  });

  it.each([
    ['up to 200', 1_000, 200, [100, 200]],
    ['as far as it is accepted', 100, 100, [100, 200]],
    ['not at all where it is still refused', 60, 50, [100]],
  ])('is raised again %s, which is no failure', async (_, limitRefusedAbove, limit, asked) => {
    const { time, run, limits } = setUp({ limitRefusedAbove }, { limit: 50 });

    await time.run(raiseLimit(run, 'older'));

    expect([run.state.limit, run.failure]).toEqual([limit, undefined]);
    expect(limits()).toEqual(asked);
  });
});

describe('a service', () => {
  it('is serving if two requests in a row for an empty range succeed, whatever it refuses', async () => {
    const { time, run, limits } = setUp({ limitRefusedAbove: 10 });

    expect(await time.run(isServing(run, 'late'))).toBe(true);

    expect(limits()).toEqual([1, 1]);
  });

  it('that is down costs one request, and its limit stays', async () => {
    const { time, run, limits } = setUp({ isDown: true });

    expect(await time.run(isServing(run, 'late'))).toBe(false);

    expect([limits(), run.state.limit]).toEqual([[1], 200]);
  });
});
