// Not only the poller appends feed events: a sweep that skips missed events reports every group.
import { expect, it } from 'vitest';
import { jsonAnswer } from '../../../local/reference-service/service/answer.ts';
import { stepOver } from '../../../shared/publishing/step-over.ts';
import { createMemoryMarks } from '../../fakes/memory-marks.ts';
import { createSourceWorld } from '../source-world.ts';

const MANY = 1_500;

it('a source is polled and reports its health after a destination missed events of many groups', async () => {
  const world = createSourceWorld();
  const session = world.startProcess('a');
  await world.tick(session);
  const source = await world.source();
  const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  const destination = { name: 'bus' };
  const presentGeneration = async () => source.generation;
  const ports = {
    presentGeneration,
    ledger: world.ledger,
    marks: createMemoryMarks(),
    destination,
    clock: world.time,
    log,
  };
  for (let group = 1; group <= MANY; group += 1)
    await stepOver(ports, { ...source, group }, { from: 2, to: 3 }, 'no longer in the ledger');

  world.network.intercept = () => jsonAnswer(500, {});
  for (let minute = 0; minute < 8; minute += 1) await world.nextTick(session);
  world.network.intercept = undefined;
  const report = await world.nextTick(session);

  expect(report).toMatchObject({ outcome: 'done', polls: expect.any(Number), error: undefined });
  const types = (await world.feedEvents()).map(({ type }) => type).filter((type) => /source/.test(type));
  expect(types).toEqual(['feed.source_degraded', 'feed.source_recovered']);
});
