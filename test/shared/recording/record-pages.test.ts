// What is saved and published of a page; shown-groups.test.ts has what is remembered of it.
import { describe, expect, it } from 'vitest';
import { noteAbsence } from '../../../shared/comparing/group-absence.ts';
import { ADMITS_ALL } from '../../../shared/guarding/reading-guard.ts';
import { SECOND } from '../../../shared/instant.ts';
import { SAVES_AT_ONCE } from '../../../shared/limits.ts';
import { TooLargeToStoreError } from '../../../shared/recording/store-errors.ts';
import { sampleRow } from '../returns-service/sample-rows.ts';
import { createSetting, failed, LATER, page, SOURCE, START } from './recorder-under-test.ts';

describe('a page', () => {
  it('is saved group by group, without events if nothing is announced', async () => {
    const { recorder, known, events } = createSetting();
    const { take, counts, unsavedFrom } = recorder();

    await take(page([sampleRow(1), sampleRow(2)]));

    expect(counts).toEqual({ groups: 2, firstSeen: 2, events: 0, left: 0, unreadable: 0 });
    expect(await known(1)).toMatchObject({ version: 1, sequence: 0 });
    expect(await known(2)).toMatchObject({ version: 1, sequence: 0 });
    expect(await events(1)).toEqual([]);
    expect(unsavedFrom()).toBeUndefined();
  });

  it('with an unreadable row is saved without that row', async () => {
    const { recorder, known, aside } = createSetting();
    const { take, counts } = recorder();

    await take(page([{ ...sampleRow(1), created_at: 'yesterday' }, sampleRow(2)]));

    expect(counts).toMatchObject({ groups: 2, unreadable: 1 });
    expect(aside).toEqual([expect.objectContaining({ id: 1, reason: 'created_at is not a timestamp' })]);
    expect(await known(1)).toBeUndefined();
    expect(await known(2)).toBeDefined();
  });

  it.each([
    ['before', [{ ...sampleRow(1), created_at: 'yesterday' }, sampleRow(1)]],
    ['after', [sampleRow(1), { ...sampleRow(1), created_at: 'yesterday' }]],
  ])(
    'with an unreadable row %s an older row of the same group leaves the group set aside',
    async (_, rows) => {
      const notes: unknown[] = [];
      const { take } = createSetting().recorder({
        setAside: ({ id }) => void notes.push(['set aside', id]),
        takeBack: (ids) => void notes.push(...ids.map((id) => ['taken back', id])),
      });

      await take(page(rows));

      expect(notes.at(-1)).toEqual(['set aside', 1]);
    },
  );

  it('with an old row that can’t be read beside a newer one of the same group sets nothing aside', async () => {
    const { recorder, aside, known } = createSetting();

    await recorder().take(
      page([
        { ...sampleRow(1), created_at: 'yesterday' },
        { ...sampleRow(1), updated_at: LATER },
      ]),
    );

    expect(aside).toEqual([]);
    expect(await known(1)).toBeDefined();
  });

  it('that shows a group twice with one stamp and different values sets the group aside', async () => {
    const { recorder, known, aside } = createSetting();

    await recorder().take(page([sampleRow(1), failed(1)]));

    expect(await known(1)).toBeUndefined();
    expect(aside).toMatchObject([{ id: 1, reason: 'two rows of one answer contradict each other' }]);
  });

  it('that shows a group in two parts publishes nothing as removed', async () => {
    const { recorder, events } = createSetting();
    const row = sampleRow(1);
    const parts = row.returns.map((item) => ({ ...row, returns: [item] }));
    await recorder().take(page([row]));

    for (const after of [100, 200, 300]) await recorder().take(page(parts, after));

    expect(parts).toHaveLength(2);
    expect(await events(1)).toEqual([]);
  });

  // An old copy may be in a page for less than `settle`: no later reading would find what is left out here.
  it.each([
    ['first', [sampleRow(1), failed(1, LATER)]],
    ['last', [failed(1, LATER), sampleRow(1)]],
  ])('that shows an old copy of a group %s saves the newer row', async (_, rows) => {
    const { recorder, known, fresh } = createSetting();

    await recorder().take(page(rows));

    expect((await known(1))?.projection.shipments?.[0]?.status).toBe('FAILED');
    expect(fresh).toEqual([1]);
  });
});

