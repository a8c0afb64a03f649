import { describe, expect, it } from 'vitest';
import { DAY, formatInstant, HOUR, MINUTE, SECOND } from '../../../shared/instant.ts';
import { claimsOf } from '../../../shared/position/claims.ts';
import type { Range } from '../../../shared/reading/range.ts';
import { beginRound } from '../../../shared/reading/round.ts';
import { TooLargeToStoreError } from '../../../shared/recording/store-errors.ts';
import type { LaneName, SourceState } from '../../../shared/source/source-state.ts';
import { VIRTUAL_START } from '../../fakes/virtual-clock.ts';
import { aPosition, lanesWith } from '../a-state.ts';
import { instantOf } from '../comparing/a-reading.ts';
import { sampleRow } from '../returns-service/sample-rows.ts';
import { CREATED, createSetting, failed, LATER, page, START } from './recorder-under-test.ts';

const SETTLE = MINUTE;
const HOLD = { number: 1, since: 1, phase: 'holding', phaseSince: 1, samples: [] } as const;
const PLACE = {
  axis: 'created',
  from: CREATED,
  to: CREATED + SECOND,
  ...{ isLeftOut: true, seenAt: 1, reason: '' },
} as const;
const rows = (count: number) => Array.from({ length: count }, (_, index) => sampleRow(index + 1));

describe('a page', () => {
  it('saves and publishes what differs, and counts it', async () => {
    const { run, take, types } = createSetting();
    await take(page(rows(3)));

    await take(page([sampleRow(1), failed(2, LATER), sampleRow(3)], 100));

    expect((await types(2)).at(-1)).toBe('shipment.status_changed');
    expect(run.recorder.counts).toMatchObject({ groups: 6, firstSeen: 3, left: 0, foundByWalks: 0 });
  });

  it('shows all its groups, also those that can’t be read', async () => {
    const { take } = createSetting();

    const shown = await take(page([sampleRow(1), { ...sampleRow(2), created_at: 'yesterday' }]));

    expect([...shown]).toEqual([1, 2]);
  });

  it('is recorded after the one before, however long that takes', async () => {
    const { run, world, types } = createSetting();
    const first = run.recorder.record(page([sampleRow(1)]), 'late');
    const second = run.recorder.record(page([failed(1, LATER)], 100), 'recent', new Map());

    await world.time.run(Promise.all([first, second]));

    expect((await types(1)).filter((type) => !type.endsWith('.created'))).toEqual([
      'shipment.status_changed',
    ]);
  });

  it('counts each group whose changes are held as a mass change once', async () => {
    const { run, take, index } = createSetting({ holds: [{ ...HOLD, kind: 'mass_change', count: 1 }] });
    await take(page(rows(3)));

    const changed = page([failed(1), failed(2), failed(3, LATER)], 100);
    await take(changed, 'recent', await index());
    await take(changed, 'recent', await index());

    expect(run.state.holds).toMatchObject([{ kind: 'mass_change', count: 2 }]);
  });
});

describe('a known group that a walk shows with a newer stamp, before the cursor', () => {
  const cursor = instantOf(LATER) + MINUTE;

  async function aWalk(changes: Partial<SourceState> = {}, lane: LaneName = 'recent') {
    const { run, take, index } = createSetting(changes);
    await take(page(rows(3)));
    run.updatePosition((position) => ({ ...position, cursor }));
    const show = async (...ids: number[]) => {
      const after = 200 * (ids[0] ?? 1);
      await take(page([...ids.map((id) => failed(id, LATER)), sampleRow(9)], after), lane, await index());
    };
    return { run, show };
  }

  it('is noted: polls had passed it', async () => {
    const { run, show } = await aWalk();

    await show(1);

    expect(run.state.position.passed).toEqual([{ at: run.now(), stamp: instantOf(LATER) }]);
    expect(run.state.position.cursor).toBe(cursor);
    expect(run.state.findings).toEqual([]);
  });

  it('sets the polls back to it if it is the third in an hour', async () => {
    const { run, show } = await aWalk();

    await show(1);
    await show(2, 3);

    expect(run.state.findings).toMatchObject([
      { code: 'polls_miss_changes', lane: 'recent', count: 3, example: expect.stringContaining('10:16:02') },
    ]);
    expect(run.state.position).toMatchObject({ cursor: instantOf(LATER), passed: [], newestAt: [] });
  });

  it.each<[string, Partial<SourceState>, LaneName]>([
    ['polls show', {}, 'late'],
    ['was set aside', { setAside: [{ groupId: 1, reason: '', digest: '', since: 1, seenAt: 1 }] }, 'recent'],
    ['is in a place that was left out', { position: aPosition({ places: [PLACE] }) }, 'recent'],
  ])('is not noted if it is one that %s', async (_, changes, lane) => {
    const { run, show } = await aWalk({}, lane);
    run.update((state) => ({ ...state, ...changes }));
    run.updatePosition((position) => ({ ...position, cursor }));

    await show(1);

    expect(run.state.position.passed).toEqual([]);
  });
});

