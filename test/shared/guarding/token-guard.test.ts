import { describe, expect, it } from 'vitest';
import { jsonAnswer } from '../../../local/reference-service/service/answer.ts';
import { standingHolds } from '../../../shared/guarding/holds.ts';
import { releaseNow } from './release-now.ts';
import {
  conditions,
  createTwoStores,
  OTHER_TOKEN,
  SECOND_TOKEN,
  seenWith,
  type TwoStores,
} from './two-stores.ts';

/** A source after a complete tick and the tick after it. */
async function settled(stores: TwoStores) {
  const session = stores.startProcess('a');
  await stores.world.tick(session);
  await stores.world.nextTick(session);
  return session;
}

const LOOK_UP = 'return_group_id=';

describe('a token that was replaced', () => {
  it('by another token of the same store costs one look-up', async () => {
    const stores = createTwoStores();
    const { world } = stores;
    await settled(stores);
    world.network.token = SECOND_TOKEN;
    const cold = stores.startProcess('b');
    world.setShipment(world.someGroup(), 'FAILED');

    const reports = [await world.nextTick(cold), await world.nextTick(cold)];

    const lookUps = world.requests().filter(({ query }) => query.includes(LOOK_UP));
    expect(reports.map(({ polls }) => polls)).toEqual([1, 1]);
    expect(lookUps).toHaveLength(1);
    expect((await world.groupEvents(world.someGroup())).map(({ type }) => type)).toEqual([
      'shipment.status_changed',
    ]);
    expect((await world.state()).guarding).toMatchObject({ holds: [], seenWith: seenWith(SECOND_TOKEN) });
  });

  it.each([
    ['by that of another store', 60],
    ['by that of an empty store', 0],
  ])('%s holds the source, reports the hold, and saves nothing of that store', async (_, groups) => {
    const stores = createTwoStores({}, groups);
    const { world } = stores;
    await settled(stores);
    const before = { events: await world.events(), known: world.store.all(await world.source()) };
    world.network.token = OTHER_TOKEN;
    const cold = stores.startProcess('b');

    const reports = [await world.nextTick(cold)];
    for (let minute = 0; minute < 12; minute += 1) reports.push(await world.nextTick(cold));

    const held = (await world.events()).filter(({ type }) => !type.startsWith('feed.'));
    expect(reports.every(({ outcome, polls, error }) => outcome === 'done' && polls === 0 && !error)).toBe(
      true,
    );
    expect(held).toEqual(before.events.filter(({ type }) => !type.startsWith('feed.')));
    expect(world.store.all(await world.source())).toEqual(before.known);
    expect(await conditions(world)).toEqual(['feed.source_degraded held']);
    expect(world.logged.map(({ message }) => message)).toContain('The source is not being read completely.');
    expect(standingHolds(await world.state())).toMatchObject([{ number: 1, guard: 'known_group_not_found' }]);
  });

  it('by mistake holds the source until the right token is back', async () => {
    const stores = createTwoStores();
    const { world } = stores;
    await settled(stores);
    const { token } = world.network;
    world.network.token = OTHER_TOKEN;
    await world.nextTick(stores.startProcess('b'));
    world.setShipment(world.someGroup(), 'FAILED');

    world.network.token = token;
    const restored = stores.startProcess('c');
    await world.nextTick(restored);
    await world.nextTick(restored);

    expect(standingHolds(await world.state())).toEqual([]);
    expect(await world.groupEvents(world.someGroup())).toHaveLength(1);
    expect(await conditions(world)).toEqual(['feed.source_degraded held', 'feed.source_recovered']);
  });

  it('during a tick, because the service refused the old token, holds the source from that moment', async () => {
    const stores = createTwoStores({ knobs: { limitMax: 10 }, settings: { baseline: 'emit' } });
    const { world } = stores;
    const session = stores.startProcess('a');
    const { token } = world.network;
    const usual = world.network.intercept;
    let requests = 0;
    world.network.intercept = (request) => {
      requests += 1;
      if (requests < 8 || request.token !== token) return usual?.(request);
      world.network.token = OTHER_TOKEN;
      return world.reference.service.answer({ ...request, token: 'revoked' });
    };

    await world.tick(session);

    const known = world.store.all(await world.source());
    const own = new Map(world.control.snapshot().map(({ id, created_at }) => [id, created_at]));
    expect(requests).toBeGreaterThan(8);
    expect(known.length).toBeGreaterThan(0);
    expect(known.every(({ projection: { group } }) => own.get(group.id) === group.created_at)).toBe(true);
    expect(standingHolds(await world.state())).toMatchObject([{ guard: 'known_group_not_found' }]);
  });

  it('costs no look-up as long as no group is known', async () => {
    const stores = createTwoStores({ groups: 0 });
    const { world } = stores;
    for (const { id } of world.control.snapshot()) world.control.remove(Number(id));
    const session = stores.startProcess('a');
    await world.tick(session);

    world.network.token = SECOND_TOKEN;
    const report = await world.nextTick(stores.startProcess('b'));

    expect(report).toMatchObject({ outcome: 'done', polls: 1 });
    expect(world.requests().filter(({ query }) => query.includes(LOOK_UP))).toEqual([]);
  });

  it('does not hold a source after most of its known groups were removed', async () => {
    const stores = createTwoStores({ groups: 40 });
    const { world } = stores;
    await settled(stores);
    const ids = world.control.snapshot().map(({ id }) => Number(id));
    for (const id of ids.filter((_, index) => index % 4 !== 0)) world.control.remove(id);

    world.network.token = SECOND_TOKEN;
    const cold = stores.startProcess('b');
    const polls: number[] = [];
    for (let minute = 0; minute < 6; minute += 1) polls.push((await world.nextTick(cold)).polls);

    expect(polls.at(-1)).toBe(1);
  });
});

