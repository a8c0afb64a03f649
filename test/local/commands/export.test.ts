// `export` of a deployment, on real engines, as a shell sees it.
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { compareReading } from '../../../shared/comparing/compare-reading.ts';
import type { Snapshot } from '../../../shared/comparing/snapshot.ts';
import { makeTombstone } from '../../../shared/comparing/tombstone.ts';
import { MINUTE } from '../../../shared/instant.ts';
import { aRow, OPTIONS, type Row, read } from '../../shared/comparing/a-reading.ts';
import { aKey } from '../../shared/publishing/an-event.ts';
import { openDeployment, type TestDeployment } from './a-deployment.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

const GROUP = 184_467;
let deployment: TestDeployment;

beforeAll(async () => {
  deployment = await openDeployment();
});
afterAll(() => deployment.close());

/** Saves readings of one group like the poller. */
async function save(...rows: Row[]): Promise<Snapshot> {
  for (const [index, row] of rows.entries()) {
    const known = await stored();
    const compared = compareReading(known, read(row, index * 10 * MINUTE), OPTIONS);
    if (compared.verdict !== 'differs') throw new Error(`There is nothing to save: ${compared.verdict}.`);
    await deployment.snapshots.save(aKey(GROUP), compared.save);
  }
  return (await stored()) as Snapshot;
}

async function stored(): Promise<Snapshot | undefined> {
  return (await deployment.snapshots.load(aKey(GROUP), [GROUP])).get(GROUP);
}

async function saveAs(groupId: number, snapshot: Snapshot): Promise<void> {
  const [result] = await deployment.snapshots.saveAll(aKey(groupId), [
    { snapshot: { ...snapshot, groupId, version: 1 }, expectedVersion: 0 },
  ]);
  expect(result).toBe('saved');
}

function linesOf(stdout: string) {
  return stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
}

test('prints each known return as last published, without the removed ones', async () => {
  const delivered = aRow((row) => {
    row.shipments[0]!.status = 'DELIVERED';
  });
  const snapshot = await save(aRow(), delivered);
  const [item] = snapshot.projection.return_line_items ?? [];
  const group = { ...snapshot.projection.group, id: 2 };
  await saveAs(2, {
    ...snapshot,
    projection: { ...snapshot.projection, group },
    unpublished: { [`return_line_item/${item?.id}`]: { quantity: null } },
  });
  const { updatedAt, createdAt, sentAt, receivedAt, sequence } = snapshot;
  const kept = { updatedAt, createdAt, sentAt, receivedAt, sequence, removedAt: receivedAt };
  await saveAs(3, makeTombstone(snapshot, { ...kept, group: { ...group, id: 3 } }));

  const { code, stdout, stderr } = await deployment.run('export', 'acme');

  const returns = linesOf(stdout);
  const known = returns.find((it) => it.return_group.id === GROUP);
  const filledIn = returns.find((it) => it.return_group.id === 2);
  expect(code).toBe(0);
  expect(stderr).toMatch(/^exported: 2 returns of acme\nIts baseline is under way: [^\n]+\n$/);
  expect(returns).toHaveLength(2);
  expect(known).toEqual({
    return_group: snapshot.projection.group,
    updated_at: expect.stringMatching(/^\d{4}-.*Z$/),
    entities: [
      ...(snapshot.projection.return_line_items ?? []),
      ...(snapshot.projection.shipments ?? []),
      ...(snapshot.projection.exchange_line_items ?? []),
      ...(snapshot.projection.refund_transactions ?? []),
    ],
    generation: 'mi8x2k',
    sequence: snapshot.sequence,
  });
  expect(known.entities).toContainEqual(expect.objectContaining({ type: 'shipment', status: 'DELIVERED' }));
  expect(filledIn.entities).toContainEqual({ ...item, quantity: null });
});

test('prints only what the filters admit, and only returns that have some of it', async () => {
  const shipments = await deployment.run('export', 'acme', '--type', 'shipment', '--status', 'DELIVERED');
  const none = await deployment.run('export', 'acme', '--status', 'CANCELED');
  const later = await deployment.run('export', 'acme', '--since', '2100-01-01T00:00:00Z');

  const entities = linesOf(shipments.stdout).flatMap((line) => line.entities);
  expect(entities.length).toBeGreaterThan(0);
  for (const entity of entities) expect(entity).toMatchObject({ type: 'shipment', status: 'DELIVERED' });
  expect(linesOf(none.stdout)).toEqual([]);
  expect(linesOf(later.stdout)).toEqual([]);
});

test('prints CSV with a row for each entity, in which no text is a formula', async () => {
  const snapshot = (await stored()) as Snapshot;
  const [item] = snapshot.projection.return_line_items ?? [];
  const order = { ...snapshot.projection.group.order, name: '=1+1' };
  const group = { ...snapshot.projection.group, id: 5, order };
  const return_line_items = [{ ...item, product_name: 'Shirt, "blue"' }];
  const projection = { ...snapshot.projection, group, return_line_items };
  await saveAs(5, { ...snapshot, projection } as Snapshot);

  const { stdout } = await deployment.run('export', 'acme', '--csv');

  const [header, ...rows] = stdout.trimEnd().split('\n');
  expect(header).toMatch(/^return_group_id,order_name,updated_at,type,id,status,product_name,/);
  const row = rows.find((each) => each.startsWith('5,'));
  expect(row).toContain(`,return_line_item,${item?.id},${item?.status},"Shirt, ""blue""",`);
  expect(row).toMatch(/^5,'=1\+1,/);
  expect(rows.some((each) => each.includes(',shipment,'))).toBe(true);
});

test.each([
  ['--type', 'shipmet', 'Did you mean "shipment"?'],
  ['--type', 'parcel', 'Kinds: return_line_item, shipment, exchange_line_item, refund_transaction.'],
  ['--status', 'DELIVERD', 'Did you mean "DELIVERED"?'],
])('a wrong value of %s is rejected, with what was meant or is possible', async (option, typo, meant) => {
  const ended = await deployment.run('export', 'acme', option, typo);

  expect(ended).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(meant) });
});

test('an unknown source is reported in one line', async () => {
  const ended = await deployment.run('export', 'nope');

  expect(ended).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(/^error: [^\n]+\n$/) });
});
