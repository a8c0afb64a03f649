import { describe, expect, it } from 'vitest';
import { DeadlineReached } from '../../../shared/pacing/errors.ts';
import type { SourceState } from '../../../shared/source/source-state.ts';
import { createTickRun } from '../../../shared/tick/tick-run.ts';
import { createSourceWorld } from '../source-world.ts';

describe('a tick’s reports of the feed itself', () => {
  it('are not published if the state behind them was not saved', async () => {
    const world = createSourceWorld();
    const session = world.startProcess('a', {
      states: {
        ...world.states,
        save: async (state, version) =>
          state.feedReports.length > 0 ? 'conflict' : world.states.save(state, version),
      },
    });

    const report = await world.tick(session);

    expect(report.outcome).toBe('overtaken');
    expect(await world.feedEvents()).toEqual([]);
  });

  it('are published by the next tick if the process ended before it published them', async () => {
    const world = createSourceWorld();
    const dying = world.startProcess('a', {
      ledger: { ...world.ledger, append: () => Promise.reject(new Error('ended here')) },
    });
    await expect(world.tick(dying)).rejects.toThrow('ended here');
    const before = await world.feedEvents();

    await world.nextTick(world.startProcess('b'), 120_000);
    await world.nextTick(world.startProcess('c'));

    expect(before).toEqual([]);
    expect((await world.feedEvents()).map(({ type }) => type)).toEqual(['feed.baseline_completed']);
    expect((await world.state()).feedReports).toEqual([]);
  });
});

it('saves the time of a new field before any snapshot', async () => {
  const world = createSourceWorld({ settings: { baseline: 'emit' } });
  const saved: SourceState['fieldsSince'][] = [];
  const session = world.startProcess('a', {
    store: {
      ...world.store,
      async save(key, save) {
        saved.push((await world.state()).fieldsSince);
        return world.store.save(key, save);
      },
    },
  });

  await world.tick(session);

  expect(saved.length).toBeGreaterThan(0);
  expect(saved.every((fields) => 'return_line_item.status' in fields)).toBe(true);
});

it('learns no lead from rows with stamps ahead that it reads for the first time', async () => {
  const world = createSourceWorld({ groups: 40, knobs: { absurdEvery: 4, absurdStamps: 'ahead' } });
  const session = world.startProcess('a');

  await world.tick(session);

  const { stamps, baseline } = await world.state();
  expect(baseline.status).toBe('completed');
  expect(stamps).toMatchObject({ lead: 0, leads: [] });
});

describe('the range that a tick leaves unfinished', () => {
  const fail = (error: Error) => () => Promise.reject(error);

  it('is the innermost range that the deadline interrupted', async () => {
    const run = createTickRun(createSourceWorld().startProcess('a'));

    const poll = () => run.within('poll', fail(new DeadlineReached('now')));

    await expect(run.within('all', poll)).rejects.toThrow(DeadlineReached);
    expect(run.unfinished).toBe('poll');
  });

  it('is undefined if another error ended the work: the range was not too wide', async () => {
    const run = createTickRun(createSourceWorld().startProcess('a'));

    await expect(run.within('all', fail(new Error('no answer')))).rejects.toThrow('no answer');

    expect(run.unfinished).toBeUndefined();
  });

  it('is the outer range while a walk continues after a poll, and undefined once that is covered', async () => {
    const run = createTickRun(createSourceWorld().startProcess('a'));
    const seen: unknown[] = [];

    await run.within('all', async () => {
      await run.within('poll', async () => seen.push(run.unfinished));
      seen.push(run.unfinished);
      run.noteCovered();
      seen.push(run.unfinished);
    });

    expect(seen).toEqual(['poll', 'all', undefined]);
  });
});