describe('an unchanged group', () => {
  it('of a walk is recognized by its digest in the index, without its snapshot', async () => {
    const { take, index, loaded } = createSetting();
    await take(page(rows(3)), 'recent', new Map());
    const before = loaded();

    await take(page([sampleRow(1), failed(2), sampleRow(3)], 100), 'recent', await index());

    expect(loaded() - before).toBe(1);
  });

  it('of a poll is recognized by the memory of the process', async () => {
    const { take, loaded } = createSetting();
    await take(page(rows(3)));
    await take(page(rows(3), 100));
    const before = loaded();

    await take(page(rows(3), 200));

    expect(loaded()).toBe(before);
  });

  it('is not recognized by a memory from before a save whose answer was lost', async () => {
    const { take, types, storeThat } = createSetting();
    await take(page([sampleRow(1)]));
    await take(page([sampleRow(1)], 100));
    storeThat.losesAnswers = true;
    const lost = take(page([failed(1, LATER)], 200));
    await expect(lost).rejects.toThrow('no answer');
    storeThat.losesAnswers = false;

    await take(page([{ ...sampleRow(1), updated_at: LATER }], 300));

    expect((await types(1)).filter((type) => !type.endsWith('.created'))).toEqual([
      'shipment.status_changed',
      'shipment.status_changed',
    ]);
  });

  it('of a walk is not recognized by the memory: another process may have saved it', async () => {
    const { take, loaded } = createSetting();
    await take(page(rows(3)));
    await take(page(rows(3), 100));
    const before = loaded();

    await take(page(rows(3), 200), 'recent', new Map());

    expect(loaded() - before).toBe(3);
  });

  it('has no digest while an entity of it is missing', async () => {
    const { take, index } = createSetting();
    await take(page([sampleRow(1)]));
    const before = (await index()).get(1)?.digest;

    await take(page([{ ...sampleRow(1), shipments: [] }], 100));

    expect(before).toBeDefined();
    expect((await index()).get(1)?.digest).toBeUndefined();
  });
});

describe('a look-up is queued', () => {
  it('for a reading that was left as possibly stale, `settle` after the saved one', async () => {
    const { run, take, types } = createSetting();
    await take(page([sampleRow(1)]));

    await take(page([failed(1)], 30));

    expect(run.state.lookUps).toEqual([{ groupId: 1, dueAt: START + SECOND + SETTLE, isMissing: undefined }]);
    expect(run.recorder.counts.left).toBe(1);
    expect(await types(1)).not.toContain('shipment.status_changed');
  });

  it('for an entity that is missing: the next reading, `settle` later, decides', async () => {
    const { run, take } = createSetting();
    await take(page([sampleRow(1)]));

    await take(page([{ ...sampleRow(1), shipments: [] }], 100));

    expect(run.state.lookUps).toMatchObject([{ groupId: 1, dueAt: START + 101 * SECOND + SETTLE }]);
  });

  it('at once for a save that another process prevented', async () => {
    const { run, take } = createSetting({}, { save: async () => 'conflict' });

    await take(page([sampleRow(1)]));

    expect(run.state.lookUps).toMatchObject([{ groupId: 1, dueAt: START + SECOND }]);
  });
});

