// A console on constant tables: two sources, one of them held, returns with their stories, a destination that rejects
// events, a URL that fails; or only one of these. Each run renders identical texts, for screenshots and for tests of all
// pages.
import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { type Activity, createDynamoDbActivities } from '../../functions/adapters/dynamodb-activities.ts';
import { toLedgerItem } from '../../functions/adapters/ledger-item.ts';
import { createMoments } from '../../local/cli/moments.ts';
import { type ConsoleFeed, createConsoleFeed } from '../../local/console/console-feed.ts';
import type { Console } from '../../local/console/console-server.ts';
import { openConsole } from '../../local/console/open-console.ts';
import { openDeployment } from '../../local/operating/open-deployment.ts';
import { labelsOfForwarded } from '../../local/operating/open-feed.ts';
import { type FeedEvent, feedEvent } from '../../shared/contract/event.ts';
import {
  type DestinationTraits,
  markOf,
  traitsOf,
  WATCH_MARK,
} from '../../shared/deployment/destinations.ts';
import { formatInstant, HOUR, type Instant, MILLISECOND, MINUTE, SECOND } from '../../shared/instant.ts';
import type { GroupKey } from '../../shared/ports.ts';
import { beginRound } from '../../shared/reading/round.ts';
import type { SourceState } from '../../shared/source/source-state.ts';
import { newEndpoint } from '../../shared/webhooks/endpoint-state.ts';
import { ACME, aKey, anEvent, aShipment, aSnapshot } from '../contract/sample-saves.ts';
import { aState } from '../contract/sample-states.ts';
import { clockAt, connect, type Stores, storesOn } from '../contract/stores.ts';
import { startDynamoDbEngine } from '../engines/dynamodb-engine.ts';
import { createTables } from '../engines/tables.ts';
import { SCENE_TABLES, variablesOf, withVariables } from './with-variables.ts';

/** The present of the scene: all its times are relative to it. */
const GID = 'gid://platform/OrderTransaction/900100104000-100200300400500600';
const NOW: Instant = Date.parse('2026-11-20T10:15:30Z') * MILLISECOND;
const FIRST_GROUP = 184_460;
export const SCENE_GROUP = FIRST_GROUP;
const GROUPS = 12;
const FORWARD = {
  id: 'forward-5d41402abc4b2a76',
  address: 'http://127.0.0.1:3000/hook',
  filter: { entities: ['shipment'] },
} as const;
const OUTPUT: DestinationTraits = {
  name: WATCH_MARK,
  mark: WATCH_MARK,
  title: 'the output of watch',
  getsReports: false,
};

export interface ConsoleScene {
  readonly console: Console;
  readonly feed: ConsoleFeed;
  /** A path of each page, by its name in file names. */
  readonly pages: Readonly<Record<string, string>>;
  /** The number of requests to the tables so far, and their read units. */
  readonly reads: { requests: number; units: number };
  close(): Promise<void>;
}

/** `empty`: nothing is polled yet. `busy`: all is well. `dead`: nothing has polled for an hour. `all`: all problems. */
export type SceneState = 'empty' | 'busy' | 'failing' | 'held' | 'dead' | 'all';