describe('a replaced token that now shows an empty store', () => {
  it.each([
    ['many', 40],
    ['few', 2],
  ])('is read again from the secret before any of %s groups counts as gone', async (_, groups) => {
    const stores = createTwoStores({ groups, settings: { reconcileMs: 120_000 } });
    const { world } = stores;
    const warm = await settled(stores);
    const old = world.network.token;
    const usual = world.network.intercept;
    world.network.intercept = (request) => (request.token === old ? jsonAnswer(200, []) : usual?.(request));
    world.network.token = SECOND_TOKEN;
    const changed = world.someGroup();
    world.setShipment(changed, 'FAILED');

    for (let minute = 0; minute < 12; minute += 1) await world.nextTick(warm);

    const types = (await world.groupEvents(changed)).map(({ type }) => type);
    const all = (await world.events()).map(({ type }) => type);
    expect(types.at(-1)).toBe('shipment.status_changed');
    expect(all.filter((type) => type.endsWith('removed'))).toEqual([]);
    expect((await world.state()).guarding).toMatchObject({ holds: [], seenWith: seenWith(SECOND_TOKEN) });
    expect(await conditions(world)).toEqual([]);
  });
});

describe('a source that is held because of its token', () => {
  it('continues with the new token after a release', async () => {
    const stores = createTwoStores();
    const { world } = stores;
    await settled(stores);
    world.network.token = OTHER_TOKEN;
    await world.nextTick(stores.startProcess('b'));
    await releaseNow(world, 1);

    const report = await world.nextTick(stores.startProcess('c'));

    expect(report.polls).toBe(1);
    expect((await world.state()).guarding.seenWith).toBe(seenWith(OTHER_TOKEN));
    expect(standingHolds(await world.state()).map(({ guard }) => guard)).not.toContain(
      'known_group_not_found',
    );
  });
});

describe('a token that shows known groups unreadable', () => {
  it('is neither used nor treated as that of another store until one of them is readable', async () => {
    const stores = createTwoStores({ settings: { reconcileMs: 120_000 } });
    const { world } = stores;
    await settled(stores);
    const usual = world.network.intercept;
    let isCorrupt = true;
    world.network.intercept = (request) => {
      const answer = usual?.(request) ?? world.reference.service.answer(request);
      const isLookUp = request.query.has('return_group_id');
      return isCorrupt && isLookUp ? { ...answer, body: '[{}]' } : answer;
    };
    world.network.token = SECOND_TOKEN;
    const changed = world.someGroup();
    world.setShipment(changed, 'FAILED');
    const cold = stores.startProcess('b');

    for (let minute = 0; minute < 7; minute += 1) await world.nextTick(cold);
    const whileCorrupt = { events: await world.groupEvents(changed), state: await world.state() };
    isCorrupt = false;
    for (let minute = 0; minute < 3; minute += 1) await world.nextTick(cold);

    expect(whileCorrupt.events).toEqual([]);
    expect(whileCorrupt.state.guarding.holds).toEqual([]);
    expect(await world.groupEvents(changed)).toHaveLength(1);
    expect(await conditions(world)).toEqual(['feed.source_degraded failing', 'feed.source_recovered']);
  });
});