describe('a row that can’t be recorded', () => {
  it('is set aside with its reason if it can’t be read, until it can', async () => {
    const { run, take } = createSetting();

    await take(page([{ ...sampleRow(1), created_at: 'yesterday' }, sampleRow(2)]));
    const { setAside } = run.state;
    await take(page([sampleRow(1)], 100));

    expect(setAside).toMatchObject([
      { groupId: 1, reason: 'created_at is a text of 9 characters', since: START + SECOND },
    ]);
    expect(run.state.setAside).toEqual([]);
  });

  it('is not set aside any more once its group shows as it is known', async () => {
    const { run, take } = createSetting();
    await take(page([sampleRow(1)]));

    await take(page([{ ...sampleRow(1), created_at: 'yesterday' }], 100));
    const { setAside } = run.state;
    await take(page([sampleRow(1)], 200));

    expect(setAside).toMatchObject([{ groupId: 1 }]);
    expect(run.state.setAside).toEqual([]);
  });

  it.each(['silent', 'emit'] as const)(
    'is set aside if it is too large to store, and all others are saved (%s)',
    async (mode) => {
      const { run, take, known, world } = createSetting(
        { mode },
        {
          save: (key, save) =>
            key.group === 2
              ? Promise.reject(new TooLargeToStoreError(2, 500_000))
              : world.store.save(key, save),
          async saveAll(source, saves) {
            if (saves.some(({ snapshot }) => snapshot.groupId === 2))
              throw new TooLargeToStoreError(2, 500_000);
            return world.store.saveAll(source, saves);
          },
        },
      );

      await take(page(rows(3)));

      expect(run.state.setAside).toMatchObject([
        { groupId: 2, reason: expect.stringContaining('500000 bytes') },
      ]);
      expect([await known(1), await known(2), await known(3)].map((snapshot) => snapshot?.groupId)).toEqual([
        1,
        undefined,
        3,
      ]);
    },
  );
});

describe('a field that the service begins to send', () => {
  const without = (id: number) => {
    const row = sampleRow(id);
    return { ...row, shipments: row.shipments.map(({ carrier: _, ...shipment }) => shipment) };
  };

  it('is saved with its time before any snapshot that has it', async () => {
    const { run, take, writes } = createSetting();
    await take(page([without(1), without(2)]));
    writes.length = 0;

    await take(page([sampleRow(1), sampleRow(2)], 100));

    expect(run.state.fieldsSince['shipment.carrier']).toBe(START + 100 * SECOND);
    expect(writes).toEqual(['state', 'group 1', 'group 2']);
  });

  it('makes no events of what it shows of known groups', async () => {
    const { take, types, known } = createSetting();
    await take(page([without(1)]));

    await take(page([sampleRow(1)], 100));

    expect((await types(1)).filter((type) => !type.endsWith('.created'))).toEqual([]);
    expect((await known(1))?.projection.shipments?.[0]?.carrier).toBe('UPS');
  });

  it('is not filled in once another process has taken the source over', async () => {
    const { run, world, take, known } = createSetting();
    await take(page([without(1)]));
    await run.cell.save();
    const { state } = run;
    const lease = { ...state.lease, epoch: state.lease.epoch + 1 };
    run.update((before) => ({
      ...before,
      fieldsSince: { ...before.fieldsSince, 'shipment.carrier': START + 50 * SECOND },
    }));
    await world.states.save({ ...state, lease, version: state.version + 1 }, state.version);

    await expect(take(page([sampleRow(1)], 100))).rejects.toMatchObject({ name: 'LeaseLost' });

    expect((await known(1))?.projection.shipments?.[0]?.carrier).toBeNull();
  });

  it('makes no events while servers with and without it answer in turn, and then its changes do', async () => {
    const { run, take, types, known, index } = createSetting();
    const carriedBy = (carrier: string | null, id: number) => {
      const row = sampleRow(id);
      return { ...row, shipments: row.shipments.map((each) => ({ ...each, carrier })) };
    };
    await take(page([without(1), without(2)]));
    for (let turn = 1; turn <= 4; turn += 1) {
      await take(page([sampleRow(1), carriedBy(null, 2)], turn * 200), 'recent', await index());
      await take(
        page([without(1), without(2), without(turn + 2)], turn * 200 + 100),
        'recent',
        await index(),
      );
    }
    const during = await types(1);
    const carrier = (await known(1))?.projection.shipments?.[0]?.carrier;

    const walked = { late: undefined, recent: START + HOUR, older: START + HOUR };
    run.update((state) => ({ ...state, position: { ...state.position, readAt: walked } }));
    await take(page([carriedBy('DHL', 1)], 2 * 3_600), 'recent', await index());

    expect(during.filter((type) => !type.endsWith('.created'))).toEqual([]);
    expect(carrier).toBe('UPS');
    expect((await types(1)).at(-1)).toBe('shipment.updated');
  });

  it('has the feed’s start as its time until the baseline is completed', async () => {
    const { run, take } = createSetting({ baselineAt: undefined, startedAt: VIRTUAL_START });

    await take(page([sampleRow(1)], 100), 'recent', new Map());

    expect(run.state.fieldsSince['shipment.carrier']).toBe(VIRTUAL_START);
  });
});

