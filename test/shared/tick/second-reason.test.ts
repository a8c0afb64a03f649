// G8: a source that is degraded for one reason reports the reasons that come after it.
import { expect, it } from 'vitest';
import { jsonAnswer } from '../../../local/reference-service/service/answer.ts';
import { createSourceWorld, type SourceWorld } from '../source-world.ts';

it('reports that all requests fail, although a group was set aside before', async () => {
  const world = createSourceWorld({ knobs: { unreadableEvery: 7, unreadableAs: 'no-status' } });
  const session = world.startProcess('a');
  await world.tick(session);
  for (let minute = 0; minute < 3; minute += 1) await world.nextTick(session);
  world.network.intercept = () => jsonAnswer(500, {});
  for (let minute = 0; minute < 30; minute += 1) await world.nextTick(session);

  const reports = (await world.feedEvents()).filter(({ type }) => type === 'feed.source_degraded');
  const codes = reports
    .flatMap(({ data }) => ('reasons' in data.object ? data.object.reasons : []))
    .map(({ code }) => code);
  expect(codes).toContain('failing');
});

it('reports that polls fail as well, although the walk failed before', async () => {
  const world = createSourceWorld({ settings: { reconcileMs: 120_000 } });
  const session = world.startProcess('a');
  await world.tick(session);
  world.network.intercept = ({ query }) =>
    /created_at/.test(query.toString()) ? jsonAnswer(504, {}) : undefined;
  for (let minute = 0; minute < 20; minute += 1) await world.nextTick(session);
  world.network.intercept = () => jsonAnswer(504, {});
  for (let minute = 0; minute < 20; minute += 1) await world.nextTick(session);

  expect(await reportedCodes(world)).toEqual([['stalled'], ['failing']]);
});

it('reports that many groups are unreadable, although one was unreadable before', async () => {
  const world = createSourceWorld({ settings: { reconcileMs: 120_000 } });
  const ids = world.control.snapshot().map(({ id }) => Number(id));
  const session = world.startProcess('a');
  makeUnreadable(world, ids.slice(0, 1));
  await world.tick(session);
  for (let minute = 0; minute < 6; minute += 1) await world.nextTick(session);
  makeUnreadable(world, ids);
  for (let minute = 0; minute < 6; minute += 1) await world.nextTick(session);

  expect((await reportedCodes(world)).length).toBeGreaterThan(1);
});

function makeUnreadable({ network, reference }: SourceWorld, groups: readonly number[]): void {
  network.intercept = (request) => {
    const answer = reference.service.answer(request);
    const rows = JSON.parse(answer.body) as { id: number; updated_at: unknown }[];
    for (const row of rows) if (groups.includes(row.id)) row.updated_at = null;
    return { ...answer, body: JSON.stringify(rows) };
  };
}

async function reportedCodes(world: SourceWorld): Promise<string[][]> {
  const reports = (await world.feedEvents()).filter(({ type }) => type === 'feed.source_degraded');
  return reports.map(({ data }) =>
    'reasons' in data.object ? data.object.reasons.map(({ code }) => code) : [],
  );
}
