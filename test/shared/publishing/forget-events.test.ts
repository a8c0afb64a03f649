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

test('expired events are not reported as skipped, but the mark moves past them', async () => {
  const { marks, ledger, forget, skipped } = setUp();
  ledger.expire(A, 3);

  const forgotten = await forget('queue');

  expect(forgotten.unsent).toEqual([]);
  expect(await skipped()).toEqual([]);
  expect(await marks.load('queue', A)).toBe(3);
});

test('expired events are not reported as skipped if no event of the group is left', async () => {
  const { marks, ledger, forget, skipped } = setUp();
  ledger.expire(A, 5);

  const forgotten = await forget('queue');

  expect(forgotten.unsent).toEqual([]);
  expect(await skipped()).toEqual([]);
  expect(await marks.load('queue', A)).toBe(3);
});

test('a destination may miss only the last event', async () => {
  const { marks, forget, skipped } = setUp();
  await marks.advance('queue', A, 2);

  const forgotten = await forget('queue');

  expect(forgotten.unsent).toEqual([{ destination: 'queue', range: { from: 3, to: 3 } }]);
  expect(await skipped()).toMatchObject([{ from_sequence: 3, to_sequence: 3 }]);
});

test('forgetting again reports nothing twice', async () => {
  const { forget, skipped } = setUp();

  await forget('queue');
  const again = await forget('queue');

  expect(again.unsent).toEqual([]);
  expect(await skipped()).toHaveLength(1);
});