describe('a field that can’t be read', () => {
  const broken = (id: number, carrier: unknown = { name: 'UPS' }) => {
    const row = sampleRow(id);
    return { ...row, shipments: row.shipments.map((each) => ({ ...each, carrier })) };
  };

  it('is a finding with an example of its shape, and counts as set aside', async () => {
    const { run, take } = createSetting();

    await take(page([broken(1), broken(2), sampleRow(3)]));

    expect(run.state.findings).toMatchObject([
      {
        code: 'unreadable_field',
        field: 'shipment.carrier',
        count: 2,
        example: 'shipment.carrier of return group 1 is an object',
      },
    ]);
    expect(run.state.setAside).toEqual([]);
    expect(claimsOf(run.state).setAside).toBe(1);
  });

  it('keeps its group published', async () => {
    const { take, types } = createSetting();
    await take(page([sampleRow(1)]));

    await take(page([{ ...broken(1), ...failed(1, LATER), returns: 'none' }], 100));

    expect((await types(1)).at(-1)).toBe('shipment.status_changed');
  });
});

describe('a group without a readable `updated_at`', () => {
  it('compares as equal, and is read again later', async () => {
    const { take, types, known } = createSetting();
    await take(page([sampleRow(1)]));

    await take(page([failed(1, 'yesterday')], 30));
    const soon = (await types(1)).at(-1);
    await take(page([failed(1, 'yesterday')], 100));

    expect(soon).not.toBe('shipment.status_changed');
    expect((await types(1)).at(-1)).toBe('shipment.status_changed');
    expect((await known(1))?.updatedAt).toBe(instantOf(sampleRow(1).updated_at));
  });
});

describe('a mass change', () => {
  it('is held before anything of the answer that shows it is saved', async () => {
    const { run, take, index, writes, types } = createSetting({ lastHold: 0 });
    await take(page(rows(30)), 'recent', new Map());
    run.update((state) => ({
      ...state,
      lanes: { ...state.lanes, recent: { ...state.lanes.recent, endedAt: START } },
    }));
    const changed = rows(30).map(({ id }) => (id === 30 ? failed(30, LATER) : failed(id)));
    writes.length = 0;

    await take(page(changed, 200), 'recent', await index());

    expect(run.state.holds).toMatchObject([{ kind: 'mass_change' }]);
    expect(writes).toEqual(['state', 'group 30']);
    expect(await types(1)).not.toContain('shipment.status_changed');
  });
});

describe('removed entities', () => {
  it('are held if they are more than twenty and one percent in a cycle', async () => {
    const { run, take, types } = createSetting({ removals: 20 });
    const bare = { ...sampleRow(1), shipments: [] };
    await take(page([sampleRow(1)]));
    await take(page([bare], 100), 'recent', new Map());

    await take(page([bare], 200), 'recent', new Map());

    expect(run.state.holds).toMatchObject([{ kind: 'removals', count: 21 }]);
    expect(await types(1)).not.toContain('shipment.removed');
  });

  it('are published after a second reading otherwise, and counted', async () => {
    const { run, take, types } = createSetting();
    const bare = { ...sampleRow(1), shipments: [] };
    await take(page([sampleRow(1)]));
    await take(page([bare], 100));

    await take(page([bare], 200));

    expect((await types(1)).at(-1)).toBe('shipment.removed');
    expect(run.state.removals).toBe(1);
  });
});

