import { describe, expect, it } from 'vitest';
import { createInProcessService } from '../../../local/reference-service/in-process-service.ts';
import { standingHolds } from '../../../shared/guarding/holds.ts';
import type { SourceServices } from '../../../shared/source/source-session.ts';
import { sourceSettings } from '../../../shared/source/source-settings.ts';
import { createMemoryBudgets } from '../../fakes/memory-budgets.ts';
import { BASE_URL, createSourceWorld, SOURCE, type SourceWorld } from '../source-world.ts';
import { conditions } from './two-stores.ts';

const OTHER_URL = 'https://elsewhere.example/api';
const hashToken = (text: string) => `hash of ${text}`;

/** A process that polls the same source with the same token at another address. */
function startElsewhere(world: SourceWorld, owner: string, others: Partial<SourceServices> = {}) {
  const settings = sourceSettings.parse({ name: SOURCE, baseUrl: OTHER_URL });
  return world.startProcess(owner, { settings, hashToken, ...others });
}

/** Another store with the same token; `network.intercept` stands for its address. */
function createOtherStore(world: SourceWorld) {
  const clock = { now: () => world.time.now(), advance: () => {} };
  const other = createInProcessService({ groups: 60, seed: 99, life: false, clock });
  return (request: Parameters<typeof other.service.answer>[0]) =>
    other.service.answer({ ...request, token: other.token });
}

async function settled() {
  const world = createSourceWorld();
  const session = world.startProcess('a', { hashToken });
  await world.tick(session);
  await world.nextTick(session);
  return world;
}

describe('another address behind the same token', () => {
  it('of another store publishes nothing and holds the source', async () => {
    const world = await settled();
    const before = { events: await world.events(), known: world.store.all(await world.source()) };
    world.network.intercept = createOtherStore(world);
    const moved = startElsewhere(world, 'b');

    for (let minute = 0; minute < 6; minute += 1) await world.nextTick(moved);

    const changes = (await world.events()).filter(({ type }) => !type.startsWith('feed.'));
    expect(changes).toEqual(before.events.filter(({ type }) => !type.startsWith('feed.')));
    expect(world.store.all(await world.source())).toEqual(before.known);
    expect(standingHolds(await world.state())).toMatchObject([{ guard: 'known_group_not_found' }]);
    expect(await conditions(world)).toEqual(['feed.source_degraded held']);
  });

  it('of the same store costs one look-up, and keeps the token’s budget', async () => {
    const world = await settled();
    const changed = world.someGroup();
    world.setShipment(changed, 'FAILED');
    const budgets = createMemoryBudgets(world.time);
    const booked = new Set<string>();
    const load: typeof budgets.load = (tokenHash) => {
      booked.add(tokenHash);
      return budgets.load(tokenHash);
    };
    const moved = startElsewhere(world, 'b', { budgets: { ...budgets, load } });

    const reports = [await world.nextTick(moved), await world.nextTick(moved)];

    const lookUps = world.requests().filter(({ query }) => query.includes('return_group_id='));
    expect(reports.map(({ polls }) => polls)).toEqual([1, 1]);
    expect(lookUps).toHaveLength(1);
    expect(await world.groupEvents(changed)).toHaveLength(1);
    expect([...booked]).toEqual([hashToken(world.network.token)]);
  });

  it('is not assumed for another spelling of the same address', async () => {
    const world = await settled();
    const settings = sourceSettings.parse({
      name: SOURCE,
      baseUrl: `${BASE_URL.replace('https', 'HTTPS')}/`,
    });
    const rewritten = world.startProcess('b', { settings, hashToken });

    await world.nextTick(rewritten);

    expect(world.requests().filter(({ query }) => query.includes('return_group_id='))).toEqual([]);
  });

  it('is checked again if an older release, which identified a source only by its token, stored the state', async () => {
    const world = await settled();
    const known = await world.state();
    const stored = { ...known.guarding, seenWith: hashToken(world.network.token) };
    await world.states.save({ ...known, version: known.version + 1, guarding: stored }, known.version);

    const upgraded = world.startProcess('b', { hashToken });
    await world.nextTick(upgraded);
    await world.nextTick(upgraded);

    const lookUps = world.requests().filter(({ query }) => query.includes('return_group_id='));
    expect(lookUps).toHaveLength(1);
    expect(await conditions(world)).toEqual([]);
  });
});
