import type { DynamoDBRecord } from 'aws-lambda';
import { expect, test } from 'vitest';
import { relayRecords } from '../../../functions/relay/relay-records.ts';
import type { GroupKey, Log } from '../../../shared/ports.ts';
import type { Outcome } from '../../../shared/publishing/lane.ts';
import { aKey } from '../../shared/publishing/an-event.ts';

const SILENT: Log = { debug() {}, info() {}, warn() {}, error() {} };

function record(
  place: number,
  key: string,
  eventName: 'INSERT' | 'MODIFY' | 'REMOVE' = 'INSERT',
): DynamoDBRecord {
  return {
    eventName,
    dynamodb: { SequenceNumber: `${1000 + place}`, Keys: { k: { S: key }, n: { N: '1' } } },
  };
}

/** A relay with the result `failed` for these groups, and `done` for all others. */
function relayFailing(...ids: number[]) {
  const asked: GroupKey[] = [];
  const relay = async (groups: readonly GroupKey[]): Promise<Outcome[]> => {
    asked.push(...groups);
    return groups.map(({ group }) =>
      ids.includes(Number(group)) ? { state: 'failed', reason: 'injected by the test' } : { state: 'done' },
    );
  };
  return { relay, asked };
}

test('each group in the records is relayed once; records other than new entries are ignored', async () => {
  const { relay, asked } = relayFailing();
  const records = [
    ...['acme_mi8x2k_1', 'acme_mi8x2k_2', 'acme_mi8x2k_1', 'acme_mi8x2k_feed'].map((key, at) =>
      record(at, key),
    ),
    ...[record(4, 'acme_mi8x2k_3', 'REMOVE'), record(5, 'acme_mi8x2k_4', 'MODIFY')],
  ];

  const response = await relayRecords(relay, SILENT, records, 1000);

  expect(asked).toEqual([aKey(1), aKey(2), aKey('feed')]);
  expect(response).toEqual({ batchItemFailures: [] });
});

test('a record without a group is logged, and is not reported as failed', async () => {
  const { relay, asked } = relayFailing();
  const logged: string[] = [];
  const log: Log = { ...SILENT, error: (message) => void logged.push(message) };
  const records = [record(0, 'nonsense'), { eventName: 'INSERT' as const }, record(2, 'acme_mi8x2k_3')];

  const response = await relayRecords(relay, log, records, 1000);

  expect(asked).toEqual([aKey(3)]);
  expect(logged).toHaveLength(2);
  expect(response).toEqual({ batchItemFailures: [] });
});

test('the reported record is the latest from which a retry includes every failed group', async () => {
  const { relay } = relayFailing(2, 3);
  const groups = [2, 1, 3, 1, 2, 1, 3, 1];
  const records = groups.map((group, place) => record(place, `acme_mi8x2k_${group}`));

  const response = await relayRecords(relay, SILENT, records, 1000);

  expect(response).toEqual({ batchItemFailures: [{ itemIdentifier: '1004' }] });
});

test('groups that are behind or wait for another record are not reported as failed', async () => {
  const relay = async (): Promise<Outcome[]> => [
    { state: 'behind', sequence: 1, reason: 'too large' },
    { state: 'waiting', missing: { from: 1, to: 1 } },
  ];

  const response = await relayRecords(
    relay,
    SILENT,
    [record(0, 'acme_mi8x2k_1'), record(1, 'acme_mi8x2k_2')],
    1000,
  );

  expect(response).toEqual({ batchItemFailures: [] });
});

test('all records are reported if a sequence number is missing', async () => {
  const { relay } = relayFailing(1);
  const { dynamodb, ...unnumbered } = record(0, 'acme_mi8x2k_1');

  const response = await relayRecords(
    relay,
    SILENT,
    [{ ...unnumbered, dynamodb: { Keys: dynamodb?.Keys ?? {} } }],
    1000,
  );

  expect(response).toEqual({ batchItemFailures: [{ itemIdentifier: '' }] });
});
