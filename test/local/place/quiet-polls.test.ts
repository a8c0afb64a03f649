import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDynamoDbDispatches } from '../../../functions/adapters/dynamodb-dispatches.ts';
import { createDynamoDbProgress } from '../../../functions/adapters/dynamodb-progress.ts';
import { withQuietPolls } from '../../../local/place/load-quiet-polls.ts';
import { describeSource } from '../../../local/status/source-status.ts';
import { HOUR, MILLISECOND, MINUTE } from '../../../shared/instant.ts';
import { aState } from '../../contract/sample-states.ts';
import { clockAt, openTables, type TestTables } from '../../contract/stores.ts';

const NOW = Date.UTC(2026, 10, 29, 12) * MILLISECOND;
const MINUTES = NOW / MINUTE;

let opened: TestTables;

beforeAll(async () => {
  opened = await openTables();
});
afterAll(() => opened.close());

/** A source whose last long tick was an hour ago. */
function quietState(source: string) {
  const state = aState(source);
  const at = NOW - HOUR;
  const late = { ...state.lanes.late, endedAt: at };
  return { ...state, lastSlot: at / MILLISECOND, lanes: { ...state.lanes, late } };
}

it('a source that quick ticks read is not silent, although its state is an hour old', async () => {
  const options = { ...opened, clock: clockAt(NOW) };
  const [dispatches, progress] = [createDynamoDbDispatches(options), createDynamoDbProgress(options)];
  const quietAt = NOW / MILLISECOND - 30_000;
  const known = { kept: { since: 1, quietAt } };
  await dispatches.take(MINUTES, { minutes: [{ minute: MINUTES, shards: 1 }], known });
  const shard = { minute: MINUTES, shard: 0 };
  await progress.note(shard, { noted: { slot: NOW / MILLISECOND, quietAt } });

  const states = await withQuietPolls(
    { dispatches, progress, clock: options.clock },
    ['noted', 'kept', 'neither'].map(quietState),
  );

  const silent = states.map((state) =>
    describeSource(state, { now: NOW, flags: '' }).reasons.some(({ code }) => code === 'silent'),
  );
  expect(silent).toEqual([false, false, true]);
});
