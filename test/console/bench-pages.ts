// `npm run bench:console`: measures each page with 100,000 known groups, in units of a single read of the same run. No
// page may take longer than thirty single reads, so that no page reads more as the feed grows.

import { BatchWriteItemCommand, type DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import type { StoredItem } from '../../functions/adapters/attribute-values.ts';
import { createDynamoDbActivities } from '../../functions/adapters/dynamodb-activities.ts';
import { markKey } from '../../functions/adapters/dynamodb-marks.ts';
import { toLedgerItem } from '../../functions/adapters/ledger-item.ts';
import { toSnapshotItem } from '../../functions/adapters/snapshot-item.ts';
import { formatAttribute } from '../../functions/adapters/stored-format.ts';
import { createMoments } from '../../local/cli/moments.ts';
import { openConsole } from '../../local/console/open-console.ts';
import { withDeployment } from '../../local/place/open-deployment.ts';
import { createReferenceService } from '../../local/reference-service/create-reference-service.ts';
import { markOf } from '../../shared/deployment/destinations.ts';
import { chunked, inParallel } from '../../shared/in-parallel.ts';
import { MILLISECOND } from '../../shared/instant.ts';
import { formatGroupKey } from '../../shared/recording/group-key.ts';
import { newEndpoint } from '../../shared/webhooks/endpoint-state.ts';
import { ACME, aKey, anEvent, aSnapshot } from '../contract/sample-saves.ts';
import { aState } from '../contract/sample-states.ts';
import { connect, storesOn } from '../contract/stores.ts';
import { startDynamoDbEngine } from '../engines/dynamodb-engine.ts';
import { createTables } from '../engines/tables.ts';
import { ask, openAddress } from './ask-console.ts';
import { SCENE_TABLES, variablesOf } from './with-variables.ts';

const GROUPS = Number(process.argv[2] ?? 100_000);
/** Maximum time of a page, in reads of one item. */
const MOST_READS = 30;
/** Number of groups that stopped at each destination. */
const BEHIND = 150;
/**
 * The later stages of a search: one sends requests to the service, within the budget, and one reads up to 2,000
 * snapshots. Their times are printed, but have no limit.
 */
const LATER = { service: 'then, asking the service', items: 'then, its search of items' };
const FORWARD = 'forward-0123456789abcdef';
const DESTINATIONS = [markOf('ordered'), markOf('bus'), FORWARD];
const RECENT = 50;
const ROUNDS = 9;
const FIRST = 200_000;
const SOME = toSnapshotItem(ACME, aSnapshot(FIRST, 1, { sequence: 1 }));
const SOME_EVENT = toLedgerItem(aKey(FIRST), anEvent(aKey(FIRST), 1));

const engine = await startDynamoDbEngine();
Object.assign(process.env, variablesOf(engine.endpoint));
const client = connect(engine.endpoint);
const service = await createReferenceService({ groups: 10, life: false });
try {
  const beganAt = performance.now();
  await fill(client);
  console.log(
    `${GROUPS.toLocaleString('en')} groups written in ${Math.round((performance.now() - beganAt) / 1_000)} s`,
  );
  process.exitCode = await measure();
} finally {
  client.destroy();
  await service.close();
  await engine.stop();
}

async function fill(to: DynamoDBClient): Promise<void> {
  await createTables(to, SCENE_TABLES);
  const groups = Array.from({ length: GROUPS }, (_, index) => FIRST + index);
  await write(to, SCENE_TABLES.snapshots, groups, (group) => [aSnapshotItem(group)]);
  await write(to, SCENE_TABLES.ledger, groups, (group) => [
    group < FIRST + BEHIND || group >= FIRST + GROUPS - RECENT
      ? toLedgerItem(aKey(group), anEvent(aKey(group), 1))
      : { ...SOME_EVENT, k: { S: formatGroupKey(aKey(group)) } },
  ]);
  await write(to, SCENE_TABLES.marks, groups, (group) => DESTINATIONS.map((name) => aMark(name, group)));
  const stores = storesOn(to, SCENE_TABLES);
  const now = Date.now() * MILLISECOND;
  await stores.states.save(aState('acme', 1, { generation: ACME.generation, baseUrl: service.url }), 0);
  await stores.endpoints.save(FORWARD, newEndpoint(now), 0);
  const recent = groups.slice(-RECENT).map((group) => ({ group, sequence: 1, savedAt: now }));
  await createDynamoDbActivities({ client: to, tables: SCENE_TABLES }).save('acme', { minutes: [], recent });
}

/** Compressing a body takes longer than writing it, so only the newest groups, which searches read, have their own body. */
function aSnapshotItem(group: number): StoredItem {
  const snapshot = aSnapshot(group, 1, { sequence: 1 });
  const isRead = group < FIRST + BEHIND || group >= FIRST + GROUPS - 2_000;
  if (isRead) return toSnapshotItem(ACME, snapshot);
  return { ...SOME, k: { S: formatGroupKey(aKey(group)) }, c: { N: String(snapshot.createdAt) } };
}

function aMark(destination: string, group: number): StoredItem {
  const item = { ...markKey(destination, aKey(group)), ...formatAttribute(1), n: { N: '1' } };
  if (group >= FIRST + BEHIND) return item;
  return { ...item, d: { S: destination }, r: { S: '2: refused' } };
}

async function write(
  to: DynamoDBClient,
  table: string,
  groups: readonly number[],
  itemsOf: (group: number) => readonly StoredItem[],
): Promise<void> {
  const some = chunked(groups, 1_000);
  for (const part of some)
    await inParallel(chunked(part.flatMap(itemsOf), 25), 8, async (chunk) => {
      const requests = chunk.map((Item) => ({ PutRequest: { Item } }));
      const { UnprocessedItems } = await to.send(
        new BatchWriteItemCommand({ RequestItems: { [table]: requests } }),
      );
      if (Object.keys(UnprocessedItems ?? {}).length > 0) throw new Error('The engine left items unwritten.');
    });
}

/** @returns the exit code */
async function measure(): Promise<number> {
  let code = 0;
  await withDeployment({}, async (feed) => {
    const moments = createMoments({ zone: 'UTC', now: Date.now });
    const access = { environment: { RETURNS_API_TOKEN: service.token } };
    const console_ = await openConsole({ ...feed, moments, access, acts: true }, 0);
    const access_ = await openAddress(console_);
    const group = FIRST + GROUPS - 5;
    const old = FIRST + 5;
    const pages = {
      Overview: '/',
      Live: '/live',
      Stuck: '/stuck',
      Catalogue: '/catalogue',
      'A return': `/returns/acme/${group}`,
      'An old return': `/returns/acme/${old}`,
      'Find a return': `/find?q=${old}`,
      'Find an event': `/find?q=acme_${ACME.generation}_${old}_1`,
      'Find what nobody knows': '/find?q=1Z0000000000000000',
      [LATER.service]: '/find?q=1Z0000000000000000&in=service',
      [LATER.items]: '/find?q=1Z0000000000000000&in=stored',
    };
    // Alternates reads and pages, so that other load on the machine affects both alike.
    const timed = Object.entries(pages).map(([name, path]) => ({ name, path, times: [] as number[] }));
    const reads: number[] = [];
    for (let round = 0; round <= ROUNDS; round += 1)
      for (const { path, times } of timed) {
        for (let read = 0; read < 5; read += 1) reads.push(await timeOf(() => readOne(feed.client, old)));
        const time = await timeOf(() => openPage(new URL(path, console_.url), access_));
        // The first round loads the code.
        if (round > 0) times.push(time);
      }
    const readMs = medianOf(reads);
    console.log(`a single read: ${readMs.toFixed(2)} ms`);
    for (const { name, times } of timed) {
      const pageMs = medianOf(times);
      const isSlow = pageMs > MOST_READS * readMs;
      if (isSlow && !Object.values(LATER).includes(name)) code = 1;
      console.log(
        `${name.padEnd(32)}${pageMs.toFixed(1).padStart(8)} ms  ${(pageMs / readMs).toFixed(1).padStart(6)} reads${isSlow ? '  too slow' : ''}`,
      );
    }
    await console_.close();
  });
  return code;
}

async function readOne(from: DynamoDBClient, group: number): Promise<void> {
  const { k } = toSnapshotItem(ACME, aSnapshot(group));
  const get = { TableName: SCENE_TABLES.snapshots, Key: { k: k as { S: string } }, ConsistentRead: true };
  const { Item } = await from.send(new GetItemCommand(get));
  if (Item === undefined) throw new Error('The read found nothing.');
}

async function openPage(url: URL, headers: { readonly cookie: string }): Promise<void> {
  const { status } = await ask(url, { headers });
  if (status >= 400) throw new Error(`${url.pathname} was answered ${status}`);
}

/** Milliseconds. */
async function timeOf(work: () => Promise<void>): Promise<number> {
  const beganAt = performance.now();
  await work();
  return performance.now() - beganAt;
}

function medianOf(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
}