describe('the first sight of a group', () => {
  const SILENT = { mode: 'silent' } as const;
  const BEFORE = aPosition({ origin: CREATED - 1 });
  const AFTER = aPosition({ origin: CREATED });
  const NEWEST: Range = { axis: 'created', from: CREATED - HOUR };
  const OLDER: Range = { axis: 'created', to: CREATED - HOUR };
  const BESIDE: Range = { axis: 'created', to: CREATED };

  /** Before the baseline has read these ranges. */
  const reading = (...stack: Range[]) => ({
    baselineAt: undefined,
    lanes: lanesWith({ recent: { round: beginRound(START, stack) } }),
  });

  it.each<[string, Partial<SourceState>, string]>([
    ['created after the origin', { ...SILENT, position: BEFORE }, 'published'],
    [
      'created after it, before the baseline',
      { ...SILENT, position: BEFORE, ...reading(NEWEST) },
      'published',
    ],
    ['created at the origin, after the baseline', { ...SILENT, position: AFTER }, 'backfill'],
    ['as old, before the baseline began', { ...SILENT, position: AFTER, baselineAt: undefined }, 'silent'],
    [
      'as old, before it has read its part',
      { ...SILENT, position: AFTER, ...reading(OLDER, NEWEST) },
      'silent',
    ],
    [
      'as old, within a second of a part that it has not read',
      { ...SILENT, position: AFTER, ...reading(BESIDE) },
      'silent',
    ],
    ['as old, after it has read its part', { ...SILENT, position: AFTER, ...reading(OLDER) }, 'backfill'],
    ['as old, before a baseline that emits', { position: AFTER, ...reading(NEWEST) }, 'backfill'],
  ])('%s', async (_, changes, expected) => {
    const { take, events } = createSetting(changes);

    await take(page([sampleRow(1)]));

    const created = (await events(1)).filter(({ type }) => type === 'return_group.created');
    const backfill = created.map(({ data }) => 'backfill' in data && data.backfill === true);
    expect(backfill).toEqual(expected === 'silent' ? [] : [expected === 'backfill']);
  });
});

describe('an entity of an array that the service did not send before', () => {
  const LONG_AFTER = aPosition({ origin: CREATED + 400 * DAY });

  it.each<[string, Partial<SourceState>, boolean]>([
    ['that is older than the feed', { mode: 'silent', position: LONG_AFTER }, false],
    ['that is older than the feed, in a source that emits', { mode: 'emit', position: LONG_AFTER }, true],
    ['that is newer', { mode: 'silent', position: aPosition({ origin: CREATED - 400 * DAY }) }, true],
  ])('%s', async (_, changes, isPublished) => {
    const { take, types } = createSetting(changes);
    const { shipments: _shipments, ...bare } = sampleRow(1);
    await take(page([bare]));

    await take(page([{ ...sampleRow(1), updated_at: LATER }], 100));

    expect((await types(1)).includes('shipment.created')).toBe(isPublished);
  });
});

describe('groups created before the feed began, first seen after the baseline', () => {
  const OLD = { mode: 'silent', position: aPosition({ origin: CREATED }) } as const;

  it('are held if they are more than twenty and one percent, before any of their page is saved', async () => {
    const { run, take, known, types } = createSetting(OLD);
    await take(page(rows(20)));

    await take(page(rows(21), 100), 'recent', new Map());
    await take(page([{ ...sampleRow(22), created_at: LATER }, sampleRow(21)], 200));

    expect(run.state).toMatchObject({ backfilled: 21, holds: [{ kind: 'backfill', count: 1 }] });
    expect(run.state.holds[0]?.samples).toMatchObject([{ groupId: 21 }]);
    expect([await known(20), await known(21), await known(22)].map((each) => each?.groupId)).toEqual([
      20,
      undefined,
      22,
    ]);
    expect(await types(20)).toContain('return_group.created');
  });

  it.each(['silent', 'emit'] as const)('are published after a release, mode %s', async (mode) => {
    const holds = [{ ...HOLD, kind: 'backfill', count: 21, phase: 'publishing' } as const];
    const { take, types } = createSetting({ ...OLD, mode, holds, backfilled: 21 });

    await take(page([sampleRow(1)]), 'recent', new Map());

    expect(await types(1)).toContain('return_group.created');
  });

  it.each(['silent', 'emit'] as const)(
    'are recorded without events once they are adopted, mode %s',
    async (mode) => {
      const holds = [{ ...HOLD, kind: 'backfill', count: 21, phase: 'adopting' } as const];
      const { take, known, types } = createSetting({ ...OLD, mode, holds, backfilled: 21 });

      await take(page([sampleRow(1)]), 'recent', new Map());

      expect(await types(1)).toEqual([]);
      expect((await known(1))?.groupId).toBe(1);
    },
  );
});

