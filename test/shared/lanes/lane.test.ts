import { expect, it } from 'vitest';
import { HOUR } from '../../../shared/instant.ts';
import { drain, updateLane } from '../../../shared/lanes/lane.ts';
import { beginRound } from '../../../shared/reading/round.ts';
import { createListWorld } from '../list-world.ts';

it('a round that another lane ends while it is read reads no further, and stays ended', async () => {
  const world = createListWorld();
  world.addMany(4, HOUR);
  const run = world.begin();
  const stack = [{ axis: 'created' }, { axis: 'updated' }] as const;
  updateLane(run, 'older', (lane) => ({ ...lane, round: beginRound(run.now(), stack) }));
  const known = async () => {
    updateLane(run, 'older', (lane) => ({ ...lane, round: undefined }));
    return new Map();
  };

  await world.time.run(drain(run, 'older', { first: 'oldest', known }));

  expect(run.state.lanes.older.round).toBeUndefined();
  expect(world.list.requests).toHaveLength(1);
});