describe('a group that changed', () => {
  it('is published with its change, and noted as fresh', async () => {
    const { recorder, events, fresh } = createSetting();
    const { take, counts } = recorder();
    await take(page([sampleRow(1)]));

    await take(page([failed(1, LATER)], 1));

    expect(counts.events).toBe(1);
    expect(await events(1)).toMatchObject([{ sequence: 1, event: { type: 'shipment.status_changed' } }]);
    expect(fresh).toEqual([1, 1]);
  });

  it('without a newer stamp is left while the reading may be stale, and published later', async () => {
    const { recorder, events } = createSetting();
    await recorder().take(page([sampleRow(1)]));
    const early = recorder();
    await early.take(page([failed(1)], 30));
    const tooSoon = await events(1);

    const late = recorder();
    await late.take(page([failed(1)], 62));

    expect(tooSoon).toEqual([]);
    expect(early.counts.left).toBe(1);
    expect(early.unsavedFrom()).toBe(Date.parse(sampleRow(1).updated_at) * 1_000 + 456);
    expect(await events(1)).toHaveLength(1);
    expect(late.unsavedFrom()).toBeUndefined();
  });

  it.each(['save', 'saveAll'] as const)(
    'is left and counts as not saved if its %s has a conflict',
    async (call) => {
      const { recorder, memory } = createSetting(
        call === 'save'
          ? { save: async () => 'conflict' }
          : { saveAll: async (_, saves) => saves.map(() => 'conflict') },
      );
      const { take, counts, unsavedFrom } = recorder({ announces: () => call === 'save' });

      await take(page([sampleRow(1)]));

      expect(counts).toMatchObject({ events: 0, left: 1 });
      expect(unsavedFrom()).toBeDefined();
      expect(memory.recall(1)).toBeUndefined();
    },
  );

  it('is set aside without affecting other groups if it is too large for the store', async () => {
    const { recorder, aside, known, store } = createSetting({
      async saveAll(source, saves) {
        for (const { snapshot } of saves)
          if (snapshot.groupId % 2 === 0) throw new TooLargeToStoreError(snapshot.groupId, 1);
        return store.saveAll(source, saves);
      },
    });
    const { take, counts, unsavedFrom } = recorder();

    await take(page([1, 2, 3, 4, 5].map(sampleRow)));

    expect(aside).toMatchObject([{ id: 2 }, { id: 4 }]);
    expect(counts).toMatchObject({ unreadable: 2, left: 0 });
    expect(await known(5)).toBeDefined();
    expect(unsavedFrom()).toBeUndefined();
  });
});

describe('the absence of a group, noted by a look-up,', () => {
  it.each([
    ['a row that can’t be read', { ...sampleRow(1), created_at: 'yesterday' }, undefined],
    ['a reading that the guard keeps back', failed(1, LATER), { ...ADMITS_ALL, admits: () => false }],
  ])('is taken back by %s', async (_, row, guard) => {
    const { recorder, known, store, events } = createSetting();
    await recorder().take(page([sampleRow(1)]));
    const saved = await known(1);
    if (saved === undefined) throw new Error('The group was not saved.');
    await store.saveAll(SOURCE, [{ expectedVersion: 1, snapshot: noteAbsence(saved, START + SECOND) }]);

    await recorder({ trustsMemory: false, ...(guard && { guard }) }).take(page([row], 10));

    expect(await known(1)).toEqual({ ...saved, version: 3 });
    expect(await events(1)).toEqual([]);
  });
});

it('leaves a group alone that another process saved after an absence was noted', async () => {
  const { recorder, known, store } = createSetting();
  await recorder().take(page([sampleRow(1)]));
  const saved = await known(1);
  if (saved === undefined) throw new Error('The group was not saved.');
  const noted = noteAbsence(saved, START + SECOND);
  const tombstone = { ...noted, version: 3, removedAt: START + 9 * SECOND };
  await store.saveAll(SOURCE, [{ expectedVersion: 1, snapshot: noted }]);
  await store.saveAll(SOURCE, [{ expectedVersion: 2, snapshot: tombstone }]);
  const behind = createSetting({ ...store, load: async () => new Map([[1, noted]]) });

  await behind.recorder({ trustsMemory: false }).take(page([failed(1, LATER)], 10));

  expect(await known(1)).toEqual(tombstone);
});

describe('a save that fails', () => {
  it('rejects once the saves under way have ended, and no other save begins', async () => {
    let begun = 0;
    let ended = 0;
    const { recorder } = createSetting({
      async save({ group }) {
        begun += 1;
        if (group === 1) throw new Error('the store is away');
        await new Promise((resolve) => setImmediate(resolve));
        ended += 1;
        return 'saved';
      },
    });
    const { take } = recorder({ announces: () => true });
    const rows = Array.from({ length: 3 * SAVES_AT_ONCE }, (_, index) => sampleRow(index + 1));

    await expect(take(page(rows))).rejects.toThrow('the store is away');
    const then = { begun, ended };
    await new Promise((resolve) => setTimeout(resolve));

    expect(then).toEqual({ begun: SAVES_AT_ONCE, ended: SAVES_AT_ONCE - 1 });
    expect({ begun, ended }).toEqual(then);
  });
});

it('events carry a customer only if the settings ask for it', async () => {
  const { recorder, events } = createSetting();
  await recorder({ announces: () => true, customerData: false }).take(page([sampleRow(1)]));
  await recorder({ announces: () => true, customerData: true }).take(page([sampleRow(2)]));

  expect(JSON.stringify(await events(1))).not.toContain('Rosalind');
  expect(JSON.stringify(await events(2))).toContain('Rosalind');
});
