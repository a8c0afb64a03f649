import { describe, expect, it } from 'vitest';
import { MINUTE } from '../../../shared/instant.ts';
import { reportUnconfigured } from '../../../shared/reporting/report-unconfigured.ts';
import { conditions } from '../read-reports.ts';
import { createSourceWorld, SOURCE, type SourceWorld } from '../source-world.ts';

async function ticksWithoutSettings(world: SourceWorld, count: number): Promise<void> {
  for (let minute = 0; minute < count; minute += 1) {
    await world.time.advance(MINUTE);
    await reportUnconfigured({ source: SOURCE, slot: world.slot() }, world);
  }
}

describe('a source with unreadable settings', () => {
  it('is reported once it has not been read for five minutes', async () => {
    const world = createSourceWorld();
    await world.tick(world.startProcess('a'));

    await ticksWithoutSettings(world, 4);
    const early = await conditions(world);
    await ticksWithoutSettings(world, 4);

    expect(early).toEqual([]);
    expect(await conditions(world)).toEqual(['feed.source_degraded misconfigured']);
    expect((await world.state()).health.reasons.map(({ code }) => code)).toEqual(['misconfigured']);
  });

  it('is reported by a later tick if the process that noted it ended before it appended the report', async () => {
    const world = createSourceWorld();
    await world.tick(world.startProcess('a'));
    const failing = { ...world.ledger, append: () => Promise.reject(new Error('the process ended here')) };
    await world.time.advance(7 * MINUTE);
    const once = { source: SOURCE, slot: world.slot() };
    await expect(reportUnconfigured(once, { ...world, ledger: failing })).rejects.toThrow('ended here');

    await ticksWithoutSettings(world, 2);

    expect(await conditions(world)).toEqual(['feed.source_degraded misconfigured']);
  });

  it('recovers with the first poll after they are readable again', async () => {
    const world = createSourceWorld();
    const session = world.startProcess('a');
    await world.tick(session);
    await ticksWithoutSettings(world, 7);

    await world.nextTick(session);

    expect(await conditions(world)).toEqual(['feed.source_degraded misconfigured', 'feed.source_recovered']);
  });

  it('adds its reason to the reasons that were reported before', async () => {
    const world = createSourceWorld();
    await world.tick(world.startProcess('a'));
    world.network.token = 'revoked';
    await world.nextTick(world.startProcess('b'));

    await ticksWithoutSettings(world, 7);

    const { reasons } = (await world.state()).health;
    expect(reasons.map(({ code }) => code)).toEqual(['refused', 'misconfigured']);
    expect(await conditions(world)).toEqual([
      'feed.source_degraded refused',
      'feed.source_degraded refused misconfigured',
    ]);
  });

  it('is skipped if it was never read, and while another process holds the lease', async () => {
    const world = createSourceWorld();
    await ticksWithoutSettings(world, 7);
    await world.tick(world.startProcess('a'));
    const state = await world.state();
    const expiresAt = Number.MAX_SAFE_INTEGER;
    const leased = { ...state, version: state.version + 1, lease: { ...state.lease, expiresAt } };
    await world.states.save(leased, state.version);

    await ticksWithoutSettings(world, 7);

    expect(await world.state()).toEqual(leased);
  });
});
