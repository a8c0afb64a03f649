import { expect, test } from 'vitest';
import { forgetEvents } from '../../../shared/publishing/forget-events.ts';
import { aKey } from './an-event.ts';
import { createSetting } from './setting.ts';

const A = aKey(1);

/** A ledger with five events of a group; the last two follow its return after it was forgotten. */
function setUp() {
  const setting = createSetting();
  setting.write(A, 1, 2, 3, 4, 5);
  const erased: (readonly [unknown, number])[] = [];
  const eraser = {
    async erase(key: typeof A, through: number) {
      erased.push([key, through]);
      setting.ledger.expire(key, through);
      return through;
    },
  };
  const forget = (...destinations: string[]) =>
    forgetEvents({ ...setting.ports, eraser }, A, 3, destinations, true);
  return { ...setting, erased, forget };
}

test('a group’s events are erased up to the last number of the forgotten group', async () => {
  const { marks, ledger, erased, forget, skipped } = setUp();
  await marks.advance('queue', A, 3);

  const forgotten = await forget('queue');

  expect(forgotten).toEqual({ erased: 3, unsent: [] });
  expect(erased).toEqual([[A, 3]]);
  expect((await ledger.read(A, 0, 10)).map(({ sequence }) => sequence)).toEqual([4, 5]);
  expect(await skipped()).toEqual([]);
});

test('the events that a destination missed are reported as skipped, and its mark moves past them', async () => {
  const { marks, forget, skipped, log } = setUp();
  await marks.advance('queue', A, 1);
  await marks.advance('lake', A, 4);

  const forgotten = await forget('queue', 'bus', 'lake');

  expect(forgotten.unsent).toEqual([
    { destination: 'queue', range: { from: 2, to: 3 } },
    { destination: 'bus', range: { from: 1, to: 3 } },
  ]);
  expect(await skipped()).toMatchObject([
    { destination: 'queue', return_group_id: 1, from_sequence: 2, to_sequence: 3 },
    { destination: 'bus', from_sequence: 1, to_sequence: 3, reason: 'its return group was forgotten' },
  ]);
  const moved = await Promise.all(['queue', 'bus', 'lake'].map((name) => marks.load(name, A)));
  expect(moved).toEqual([3, 3, 4]);
  expect(log.lines).toMatchObject([{ fields: { destination: 'queue' } }, { fields: { destination: 'bus' } }]);
});

test('skipped events are reported before any event is erased', async () => {
  const { marks, ledger, forget } = setUp();
  ledger.append = async () => {
    throw new Error('unavailable');
  };

  await expect(forget('queue')).rejects.toThrow('unavailable');

  expect(await ledger.read(A, 0, 10)).toHaveLength(5);
  expect(await marks.load('queue', A)).toBeUndefined();
});

test.each([
  { what: 'only the last event', mark: 2, expired: 0, unsent: [{ from: 3, to: 3 }] },
  { what: 'nothing, if the events have expired', mark: 0, expired: 3, unsent: [] },
  { what: 'nothing, if no event of the group is left', mark: 0, expired: 5, unsent: [] },
])('a destination may miss $what; its mark moves past them', async ({ mark, expired, unsent }) => {
  const { marks, ledger, forget, skipped } = setUp();
  if (mark > 0) await marks.advance('queue', A, mark);
  ledger.expire(A, expired);

  const forgotten = await forget('queue');

  expect(forgotten.unsent).toEqual(unsent.map((range) => ({ destination: 'queue', range })));
  expect(await skipped()).toMatchObject(
    unsent.map(({ from, to }) => ({ from_sequence: from, to_sequence: to })),
  );
  expect(await marks.load('queue', A)).toBe(3);
});

test('forgetting again reports nothing twice', async () => {
  const { forget, skipped } = setUp();

  await forget('queue');
  const again = await forget('queue');

  expect(again.unsent).toEqual([]);
  expect(await skipped()).toHaveLength(1);
});