export async function openConsoleScene(shown: SceneState = 'all'): Promise<ConsoleScene> {
  const isHeld = shown === 'held' || shown === 'all';
  const isFailing = shown === 'failing' || shown === 'all';
  const now = shown === 'dead' ? NOW + HOUR : NOW;
  const engine = await startDynamoDbEngine();
  const client = connect(engine.endpoint);
  await createTables(client, SCENE_TABLES);
  const stores = storesOn(client, SCENE_TABLES);
  const mintedIn = await stores.states.identity();
  const states = shown === 'empty' ? [] : isHeld ? [aWellState(), aHeldState()] : [aWellState()];
  for (const state of states) {
    await stores.states.save({ ...state, mintedIn }, 0);
    const activities = createDynamoDbActivities({ client, tables: SCENE_TABLES });
    await activities.save(state.source, anActivity(state.source));
  }
  for (let place = 0; place < (shown === 'empty' ? 0 : GROUPS); place += 1) {
    for (const event of storyOf(FIRST_GROUP + place, place)) {
      const Item = toLedgerItem(aKey(FIRST_GROUP + place), event);
      await client.send(new PutItemCommand({ TableName: SCENE_TABLES.ledger, Item }));
    }
    await saveGroup(stores, FIRST_GROUP + place, isFailing);
  }
  if (isFailing) await noteProblems(stores);
  client.destroy();
  const open = await withVariables(variablesOf(engine.endpoint), async () => {
    const deployed = await openDeployment(undefined);
    // The SDK reads the environment at its first request.
    await deployed.sources(undefined);
    return deployed;
  });
  const reads = countReads(open.client);
  const moments = createMoments({ zone: 'UTC', now: () => now / MILLISECOND });
  const served = {
    ...open,
    // As on one machine while `watch` runs, beside a bus.
    ...{
      deployment: undefined,
      flags: ' --data state',
      poller: async () => (shown === 'dead' ? null : { pid: 1 }),
    },
    ...{ destinations: [OUTPUT, traitsOf('bus')], webhooks: async () => [labelsOfForwarded(FORWARD)] },
    clock: clockAt(now),
    moments,
    acts: true,
    access: { environment: {} },
  };
  const console = await openConsole(served, 0);
  const feed = createConsoleFeed(served);
  return {
    console,
    feed,
    reads,
    pages: {
      overview: '/',
      find: '/find?q=1Z0000000000000000&in=service',
      ...(shown !== 'empty' && { return: `/returns/acme/${SCENE_GROUP}` }),
      live: '/live',
      stuck: '/stuck',
      events: '/catalogue',
    },
    async close() {
      await console.close();
      await open.close();
      await engine.stop();
    },
  };
}

function countReads(client: Awaited<ReturnType<typeof openDeployment>>['client']): ConsoleScene['reads'] {
  const reads = { requests: 0, units: 0 };
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        reads.requests += 1;
        const isTable = commandName?.startsWith('Describe');
        const input = isTable ? args.input : { ...args.input, ReturnConsumedCapacity: 'TOTAL' };
        const result = await next({ ...args, input });
        const { ConsumedCapacity } = result.output as { ConsumedCapacity?: unknown };
        for (const each of [ConsumedCapacity ?? []].flat())
          reads.units += (each as { CapacityUnits?: number }).CapacityUnits ?? 0;
        return result;
      },
    { step: 'initialize', name: 'countReads' },
  );
  return reads;
}

function aWellState(): SourceState {
  const sample = aState('acme');
  const lane = (startedAgo: Instant, rhythm: Instant, groups: number) => ({
    dueAt: NOW - startedAgo + rhythm,
    round: undefined,
    cuts: [],
    endedAt: NOW - startedAgo + 9 * SECOND,
    groups,
    requests: Math.ceil(groups / 80),
    missing: 0,
  });
  return {
    ...sample,
    generation: ACME.generation,
    startedAt: NOW - 90 * 24 * HOUR,
    baselineAt: NOW - 89 * 24 * HOUR,
    lease: { owner: 'b3f0c2d4', epoch: 12, expiresAt: NOW + 90 * SECOND },
    lastSlot: (NOW - 20 * SECOND) / MILLISECOND,
    position: {
      ...sample.position,
      ...{ cursor: NOW - 381 * SECOND, newest: NOW - SECOND, newestAt: [], passed: [], places: [] },
      readAt: { late: NOW - 21 * SECOND, recent: NOW - 4 * MINUTE, older: NOW - 9 * HOUR },
    },
    lanes: {
      late: lane(21 * SECOND, MINUTE, 12),
      recent: lane(4 * MINUTE, 10 * MINUTE, 9_120),
      older: lane(9 * HOUR, 12 * HOUR, 39_090),
    },
    lookUps: [],
    findings: [],
    setAside: [],
    holds: [],
    lastHold: 0,
    health: { ...sample.health, degradedSince: undefined, reasons: [], refusals: 0, failure: undefined },
    feedReports: [],
    readReportAt: undefined,
    driftReported: [],
    fieldsSince: {},
  };
}