describe('what a page shows of the service', () => {
  it('is the form of its stamps, and the newest one that is plausible', async () => {
    const { run, take } = createSetting();
    const stamps = { created_at: '2026-11-18T08:00:00', updated_at: '2026-11-20T11:15:30' };

    await take(
      page([
        { ...sampleRow(1), ...stamps },
        { ...sampleRow(2), ...stamps, updated_at: '2026-11-20T18:00:00' },
      ]),
    );

    expect(run.state.stampForm).toEqual({ zoned: false, digits: 0 });
    expect(run.state.position.newest).toBe(instantOf('2026-11-20T11:15:30Z'));
  });

  it('is a stamp more than a minute ahead of the local time', async () => {
    const { run, take } = createSetting();
    const received = START + SECOND;
    const ahead = (id: number, by: number) => ({
      ...sampleRow(id),
      updated_at: formatInstant(received + by),
    });

    await take(page([ahead(1, MINUTE), ahead(2, MINUTE + 1)]));

    const example = expect.stringContaining('of return group 2');
    expect(run.state.findings).toMatchObject([{ code: 'clock', lane: 'late', count: 1, example }]);
    expect(run.state.position.newest).toBe(received + MINUTE);
  });
});

describe('groups that an answer shows with stamps before the known ones', () => {
  const EARLIER = '2026-11-20T09:00:00.000000Z';
  const HOURS = HOUR / SECOND;
  /** Two dozen groups that are known, and then shown as they were before. */
  async function aStore(changes: Partial<SourceState> = {}) {
    const setting = createSetting(changes);
    const ids = Array.from({ length: 24 }, (_, index) => index + 1);
    await setting.take(page(rows(24)));
    const older = (some: readonly number[], after: number) =>
      page(
        some.map((id) => failed(id, EARLIER)),
        after,
      );
    return { ...setting, ids, older };
  }

  it('are looked up, and counted as not known', async () => {
    const { run, take, types, older } = await aStore();

    await take(older([1, 2], 600));

    expect(run.state.lookUps).toMatchObject(
      [1, 2].map((groupId) => ({ groupId, olderSince: expect.any(Number) })),
    );
    expect(claimsOf(run.state).setAside).toBe(2);
    expect(await types(1)).not.toContain('shipment.status_changed');
  });

  it('are held without look-ups if they are many, before anything of the answer is saved', async () => {
    const { run, take, writes, ids, older } = await aStore();
    writes.length = 0;
    const shown = older(ids, 600);

    await take({ ...shown, rows: [...shown.rows, ...page([failed(30, LATER)]).rows] });

    expect(run.state.holds).toMatchObject([{ kind: 'mass_change', count: 24 }]);
    expect(run.state.holds[0]?.samples[0]).toMatchObject({ before: 'IN_TRANSIT', after: 'FAILED' });
    expect(run.state.lookUps).toEqual([]);
    expect(writes).toEqual(['state', 'group 30']);
  });

  it('are published once the hold is over, but for those known for less than an hour: a copy may lag', async () => {
    const { run, take, types, older } = await aStore();
    const later = '2026-11-20T13:20:00.000000Z';
    await take(page([{ ...sampleRow(2), updated_at: later }], 2 * HOURS));
    run.update((state) => ({
      ...state,
      holds: [{ ...HOLD, kind: 'mass_change', phase: 'publishing', count: 24 }],
    }));

    await take(older([1, 2], 2.5 * HOURS));

    expect((await types(1)).at(-1)).toBe('shipment.status_changed');
    expect(await types(2)).not.toContain('shipment.status_changed');
    expect(run.state.lookUps).toMatchObject([{ groupId: 2 }]);
  });
});
