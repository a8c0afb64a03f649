import { describe, expect, it } from 'vitest';
import { SECOND } from '../../shared/instant.ts';
import { createVirtualWorld } from './bench-world.ts';
import { changeStore } from './change-store.ts';
import { delaysOf, quantile, wrongAt } from './measure.ts';
import { createTurns } from './ordinary-reader.ts';
import { runReader, runRow } from './run-row.ts';
import { SETTINGS } from './settings.ts';
import { ORDINARY_KINDS } from './usual-poller.ts';

describe('the measure of freshness', () => {
  it.each([0, 7])('is %i s for a reader that knows each change after exactly that time', async (seconds) => {
    const world = createVirtualWorld({ setting: settingNamed('plain-20'), seed: 1, groups: 100 });
    await world.time.run(changeStore(world, 1, 20_000));
    const changes = world.changes();
    const sightings = changes.map((change) => ({ ...change, at: change.at + seconds * SECOND }));
    const evidence = { opening: world.opening, changes, sightings };

    const delays = delaysOf(evidence);

    const lastAt = changes.at(-1)?.at ?? 0;
    expect(changes.length).toBeGreaterThan(300);
    expect(new Set(delays.known)).toEqual(new Set([seconds * SECOND]));
    expect(delays.known).toHaveLength(changes.length);
    expect([quantile(delays, 0.5), quantile(delays, 1)]).toEqual([seconds * SECOND, seconds * SECOND]);
    expect(wrongAt(lastAt + seconds * SECOND, evidence)).toBe(0);
    expect(wrongAt(lastAt + 1, evidence) > 0).toBe(seconds > 0);
  });

  it('has delays of at most an interval for a reader of the whole list, and no wrong status at the end', async () => {
    const setting = settingNamed('plain-3');

    const { p50, max, wrong, requests, busiestMinute } = await runReader(
      { setting, seed: 1, groups: 50 },
      'whole-list',
    );

    expect(wrong).toEqual([0, 0]);
    expect(p50).toBeGreaterThan(2);
    expect(p50).toBeLessThan(3);
    expect(max).toBeLessThanOrEqual(5.1);
    expect(requests).toBeCloseTo(2 * 12, -1);
    expect(busiestMinute).toBeGreaterThanOrEqual(requests);
  });
});

describe('the verdict on the feed', () => {
  it('compares it with the better reader, which here is the one of the whole list', async () => {
    const setting = { ...settingNamed('unmoved-3'), changesForMs: 20_000 };

    const { readers, better } = await runRow({ setting, seed: 1, groups: 50, isReal: false });

    expect(readers.map(({ name }) => name)).toEqual(['usual', 'whole-list', 'feed']);
    expect(readers[0]?.never).toBeGreaterThan(0);
    expect(better).toBe('whole-list');
  });

  it.each([
    { every: 5, missed: '' },
    { every: 60, missed: 'p99' },
  ])('is measured by the bounds of the setting, polling every $every s', async ({ every, missed }) => {
    const setting = { ...settingNamed('plain-3'), changesForMs: 20_000, everyMs: every * 1_000 };

    const row = await runRow({
      setting: { ...setting, bounds: { p99: 6 } },
      seed: 1,
      groups: 50,
      isReal: false,
    });

    expect(row.readers.map(({ name }) => name)).toEqual(['feed']);
    expect(row.missed.map((shortfall) => shortfall.slice(0, 3)).join()).toBe(missed);
  });

  it('is of a feed that reads on when answers fail', async () => {
    const setting = { ...settingNamed('failing'), changesForMs: 20_000 };
    const reader = (faultRate: number) => {
      const knobs = { ...setting.knobs, faultRate };
      return runReader({ setting: { ...setting, knobs }, seed: 1, groups: 50 }, 'feed');
    };

    const [served, failing] = [await reader(0), await reader(0.7)];

    expect(failing.p50).toBeGreaterThan(served.p50);
    expect(failing.never).toBe(0);
  });
});

describe('an ordinary reader', () => {
  it.each(ORDINARY_KINDS)('knows every change of a service that keeps its order (%s)', async (kind) => {
    const setting = settingNamed('clamped-3');

    const { never, wrong, max, notes } = await runReader({ setting, seed: 1, groups: 130 }, kind);

    expect({ never, wrong, notes }).toEqual({ never: 0, wrong: [0, 0], notes: [] });
    expect(max).toBeLessThanOrEqual(6);
  });

  it('never sends more requests than the service allows', async () => {
    const clock = createFakeClock();
    const waitForTurn = createTurns({ clock, perMinute: 60, burst: 5 });

    const sentAt: number[] = [];
    for (let request = 0; request < 150; request += 1) {
      await waitForTurn();
      sentAt.push(clock.now());
    }

    const inMinute = sentAt.map((from) => sentAt.filter((at) => at >= from && at < from + 60_000).length);
    expect(Math.max(...inMinute)).toBe(60);
    expect(sentAt.slice(4, 7)).toEqual([0, 1_000, 2_000]);
  });
});

function settingNamed(name: string) {
  const setting = SETTINGS.find((known) => known.name === name);
  if (setting === undefined) throw new Error(`There is no setting ${name}.`);
  return setting;
}

function createFakeClock() {
  let now = 0;
  return {
    now: () => now,
    async sleep(ms: number) {
      now += ms;
    },
  };
}