function aHeldState(): SourceState {
  const well = aWellState();
  const [hold] = aState('acme').holds;
  if (hold === undefined) throw new Error('The sample state has no hold.');
  const round = { ...beginRound(NOW - 50 * MINUTE, []), groups: 31_200 };
  const noted = { digest: 'k3j4', seenAt: NOW };
  return {
    ...well,
    source: 'outlet',
    baselineAt: undefined,
    position: { ...well.position, readAt: { ...well.position.readAt, recent: undefined } },
    lanes: { ...well.lanes, recent: { ...well.lanes.recent, endedAt: NOW - 50 * MINUTE, round } },
    setAside: [
      { ...noted, groupId: 99_102, reason: 'shipments.0.status is missing', since: NOW - 3 * HOUR },
      { ...noted, groupId: 99_877, reason: 'created_at is no timestamp', since: NOW - 2 * HOUR },
    ],
    lastHold: 7,
    holds: [
      {
        ...hold,
        since: NOW - 42 * MINUTE,
        samples: hold.samples.map((each) => ({ ...each, groupId: 99_034 })),
      },
    ],
  };
}

function anActivity(source: string): Activity {
  const isBusy = source === 'acme';
  const minute = Math.floor(NOW / MINUTE);
  return {
    minutes: Array.from({ length: 45 }, (_, ago) => ({
      from: (minute - ago) * MINUTE,
      events: isBusy ? Math.round(6 + 5 * Math.sin(ago / 5) + ((ago * 7) % 5)) : ago % 4,
    })),
    recent: isBusy
      ? Array.from({ length: GROUPS }, (_, place) => ({
          group: FIRST_GROUP + place,
          sequence: 3,
          savedAt: NOW - (place * 47 + 12) * SECOND,
        }))
      : [],
  };
}

const STATUSES = ['CREATED', 'IN_TRANSIT', 'OUT_FOR_DELIVERY', 'DELIVERED'] as const;

/** Three events of the group's shipment, the last one `place` minutes ago. */
function storyOf(group: number, place: number): FeedEvent[] {
  return [1, 2, 3].map((sequence) => {
    const by = NOW - (place * 47 + 12) * SECOND - (3 - sequence) * 55 * MINUTE;
    const event = anEvent(aKey(group), sequence, aShipment(group, STATUSES[sequence]));
    const observed = { after: formatInstant(by - (sequence * 20 + 41) * SECOND), by: formatInstant(by) };
    return feedEvent.parse({
      ...event,
      time: formatInstant(by - 31 * SECOND),
      data: {
        ...event.data,
        previous_attributes: { status: STATUSES[sequence - 1] },
        observed: { ...observed, through: sequence === 2 ? 'reconciliation' : 'poll' },
      },
    });
  });
}

async function saveGroup(
  { snapshots, marks }: Omit<Stores, 'close'>,
  group: number,
  isFailing: boolean,
): Promise<void> {
  const at = NOW - MINUTE;
  const snapshot = aSnapshot(group, 1, {
    sequence: 3,
    createdAt: NOW - 48 * HOUR,
    updatedAt: at,
    sentAt: at,
    receivedAt: at,
  });
  const projection = {
    ...snapshot.projection,
    shipments: [aShipment(group, 'DELIVERED')],
    // A browser finds no place in it to break the line.
    refund_transactions: [
      { type: 'refund_transaction', platform_id: GID, amount: null, gateway: 'store_credit' },
    ],
  };
  await snapshots.save(aKey(group), {
    snapshot: { ...snapshot, projection },
    expectedVersion: 0,
    events: [],
  } as never);
  for (const mark of [WATCH_MARK, markOf('bus'), FORWARD.id])
    if (!isFailing || group !== FIRST_GROUP + 4 || mark !== markOf('bus'))
      await marks.advance(mark, aKey(group), 3);
}

async function noteProblems({ marks, endpoints }: Omit<Stores, 'close'>): Promise<void> {
  const refused: GroupKey = aKey(FIRST_GROUP + 4);
  await marks.advance(markOf('bus'), refused, 1);
  await marks.noteBehind(markOf('bus'), refused, {
    sequence: 2,
    reason: 'the bus refused it: the entry is larger than 1 MB',
  });
  await endpoints.save(
    FORWARD.id,
    {
      ...newEndpoint(NOW - 24 * HOUR),
      failures: 14,
      failingSince: NOW - 17 * MINUTE,
      lastAcceptedAt: NOW - 18 * MINUTE,
      lastFailureAt: NOW - MINUTE,
      lastFailure: 'ECONNREFUSED',
    },
    0,
  );
}
