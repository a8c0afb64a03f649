import { describe, expect, it } from 'vitest';
import { MINUTE, SECOND } from '../../shared/instant.ts';
import { changeStore } from './change-store.ts';
import { createFreshnessWorld } from './freshness-world.ts';
import { delaysOf, quantile, type StatusChange, wrongAt } from './measure.ts';
import { runReader } from './run-reader.ts';
import { SETTINGS } from './settings.ts';

const OPENING = new Map([['shipment/1', 'CREATED']]);

describe('the measure of freshness', () => {
  it.each([0, 7])('is %i s for a reader that knows each change after exactly that time', async (seconds) => {
    const world = createFreshnessWorld({
      ...{ setting: settingNamed('plain-20'), seed: 1, groups: 100, requestMs: 50, changing: 'spread' },
    });
    await world.time.run(changeStore(world, 1, 20_000));
    const changes = world.changes();
    const sightings = changes.map((change) => ({ ...change, at: change.at + seconds * SECOND }));

    const delays = delaysOf(world.opening, changes, sightings);

    const lastAt = changes.at(-1)?.at ?? 0;
    expect(changes.length).toBeGreaterThan(300);
    expect(new Set(delays.seconds)).toEqual(new Set([seconds]));
    expect(delays.seconds).toHaveLength(changes.length);
    expect([quantile(delays, 0.5), quantile(delays, 1)]).toEqual([seconds, seconds]);
    expect(wrongAt(lastAt + seconds * SECOND, world.opening, changes, sightings)).toBe(0);
    expect(wrongAt(lastAt + 1, world.opening, changes, sightings) > 0).toBe(seconds > 0);
  });

  it('counts changes that the reader never knows', () => {
    const changes = [changed(10, 'IN_TRANSIT')];

    const delays = delaysOf(OPENING, changes, []);

    expect(delays).toEqual({ seconds: [], never: 1, unseen: 0 });
    expect(quantile(delays, 0.5)).toBe(Number.POSITIVE_INFINITY);
    expect(wrongAt(60 * SECOND, OPENING, changes, [])).toBe(1);
  });

  it('counts a later status of the entity as knowledge of the earlier one', () => {
    const changes = [changed(10, 'IN_TRANSIT'), changed(12, 'DELIVERED')];

    const delays = delaysOf(OPENING, changes, [changed(15, 'DELIVERED')]);

    expect(delays.seconds).toEqual([3, 5]);
  });

  it('has no delay for a change that is undone before a reading', () => {
    const changes = [changed(10, 'IN_TRANSIT'), changed(12, 'CREATED'), changed(20, 'FAILED')];

    const delays = delaysOf(OPENING, changes, [changed(21, 'FAILED')]);

    expect(delays).toEqual({ seconds: [1], never: 0, unseen: 2 });
  });

  it('has delays of at most an interval for a reader of the whole list, and no wrong status at the end', async () => {
    const setting = settingNamed('plain-3');

    const { delay, wrong, requests } = await runReader(
      { setting, seed: 1, groups: 50, requestMs: 50, changing: 'spread' },
      { name: 'whole-list', kind: 'whole-list', everyMs: 5_000 },
    );

    expect([wrong.after40s, wrong.after3min]).toEqual([0, 0]);
    expect(delay.p50).toBeGreaterThan(2);
    expect(delay.p50).toBeLessThan(3);
    expect(delay.max).toBeLessThanOrEqual(5.1);
    expect(requests.all).toBeCloseTo((2 * MINUTE) / (5 * SECOND), -1);
  });
});

function changed(second: number, status: string): StatusChange {
  return { at: second * SECOND, entity: 'shipment/1', status };
}

function settingNamed(name: string) {
  const setting = SETTINGS.find((known) => known.name === name);
  if (setting === undefined) throw new Error(`There is no setting ${name}.`);
  return setting;
}
