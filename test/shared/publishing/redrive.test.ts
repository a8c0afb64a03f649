import { expect, test } from 'vitest';
import { feedEvent } from '../../../shared/contract/event.ts';
import { redrive } from '../../../shared/publishing/redrive.ts';
import { aKey } from './an-event.ts';
import { createSetting, FEED } from './setting.ts';

const A = aKey(1);
const SOON_MS = 10_000;

/** A setting with a destination that rejects the second of a group's four events. */
async function stuck() {
  const setting = createSetting();
  setting.write(A, 1, 2, 3, 4);
  setting.destination.answer = ({ data }) =>
    data.sequence === 2 && 'return_group' in data
      ? { sent: false, cause: 'rejected', reason: 'too large' }
      : { sent: true };
  await setting.relay([A], SOON_MS);
  return setting;
}

test('a stuck group is retried', async () => {
  const setting = await stuck();
  setting.destination.answer = () => ({ sent: true });

  const redriven = await redrive(setting.ports, setting.relay, A, SOON_MS);

  expect(redriven).toEqual({ outcome: { state: 'done' } });
  expect(setting.arrived(A)).toEqual([1, 2, 3, 4]);
  expect(setting.marks.behind('queue', A)).toBeUndefined();
});

test('a group stays behind if its event is rejected again', async () => {
  const setting = await stuck();

  const redriven = await redrive(setting.ports, setting.relay, A, SOON_MS);

  expect(redriven).toEqual({ outcome: { state: 'behind', sequence: 2, reason: 'too large' } });
  expect(setting.marks.behind('queue', A)).toBe('2: too large');
  expect(await setting.skipped()).toEqual([]);
});

test('a rejected event is skipped and reported if it is named', async () => {
  const setting = await stuck();

  const redriven = await redrive(setting.ports, setting.relay, A, SOON_MS, { stepOver: 2 });

  expect(redriven).toEqual({ outcome: { state: 'done' }, steppedOver: { from: 2, to: 2 } });
  expect(setting.arrived(A)).toEqual([1, 3, 4]);
  expect(setting.marks.behind('queue', A)).toBeUndefined();
  expect(await setting.skipped()).toEqual([
    {
      type: 'skipped_events',
      destination: 'queue',
      return_group_id: 1,
      from_sequence: 2,
      to_sequence: 2,
      reason: 'too large; stepped over by hand',
    },
  ]);
  const [entry] = await setting.ledger.read(FEED, 0, 1);
  expect(entry).toMatchObject({
    sequence: 1,
    event: {
      id: 'acme_mi8x2k_feed_1',
      partitionkey: 'acme/feed',
      subject: 'feed/skipped-events/queue/1/2-2',
      dataschema: 'urn:returns-change-feed:feed:1',
    },
  });
  expect(feedEvent.safeParse(entry && 'event' in entry && entry.event).success).toBe(true);
  expect(setting.log.lines.filter(({ level }) => level === 'error')).toEqual([
    {
      level: 'error',
      message: 'events skipped',
      fields: { destination: 'queue', ...A, from: 2, to: 2, reason: 'too large; stepped over by hand' },
    },
  ]);
});

test('nothing is skipped if the group is not stuck at the named event', async () => {
  const setting = await stuck();

  const earlier = await redrive(setting.ports, setting.relay, A, SOON_MS, { stepOver: 1 });
  const later = await redrive(setting.ports, setting.relay, A, SOON_MS, { stepOver: 3 });
  setting.destination.answer = () => ({ sent: true });
  const redriven = await redrive(setting.ports, setting.relay, A, SOON_MS, { stepOver: 2 });

  expect([earlier.steppedOver, later.steppedOver]).toEqual([undefined, undefined]);
  expect(redriven).toEqual({ outcome: { state: 'done' } });
  expect(setting.arrived(A)).toEqual([1, 2, 3, 4]);
});

test('numbers that are missing from the ledger are skipped if one of them is named', async () => {
  const setting = createSetting();
  setting.write(A, 1, 4);

  const redriven = await redrive(setting.ports, setting.relay, A, SOON_MS, { stepOver: 3 });

  expect(redriven.steppedOver).toEqual({ from: 2, to: 3 });
  expect(setting.arrived(A)).toEqual([1, 4]);
  expect(await setting.skipped()).toMatchObject([
    { from_sequence: 2, to_sequence: 3, reason: 'missing from the ledger; stepped over by hand' },
  ]);
});

test('nothing is skipped if the report can’t be appended', async () => {
  const setting = await stuck();
  setting.ledger.append = async () => {
    throw new Error('unavailable');
  };

  await expect(redrive(setting.ports, setting.relay, A, SOON_MS, { stepOver: 2 })).rejects.toThrow(
    'unavailable',
  );

  expect(await setting.marks.load('queue', A)).toBe(1);
});

test('a report gets the number after the feed events that the destination has', async () => {
  const setting = await stuck();
  setting.write(FEED, 1, 2, 3);
  await setting.marks.advance('queue', FEED, 3);
  const readFrom: number[] = [];
  const ledger: typeof setting.ledger = {
    ...setting.ledger,
    read(key, after, limit) {
      if (key.group === FEED.group) readFrom.push(after);
      return setting.ledger.read(key, after, limit);
    },
  };

  await redrive({ ...setting.ports, ledger }, setting.relay, A, SOON_MS, { stepOver: 2 });

  expect(readFrom).toEqual([3]);
});

test('a relay without an outcome for the group is a failure', async () => {
  const setting = await stuck();

  const redriven = await redrive(setting.ports, async () => [], A, SOON_MS);

  expect(redriven).toEqual({ outcome: { state: 'failed', reason: 'it was not tried' } });
});
