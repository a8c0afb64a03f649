import { expect, test } from 'vitest';
import { feedEvent } from '../../../shared/contract/event.ts';
import { redrive } from '../../../shared/publishing/redrive.ts';
import { aKey } from './an-event.ts';
import { createSetting, FEED } from './setting.ts';

const A = aKey(1);
const SOON_MS = 10_000;

/** A group whose second event of four is refused. */
async function stuck() {
  const setting = createSetting();
  setting.write(A, 1, 2, 3, 4);
  setting.destination.answer = ({ data }) =>
    data.sequence === 2 && 'return_group' in data
      ? { sent: false, cause: 'refused', reason: 'too large' }
      : { sent: true };
  await setting.relay([A], SOON_MS);
  return setting;
}

test('a group is tried again', async () => {
  const setting = await stuck();
  setting.destination.answer = () => ({ sent: true });

  const redriven = await redrive(setting.ports, setting.relay, A, SOON_MS);

  expect(redriven).toEqual({ outcome: { state: 'done' } });
  expect(setting.arrived(A)).toEqual([1, 2, 3, 4]);
  expect(setting.marks.behind('queue', A)).toBeUndefined();
});

test('a group that is refused again is left as it was', async () => {
  const setting = await stuck();

  const redriven = await redrive(setting.ports, setting.relay, A, SOON_MS);

  expect(redriven).toEqual({ outcome: { state: 'behind', sequence: 2, reason: 'too large' } });
  expect(setting.marks.behind('queue', A)).toBe('2: too large');
  expect(await setting.skipped()).toEqual([]);
});

test('the refused event is stepped over if it is named, and that is told', async () => {
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
});

test('the event that tells of it is one of the contract', async () => {
  const setting = await stuck();

  await redrive(setting.ports, setting.relay, A, SOON_MS, { stepOver: 2 });

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
});

test('nothing is stepped over where the group is not stuck at the event that is named', async () => {
  const setting = await stuck();

  const earlier = await redrive(setting.ports, setting.relay, A, SOON_MS, { stepOver: 1 });
  const later = await redrive(setting.ports, setting.relay, A, SOON_MS, { stepOver: 3 });
  setting.destination.answer = () => ({ sent: true });
  const mended = await redrive(setting.ports, setting.relay, A, SOON_MS, { stepOver: 2 });

  expect([earlier.steppedOver, later.steppedOver]).toEqual([undefined, undefined]);
  expect(mended).toEqual({ outcome: { state: 'done' } });
  expect(setting.arrived(A)).toEqual([1, 2, 3, 4]);
});

test('numbers that are missing from the ledger can be stepped over by naming one of them', async () => {
  const setting = createSetting();
  setting.write(A, 1, 4);

  const redriven = await redrive(setting.ports, setting.relay, A, SOON_MS, { stepOver: 3 });

  expect(redriven.steppedOver).toEqual({ from: 2, to: 3 });
  expect(setting.arrived(A)).toEqual([1, 4]);
  expect(await setting.skipped()).toMatchObject([
    { from_sequence: 2, to_sequence: 3, reason: 'missing from the ledger; stepped over by hand' },
  ]);
});

test('where it can’t be told, nothing is stepped over', async () => {
  const setting = await stuck();
  setting.ledger.append = async () => {
    throw new Error('unavailable');
  };

  await expect(redrive(setting.ports, setting.relay, A, SOON_MS, { stepOver: 2 })).rejects.toThrow(
    'unavailable',
  );

  expect(await setting.marks.load('queue', A)).toBe(1);
});

test('what is stepped over is an error in the log', async () => {
  const setting = await stuck();

  await redrive(setting.ports, setting.relay, A, SOON_MS, { stepOver: 2 });

  expect(setting.log.lines.filter(({ level }) => level === 'error')).toEqual([
    {
      level: 'error',
      message: 'events skipped',
      fields: { destination: 'queue', ...A, from: 2, to: 2, reason: 'too large; stepped over by hand' },
    },
  ]);
});

test('the feed’s own events are counted on from what the destination has of them', async () => {
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

test('a relay that answers for no group has failed', async () => {
  const setting = await stuck();

  const redriven = await redrive(setting.ports, async () => [], A, SOON_MS);

  expect(redriven).toEqual({ outcome: { state: 'failed', reason: 'it was not tried' } });
});
