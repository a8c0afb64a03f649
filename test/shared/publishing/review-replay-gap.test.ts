// Review: "Sends events again that the ledger still holds" (`replay`); "Of each group the command sends every event from
// the first to the last one in the window, except those that were not sent to the destination yet" (docs/cli.md). The ledger
// deletes expired events in any order (shared/publishing/sweep.ts), a whole day's at once (ledger-item.ts, `expiry`).
import { expect, test } from 'vitest';
import { planReplay, replay } from '../../../shared/publishing/replay.ts';
import { aKey } from './an-event.ts';
import { createSetting } from './setting.ts';

const A = aKey(1);
const OPTIONS = { replayId: 'mi9', eventsPerSecond: 1_000 };

test('review: a replay sends the events behind a number that has expired', async () => {
  const setting = createSetting();
  // Events 1 to 3 were made by one transaction 30 days ago; of these 2 was deleted first. 4 and 5 are of yesterday.
  setting.write(A, 1, 3, 4, 5);
  await setting.marks.advance('queue', A, 5);
  const { ledger, marks } = setting;
  const plan = await planReplay({ ledger, marks, destination: 'queue' }, [A], { from: undefined, until: undefined });

  const report = await setting.clock.run(replay({ ...setting.ports, random: () => 0 } as never, plan, OPTIONS));

  console.log(plan.events, 'planned;', JSON.stringify(report));
  expect.soft(plan.events, 'planned').toBe(4);
  expect.soft(report.unfinished).toEqual([]);
  expect(setting.arrived(A)).toEqual([1, 3, 4, 5]);
});
