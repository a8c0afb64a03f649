// Review: "A destination loses the events that it has not accepted by then; `feed.events_skipped` reports them"
// (docs/guarantees.md, "Outages of the feed").
import { expect, test } from 'vitest';
import { sweepLedger } from '../../../shared/publishing/sweep.ts';
import { aKey } from './an-event.ts';
import { createSetting, FEED } from './setting.ts';

test('review: the expired events of a return that was created during the outage are reported', async () => {
  const setting = createSetting();
  const [known, born] = [aKey(1), aKey(2)];
  // The destination had accepted events for months.
  setting.write(known, 1);
  await setting.marks.advance('queue', known, 1);
  // More than 30 days of outage: of both returns the events 2 to 4, or 1 to 4, have expired.
  setting.write(known, 5);
  setting.write(born, 5);
  await setting.clock.run(sweepLedger(setting.ports, setting.relay, 15 * 60_000));

  const reports = (await setting.ledger.read(FEED, 0, 10)).flatMap((entry) =>
    'event' in entry ? [(entry.event.data.object as { return_group_id: number }).return_group_id] : [],
  );
  expect(setting.arrived(born)).toEqual([5]);
  expect(reports.sort()).toEqual([1, 2]);
});
