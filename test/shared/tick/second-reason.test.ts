// G8: a source that is degraded for one group that can't be read, and later is not read at all, tells the first only.
import { expect, it } from 'vitest';
import { jsonAnswer } from '../../../local/reference-service/service/answer.ts';
import { createSourceWorld } from '../source-world.ts';

it('tells that nothing is read any more, though a group was set aside before', async () => {
  const world = createSourceWorld({ knobs: { unreadableEvery: 7, unreadableAs: 'no-status' } });
  const session = world.startProcess('a');
  await world.tick(session);
  for (let minute = 0; minute < 3; minute += 1) await world.nextTick(session);
  world.network.intercept = () => jsonAnswer(500, {});
  for (let minute = 0; minute < 30; minute += 1) await world.nextTick(session);

  const told = (await world.feedEvents()).filter(({ type }) => type === 'feed.source_degraded');
  const codes = told
    .flatMap(({ data }) => ('reasons' in data.object ? data.object.reasons : []))
    .map(({ code }) => code);
  expect(codes).toContain('failing');
});
