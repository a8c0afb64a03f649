// The poller on tables that were restored from a backup.
import { expect, test } from 'vitest';
import { restoreSource } from '../../../local/operating/restore-source.ts';
import { parseEventId } from '../../../shared/contract/event-id.ts';
import { SECOND } from '../../../shared/instant.ts';
import { createSourceWorld } from '../../shared/source-world.ts';

/** A known source in other tables than those of its creation. */
async function restored() {
  const world = createSourceWorld();
  const session = world.startProcess('a');
  await world.tick(session);
  const shipped = world.someGroup();
  await world.time.advance(SECOND);
  world.setShipment(shipped, 'DELIVERED');
  await world.nextTick(session);
  const before = await world.events();
  world.states.moveTo('the tables of the backup');
  return { world, session, before };
}

test('a restored source stops, and after `sources restore` announces every group again with new ids', async () => {
  const { world, session, before } = await restored();
  const stopped = world.nextTick(session);
  await expect(stopped).rejects.toThrow('sources restore acme');

  const now = world.time.now();
  const renewed = await restoreSource(world.states, await world.state(), { force: false, now });
  await world.nextTick(session);
  await world.nextTick(session);

  const after = (await world.events()).filter(({ data }) => data.generation === renewed.generation);
  const groups = after.filter(({ type }) => type === 'return_group.created');
  const ids = new Set(before.map(({ id }) => id));
  expect(groups).toHaveLength(world.reference.control.snapshot().length);
  expect(groups.every(({ data }) => data.sequence === 1)).toBe(true);
  expect(after.some(({ id }) => ids.has(id))).toBe(false);
  expect(
    after.every(({ id }) => (parseEventId(id)?.generation ?? '') > (before[0]?.data.generation ?? '')),
  ).toBe(true);
  expect(await world.state()).toMatchObject({ mode: 'emit', baselineAt: expect.any(Number) });
});

test('a source that was not restored is only renewed by force', async () => {
  const world = createSourceWorld();
  await world.tick(world.startProcess('a'));
  const state = await world.state();
  const now = world.time.now();

  const refused = restoreSource(world.states, state, { force: false, now });
  await expect(refused).rejects.toThrow('--force');
  expect(await world.state()).toEqual(state);

  const renewed = await restoreSource(world.states, state, { force: true, now });
  expect(renewed.generation).not.toBe(state.generation);
});

test('a renewal fails during a tick, or if another process saved in between', async () => {
  const { world } = await restored();
  const state = await world.state();
  const now = world.time.now();
  const held = { ...state, lease: { owner: 'a', epoch: 3, expiresAt: now + 30 * SECOND } };

  const busy = restoreSource(world.states, held, { force: false, now });
  await expect(busy).rejects.toThrow('try again');
  await world.states.save({ ...state, version: state.version + 1 }, state.version);
  const overtaken = restoreSource(world.states, state, { force: false, now });

  await expect(overtaken).rejects.toThrow('try again');
  expect((await world.state()).generation).toBe(state.generation);
});
