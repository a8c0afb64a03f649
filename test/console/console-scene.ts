// A console on constant tables: two sources, one of them held, returns with their stories, a destination that rejects
// events, a URL that fails; or only one of these. Each run renders identical texts, for screenshots and for tests of all
// pages.
import { type DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { type Activity, createDynamoDbActivities } from '../../functions/adapters/dynamodb-activities.ts';
import { createDynamoDbSourceDirectory } from '../../functions/adapters/dynamodb-source-directory.ts';
import { toLedgerItem } from '../../functions/adapters/ledger-item.ts';
import { createMoments } from '../../local/cli/moments.ts';
import { type ConsoleFeed, createConsoleFeed } from '../../local/console/console-feed.ts';
import type { Console } from '../../local/console/console-server.ts';
import { openConsole } from '../../local/console/open-console.ts';
import { openDeployment } from '../../local/place/open-deployment.ts';
import { labelsOfForwarded } from '../../local/place/open-feed.ts';
import { type FeedEvent, feedEvent } from '../../shared/contract/event.ts';
import {
  type DestinationTraits,
  markOf,
  traitsOf,
  WATCH_MARK,
} from '../../shared/deployment/destinations.ts';
import { formatInstant, HOUR, MILLISECOND, MINUTE, SECOND } from '../../shared/instant.ts';
import { newEndpoint } from '../../shared/webhooks/endpoint-state.ts';
import { aKey, anEvent, aShipment, aSnapshot } from '../contract/sample-saves.ts';
import { clockAt, connect, hastyClock, type Stores, storesOn } from '../contract/stores.ts';
import { startDynamoDbEngine } from '../engines/dynamodb-engine.ts';
import { createTables } from '../engines/tables.ts';
import { cutOff } from './cut-off-feed.ts';
import { aHeldState, aNewState, aWellState, NOW } from './scene-states.ts';
import { SCENE_TABLES, variablesOf, withVariables } from './with-variables.ts';

const GID = 'gid://platform/OrderTransaction/900100104000-100200300400500600';
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

async function addEntry(client: DynamoDBClient, name: string): Promise<void> {
  const directory = createDynamoDbSourceDirectory({ client, tables: SCENE_TABLES, clock: hastyClock });
  const settings = { name, baseUrl: 'https://returns.example.com/api' };
  const given = { settings, token: { secretId: 'token' } };
  await directory.save({ name, declaredBy: 'stack', isPaused: false, given }, 0);
}

/**
 * `empty`: nothing is polled yet. `baseline`: the first reading is under way. `busy`: all is well. `dead`: nothing has
 * polled for an hour. `all`: all problems. `unreachable`: the tables do not answer.
 */
export type SceneState = 'empty' | 'baseline' | 'busy' | 'failing' | 'held' | 'dead' | 'all' | 'unreachable';

export async function openConsoleScene(shown: SceneState = 'all'): Promise<ConsoleScene> {
  const isHeld = shown === 'held' || shown === 'all';
  const isFailing = shown === 'failing' || shown === 'all';
  /** The returns that the bus refuses. */
  const refused =
    shown === 'failing' ? [FIRST_GROUP + 4, FIRST_GROUP + 7] : isFailing ? [FIRST_GROUP + 4] : [];
  const now = shown === 'dead' ? NOW + HOUR : NOW;
  const engine = await startDynamoDbEngine();
  const client = connect(engine.endpoint);
  await createTables(client, SCENE_TABLES);
  const stores = storesOn(client, SCENE_TABLES);
  const mintedIn = await stores.states.identity();
  const isNew = shown === 'baseline';
  const states =
    shown === 'empty' ? [] : isHeld ? [aWellState(), aHeldState()] : [isNew ? aNewState() : aWellState()];
  for (const state of states) {
    await stores.states.save({ ...state, mintedIn }, 0);
    await addEntry(client, state.source);
    const activities = createDynamoDbActivities({ client, tables: SCENE_TABLES });
    await activities.save(state.source, anActivity(state.source, isNew ? 10 : 60));
  }
  for (let place = 0; place < (shown === 'empty' ? 0 : GROUPS); place += 1) {
    for (const event of storyOf(FIRST_GROUP + place, place)) {
      const Item = toLedgerItem(aKey(FIRST_GROUP + place), event);
      await client.send(new PutItemCommand({ TableName: SCENE_TABLES.ledger, Item }));
    }
    await saveGroup(stores, FIRST_GROUP + place, refused.includes(FIRST_GROUP + place));
  }
  if (isFailing) await noteProblems(stores, refused);
  client.destroy();
  const open = await withVariables(variablesOf(engine.endpoint), async () => {
    const deployed = await openDeployment(undefined);
    // The SDK reads the environment at its first request.
    await deployed.sources(undefined);
    return deployed;
  });
  const reads = countReads(open.client);
  const { feed: wired, wire } = cutOff(open);
  if (shown === 'unreachable') wire.cut();
  const moments = createMoments({ zone: 'UTC', now: () => now / MILLISECOND });
  const served = {
    ...wired,
    // As on one machine while `watch` runs, beside a bus.
    ...{
      deployment: undefined,
      flags: ' --data state',
      poller: async () => (shown === 'dead' ? null : { pid: 1 }),
    },
    ...{
      destinations: [OUTPUT, traitsOf('bus')],
      webhooks: shown === 'unreachable' ? wired.webhooks : async () => [labelsOfForwarded(FORWARD)],
    },
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

/** @param minutes that had events, up to now */
function anActivity(source: string, minutes: number): Activity {
  const isBusy = source === 'acme';
  const minute = Math.floor(NOW / MINUTE);
  return {
    minutes: Array.from({ length: minutes }, (_, ago) => ({
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
  isRefused: boolean,
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
    if (!isRefused || mark !== markOf('bus')) await marks.advance(mark, aKey(group), 3);
}

async function noteProblems(
  { marks, endpoints }: Omit<Stores, 'close'>,
  refused: readonly number[],
): Promise<void> {
  for (const group of refused) {
    await marks.advance(markOf('bus'), aKey(group), 1);
    await marks.noteBehind(markOf('bus'), aKey(group), {
      sequence: 2,
      reason: 'the bus refused it: the entry is larger than 1 MB',
    });
  }
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
