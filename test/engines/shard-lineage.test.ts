import { expect, test } from 'vitest';
import { createShardLineage } from './shard-lineage.ts';

const parent = { ShardId: 'parent' };
const child = { ShardId: 'child', ParentShardId: 'parent' };
const grandchild = { ShardId: 'grandchild', ParentShardId: 'child' };

const idsOf = (shards: readonly { shardId: string }[]) => shards.map(({ shardId }) => shardId);

test('a child starts after its parent was read to its end and its children were listed', () => {
  const lineage = createShardLineage('TRIM_HORIZON');
  const [state] = lineage.take([parent, child, grandchild], []);
  if (state) state.progress = 'ended';
  const tooEarly = lineage.take([parent, child, grandchild], []);

  const starting = lineage.take([parent, child, grandchild], lineage.ended());

  expect(idsOf(tooEarly)).toEqual([]);
  expect(idsOf(starting)).toEqual(['child']);
});

test('a shard starts at once when its parent is no longer listed', () => {
  const lineage = createShardLineage('TRIM_HORIZON');

  const starting = lineage.take([child], []);

  expect(idsOf(starting)).toEqual(['child']);
});

test('no shard starts twice', () => {
  const lineage = createShardLineage('TRIM_HORIZON');
  lineage.take([parent], []);

  const again = lineage.take([parent], []);

  expect(again).toEqual([]);
});

test('later shards are read from their beginning, at any starting position', () => {
  const lineage = createShardLineage('LATEST');
  const first = lineage.take([parent], []);

  const later = lineage.take([parent, { ShardId: 'other' }], []);

  expect(first.map(({ startAt }) => startAt)).toEqual(['LATEST']);
  expect(later.map(({ startAt }) => startAt)).toEqual(['TRIM_HORIZON']);
});

test('is quiet after every shard returned nothing twice in a row', () => {
  const lineage = createShardLineage('TRIM_HORIZON');
  const unknown = lineage.isQuiet();
  const [first, second] = lineage.take([parent, { ShardId: 'other' }], []);
  if (first) first.quietReads = 2;
  const half = lineage.isQuiet();
  if (second) second.quietReads = 2;
  const whole = lineage.isQuiet();

  lineage.disturb();

  expect([unknown, half, whole, lineage.isQuiet()]).toEqual([false, false, true, false]);
});

test('is not quiet while the children of an ended shard are unknown', () => {
  const lineage = createShardLineage('TRIM_HORIZON');
  const [state] = lineage.take([parent], []);
  if (state) state.progress = 'ended';
  const before = lineage.isQuiet();

  lineage.take([parent], lineage.ended());

  expect([before, lineage.isQuiet()]).toEqual([false, true]);
});
